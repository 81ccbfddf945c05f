// SPDX-License-Identifier: Apache-2.0
// The trace as a text for people: what each client's thread did, in the order it happened.
//
// One line per operation: its point, the operation in the column of its client, the call site at
// the right. Switches stand between as lines of their own. Long runs of one thread are cut in the
// middle: what surrounds a switch, a wait and the ends of a request is what counts. Objects get
// short names (mutex#3) in the order of their first use, so that two traces of one schedule read
// alike; what they are is listed at the end.
#pragma once

#include <cstddef>
#include <string>

#include "analysis/execution_record.h"
#include "analysis/symbols.h"
#include "inputs/input.h"

namespace esox {

struct TraceTextOptions {
  size_t width = 120;  // of a line; more only where there are too many clients for it
  size_t context = 6;  // operations kept on either side of what is interesting
};

std::string trace_text(const ExecutionRecord& record, const Input& input, Symbols& symbols,
                       const TraceTextOptions& options = {});

}  // namespace esox
