// SPDX-License-Identifier: Apache-2.0
// Makes an input smaller for what an execution showed: of the requests those stay in which it
// showed, if all of it still shows in kShrinkTries executions; else with those before them. It is
// told where it showed, so that nothing has to be tried one by one. The same for what did not come
// to its end: what was never answered shows where.
//
// Not its setup: inputs over one setup share a snapshot, and a finding of it is minimised as any
// other.
#pragma once

#include "harness/generate/mutant_runs.h"

namespace esox {

inline constexpr size_t kShrinkTries = 3;

// Two clients and a request of each of them stay; and what `showing` had of `kept_for`.
Input shrunk(MutantRuns& runs, const Showing& showing, const Features& kept_for);

// What is left of an input, and how it came to show there what it was made smaller for.
struct Shrunk {
  Input input;
  Showing showing;
};

// Of one that did not come to its end: those requests that were never answered, if it ends in the
// same way without the others, too; else with those before them; else all that were begun. At most
// the input itself.
Shrunk shrunk_wrong(MutantRuns& runs, size_t glance, const ExecutionReport& wrong);

}  // namespace esox
