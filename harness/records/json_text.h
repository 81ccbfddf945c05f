// SPDX-License-Identifier: Apache-2.0
// JSON as esox has it, and its text.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace esox {

using Json = nlohmann::json;                 // keys in alphabetical order
using OrderedJson = nlohmann::ordered_json;  // in the order in which they were put

// What `json_of` makes of each.
template <class List = OrderedJson>
List json_list(const auto& all, const auto& json_of) {
  List list = List::array();
  for (const auto& one : all) list.push_back(json_of(one));
  return list;
}

// What is no text is replaced.
inline std::string json_text(const OrderedJson& json, int indent = 2) {
  return json.dump(indent, ' ', false, OrderedJson::error_handler_t::replace) + "\n";
}

}  // namespace esox
