// SPDX-License-Identifier: Apache-2.0
// esox replay --gdb: the schedule once more, on a server of its own, up to the switch that decides;
// there a debugger, and then the server's end.
#pragma once

#include <string>
#include <vector>

#include "harness/commands/finding_bench.h"
#include "harness/engine/server_executor.h"
#include "harness/findings/replay/critical_place.h"

namespace esox {

struct DebuggerOptions {
  bool print = false;  // only its command line; goes on at the end of a line of input
  std::vector<std::string> commands;  // not empty: it runs these and ends
};

// `record` is the execution whose schedule is run again, `place` where it stops. Throws
// ServerError.
void debug_replay(const FindingBench& opened, const Exploration& exploration,
                  const ExecutionRecord& record, const FoundSwitch& place,
                  const std::string& sentence, const DebuggerOptions& options);

}  // namespace esox
