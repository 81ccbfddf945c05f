// SPDX-License-Identifier: Apache-2.0
// The operations of an execution in the order in which they took effect.
//
// The trace tells them in another order: an operation is written down when its thread arrives at
// it, and takes effect only when the thread is chosen, which may be much later. Which that was is
// in the choices.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/execution_record.h"

namespace esox {

// Indices into record.trace. What a thread stood before when the execution ended is not among them.
std::vector<uint32_t> executed_order(const ExecutionRecord& record);

}  // namespace esox
