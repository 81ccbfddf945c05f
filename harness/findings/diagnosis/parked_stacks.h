// SPDX-License-Identifier: Apache-2.0
// The stacks of threads under control at one point of a schedule: it is executed on a server of its
// own whose limit of steps is that point, so that it ends there with its threads parked, and their
// stacks are taken as those of a hang are.
#pragma once

#include <string>
#include <vector>

#include "harness/engine/executor.h"
#include "harness/findings/diagnosis/attempt.h"
#include "harness/hunt/exploration.h"

namespace esox {

struct ClientStack {
  std::string client;
  std::vector<std::string> frames;  // innermost first
};

// The ending's detail, all threads' stacks in it. Throws as Executor::run.
std::vector<std::string> parked_stacks(const ExecutorFactory& executors,
                                       const Exploration& exploration, const Tried& tried,
                                       uint64_t seed, uint64_t point);

}  // namespace esox
