// SPDX-License-Identifier: Apache-2.0
#include "harness/execution/access_learning.h"

#include <algorithm>
#include <set>

namespace esox {

std::vector<uint64_t> learn_access_sites(ControlMemory& control, ProgramPlan plan,
                                         uint32_t executions) {
  std::set<uint64_t> found;
  plan.accesses.level = AccessLevel::kConflicting;
  plan.accesses.learn = true;
  for (uint32_t i = 0; i < executions; ++i, ++plan.seed) {
    plan.accesses.sites.assign(found.begin(), found.end());
    const ProgramResult result = execute_program(control, plan);
    for (const uint64_t site : result.learned_sites) {
      if (found.size() < kMaxAccessSites) found.insert(site);
    }
  }
  return {found.begin(), found.end()};
}

}  // namespace esox
