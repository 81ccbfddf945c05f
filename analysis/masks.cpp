// SPDX-License-Identifier: Apache-2.0
#include "analysis/masks.h"

#include <fmt/format.h>

#include "analysis/linearization.h"
#include "base/text/enum_names.h"

namespace esox {

const char* part_name(OutputPart part) {
  static constexpr const char* kNames[] = {"answered",
                                           "error",
                                           "SQL state",
                                           "error message",
                                           "results",
                                           "column names and types",
                                           "rows",
                                           "order of rows",
                                           "column",
                                           "affected rows",
                                           "insert id",
                                           "info",
                                           "number of warnings",
                                           "warnings"};
  return name_in(kNames, part);
}

bool Masks::hides_component(const std::string& component) const {
  return state.contains(StatePlace{component, std::nullopt});
}

std::vector<std::string> Masks::hidden_keys(const std::string& component) const {
  std::vector<std::string> keys;
  for (auto it = state.lower_bound(StatePlace{component, std::nullopt});
       it != state.end() && it->first.component == component; ++it) {
    if (it->first.key) keys.push_back(*it->first.key);
  }
  return keys;  // sorted, as the map is
}

std::string place_name(const OutputPlace& place, const std::vector<std::string>& client_names) {
  const std::string request = request_name(place.client, place.request, client_names);
  switch (place.part) {
    case OutputPart::kColumns:
    case OutputPart::kRows:
    case OutputPart::kRowOrder:
      return fmt::format("{}: result {}, {}", request, place.result + 1, part_name(place.part));
    case OutputPart::kColumn:
      return fmt::format("{}: result {}, column {}", request, place.result + 1, place.column + 1);
    default:
      return fmt::format("{}: {}", request, part_name(place.part));
  }
}

std::string place_name(const StatePlace& place) {
  if (place.key) return fmt::format("component {}, key {}", place.component, *place.key);
  return fmt::format("component {}", place.component);
}

std::vector<NamedMask> mask_names(const Masks& masks,
                                  const std::vector<std::string>& client_names) {
  std::vector<NamedMask> names;
  for (const auto& [place, orders] : masks.outputs) {
    names.push_back({place_name(place, client_names), orders});
  }
  for (const auto& [place, orders] : masks.state) names.push_back({place_name(place), orders});
  return names;
}

}  // namespace esox
