// SPDX-License-Identifier: Apache-2.0
// Reading optional fields of the JSON files that esox itself has written.
#pragma once

#include <nlohmann/json.hpp>

namespace esox {

// The value of `key`, or what is there already if the key is missing or null. Throws
// nlohmann::json::exception for a value of a wrong kind.
template <class T>
void take(const nlohmann::json& json, const char* key, T& value) {
  const auto found = json.find(key);
  if (found != json.end() && !found->is_null()) value = found->get<T>();
}

}  // namespace esox
