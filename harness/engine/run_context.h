// SPDX-License-Identifier: Apache-2.0
// What the parts of one execution share.
#pragma once

#include <atomic>

#include "harness/engine/execution.h"
#include "harness/engine/executor_options.h"

namespace esox {

// Of one execution; all of it outlives that.
struct RunContext {
  const ExecutorOptions& options;
  const std::atomic<bool>& interrupted;
  ControlMemory& control;
  const ExecutionPlan& plan;
  Server& server;
};

}  // namespace esox
