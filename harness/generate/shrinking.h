// SPDX-License-Identifier: Apache-2.0
// Makes an input smaller that is kept for what an execution showed: of the requests those stay in
// which it showed, if all of it still shows in kShrinkTries executions; else with those before
// them. It is told where it showed, so that nothing has to be tried one by one.
//
// Not its setup: inputs over one setup share a snapshot, and a finding of it is minimised as any
// other.
#pragma once

#include "harness/generate/mutant_runs.h"

namespace esox {

inline constexpr size_t kShrinkTries = 3;

// Two clients and a request of each of them stay; and what `showing` had of `kept_for`.
Input shrunk(MutantRuns& runs, const Showing& showing, const Features& kept_for);

}  // namespace esox
