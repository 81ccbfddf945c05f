// SPDX-License-Identifier: Apache-2.0
// A recorded schedule of a program, run again: does the same failure come?
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "harness/programs/failure.h"
#include "harness/programs/program_server.h"

namespace esox {

struct Reproduction {
  bool same = false;        // the failure came again
  bool same_trace = false;  // by the same operations, one for one
  std::string what;         // what came instead; empty if `same`
  std::vector<std::string> stacks;
  ExecutionRecord record;
  std::string output;
};

// With `look`, the stacks are taken, which takes a moment.
Reproduction reproduce(ProgramServer& server, const Failure& failure, const ExecutionRecord& record,
                       std::chrono::milliseconds limit, bool look, Symbols& symbols);

}  // namespace esox
