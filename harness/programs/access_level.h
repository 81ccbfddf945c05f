// SPDX-License-Identifier: Apache-2.0
// The levels of memory accesses as users name them.
#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "preload/protocol/accesses.h"

namespace esox {

struct AccessLevelName {
  AccessLevel level;
  const char* name;
};

inline constexpr std::array kAccessLevels = {
    AccessLevelName{AccessLevel::kAll, "all"},
    AccessLevelName{AccessLevel::kConflicting, "conflicting"},
    AccessLevelName{AccessLevel::kAtomics, "atomics"}, AccessLevelName{AccessLevel::kNone, "none"}};

inline const char* name_of(AccessLevel level) {
  for (const AccessLevelName& one : kAccessLevels) {
    if (one.level == level) return one.name;
  }
  return "";
}

inline std::optional<AccessLevel> access_level_named(std::string_view name) {
  for (const AccessLevelName& one : kAccessLevels) {
    if (name == one.name) return one.level;
  }
  return std::nullopt;
}

}  // namespace esox
