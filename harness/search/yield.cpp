// SPDX-License-Identifier: Apache-2.0
#include "harness/search/yield.h"

#include "base/text/enum_names.h"

namespace esox {

const char* yield_name(Yield yield) {
  static constexpr const char* kNames[] = {"saturated", "some", "fertile"};
  return name_in(kNames, yield);
}

Yield yield_of(const Coverage& coverage, uint64_t executions, uint64_t last_new_cause) {
  if (last_new_cause > 0 && executions < last_new_cause + kYieldWindow) return Yield::kMuch;
  if (coverage.classes.total() < kYieldWindow) return Yield::kSome;
  if (coverage.outcomes.unseen() >= kFertile) return Yield::kMuch;
  const bool saturated =
      coverage.classes.unseen() < kSaturated && coverage.outcomes.unseen() < kSaturated;
  return saturated ? Yield::kNothing : Yield::kSome;
}

}  // namespace esox
