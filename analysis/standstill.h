// SPDX-License-Identifier: Apache-2.0
// Since when an execution has stood still: from some event on, nothing comes that had not come
// before. One that reached its limit of steps may have been merely long; one in which two threads
// wait for each other by time-outs of a day, a second at a time, has stood still nearly all along.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/execution_record.h"

namespace esox {

// The place of its last new event in the trace. Nothing if one came in the trace's last tenth.
std::optional<size_t> standstill_of(const ExecutionRecord& record);

// The values of the record without those that ended waits after that: drawn, and of no use to
// anybody. All of them if it has not stood still.
std::vector<uint64_t> values_before_standstill(const ExecutionRecord& record);

}  // namespace esox
