// SPDX-License-Identifier: Apache-2.0
#include "harness/records/reports/mustache_view.h"

#include <stdexcept>

#include "harness/records/json_text.h"

namespace esox {

kainjow::mustache::data mustache_data(const Json& json) {
  switch (json.type()) {
    case Json::value_t::object: {
      kainjow::mustache::data object;
      for (const auto& [key, value] : json.items()) object.set(key, mustache_data(value));
      return object;
    }
    case Json::value_t::array: {
      kainjow::mustache::data list(kainjow::mustache::data::type::list);
      for (const Json& value : json) list.push_back(mustache_data(value));
      return list;
    }
    case Json::value_t::string: {
      const auto& text = json.get_ref<const std::string&>();
      return text.empty() ? kainjow::mustache::data(false) : kainjow::mustache::data(text);
    }
    case Json::value_t::boolean:
      return kainjow::mustache::data(json.get<bool>());
    case Json::value_t::null:
      return kainjow::mustache::data(false);
    default:
      return kainjow::mustache::data(json.dump());
  }
}

kainjow::mustache::mustache mustache_page(const char* text) {
  kainjow::mustache::mustache page(text);
  if (!page.is_valid()) throw std::logic_error("report page: " + page.error_message());
  return page;
}

}  // namespace esox
