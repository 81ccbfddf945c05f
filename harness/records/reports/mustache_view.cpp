// SPDX-License-Identifier: Apache-2.0
#include "harness/records/reports/mustache_view.h"

#include <stdexcept>

namespace esox {

using Json = nlohmann::json;
using kainjow::mustache::data;
using kainjow::mustache::mustache;

data mustache_data(const Json& json) {
  switch (json.type()) {
    case Json::value_t::object: {
      data object;
      for (const auto& [key, value] : json.items()) object.set(key, mustache_data(value));
      return object;
    }
    case Json::value_t::array: {
      data list(data::type::list);
      for (const Json& value : json) list.push_back(mustache_data(value));
      return list;
    }
    case Json::value_t::string: {
      const auto& text = json.get_ref<const std::string&>();
      return text.empty() ? data(false) : data(text);
    }
    case Json::value_t::boolean:
      return data(json.get<bool>());
    case Json::value_t::null:
      return data(false);
    default:
      return data(json.dump());
  }
}

mustache mustache_page(const char* text) {
  mustache page(text);
  if (!page.is_valid()) throw std::logic_error("report page: " + page.error_message());
  return page;
}

}  // namespace esox
