// SPDX-License-Identifier: Apache-2.0
#include "harness/findings/diagnosis/parked_stacks.h"

namespace esox {

std::vector<std::string> parked_stacks(const ExecutorFactory& executors,
                                       const Exploration& exploration, const Tried& tried,
                                       uint64_t seed, uint64_t point) {
  return executors({.step_limit = point})
      ->run(exploration.plan_replay(tried.choices, tried.values, seed))
      .record.ending.detail;
}

}  // namespace esox
