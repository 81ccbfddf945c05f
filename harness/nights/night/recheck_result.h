// SPDX-License-Identifier: Apache-2.0
// What came of trying a known finding's schedule again (recheck.h), and its names in the store.
#pragma once

#include <string_view>

#include "base/text/enum_names.h"

namespace esox {

enum class RecheckResult {
  kToTheLetter,
  kRealigned,
  kNotReproduced,
  kCannotTell,
};

constexpr const char* recheck_name(RecheckResult result) {
  constexpr const char* kNames[] = {"to the letter", "re-aligned", "not reproduced", "cannot tell"};
  return name_in(kNames, result);
}

constexpr bool has_told(std::string_view name) {  // anything but kCannotTell
  return name != recheck_name(RecheckResult::kCannotTell);
}

constexpr bool came(std::string_view name) {
  return name == recheck_name(RecheckResult::kToTheLetter) ||
         name == recheck_name(RecheckResult::kRealigned);
}

}  // namespace esox
