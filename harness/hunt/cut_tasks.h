// SPDX-License-Identifier: Apache-2.0
// Inputs in which tasks of the server's own (events) end early.
//
// A task may fail for what it met: it is the victim of a deadlock, say. Nobody is told but the
// server's log; what it had still to do is missing from the state, and no serial order of the input
// gives that. One of an input in which the task does no more than its first steps does, provided
// that nothing else went wrong. A task that runs several times ends early each time, here.
//
// Pure.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "inputs/input.h"
#include "summaries/outcome.h"

namespace esox {

struct CutInput {
  ConcreteInput input;
  std::vector<TaskCut> cuts;  // that were made in it
  std::string done;           // "test.e1 had done nothing", "test.e1 had done its first 2 steps"
};

// One for each step at which these tasks can have failed; a few at most. None: no request of the
// input makes one of them, or it is not plain of what steps it is.
std::vector<CutInput> cut_inputs(const ConcreteInput& input, std::span<const FailedTask> failed);

// What an execution of the whole input gave, as one of the other would: definitions of the tasks,
// wherever one is shown, are those that were cut.
Outcome as_if_cut(Outcome outcome, std::span<const TaskCut> cuts);

}  // namespace esox
