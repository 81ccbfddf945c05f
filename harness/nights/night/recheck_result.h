// SPDX-License-Identifier: Apache-2.0
// What came of trying a known finding's schedule again (recheck.h), and its names in the store.
#pragma once

#include <array>
#include <string_view>

namespace esox {

enum class RecheckResult {
  kToTheLetter,
  kRealigned,
  kNotReproduced,
  kCannotTell,
};

constexpr const char* recheck_name(RecheckResult result) {
  constexpr std::array kNames = {"to the letter", "re-aligned", "not reproduced", "cannot tell"};
  return kNames[static_cast<size_t>(result)];
}

constexpr bool has_told(std::string_view name) {  // anything but kCannotTell
  return name != recheck_name(RecheckResult::kCannotTell);
}

constexpr bool came(std::string_view name) {
  return name == recheck_name(RecheckResult::kToTheLetter) ||
         name == recheck_name(RecheckResult::kRealigned);
}

}  // namespace esox
