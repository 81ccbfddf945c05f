// SPDX-License-Identifier: Apache-2.0
// A schedule carried over to an input with fewer requests: it is told by requests and the points
// within them, and told again by where the smaller input's requests begin and end.
//
// Pure.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/execution_record.h"
#include "analysis/schedule.h"
#include "analysis/serial_run.h"

namespace esox {

// Of a request, in points of its own thread.
struct RequestSpan {
  uint32_t begin = 0;
  uint32_t end = 0;
  bool operator==(const RequestSpan&) const = default;
};

using RequestSpans = std::vector<std::vector<RequestSpan>>;  // [client][request]

// Of an execution that had so many points.
RequestSpans request_spans(const ExecutionRecord& record, uint64_t points);

// [client][request] of the smaller input: which request of the other one it is.
using Origins = std::vector<std::vector<RequestId>>;

// Where the smaller input's requests lie if each takes as many points as before.
RequestSpans spans_left(const RequestSpans& spans, const Origins& origins);

// A request that does more or less than before may be followed from its beginning or from its end.
enum class Anchor { kBeginning, kEnd };

// A segment that ends in a request which is not there ends where the next one begins.
Schedule moved_schedule(const Schedule& schedule, const RequestSpans& spans, const Origins& origins,
                        const RequestSpans& spans_there, Anchor anchor);

}  // namespace esox
