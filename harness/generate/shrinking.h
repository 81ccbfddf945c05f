// SPDX-License-Identifier: Apache-2.0
// Makes an input smaller that is kept for what an execution showed: clients, then requests go, as
// long as all of that still shows in kShrinkTries executions.
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
