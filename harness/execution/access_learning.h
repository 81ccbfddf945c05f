// SPDX-License-Identifier: Apache-2.0
// The first pass of access level kConflicting: at which sites does a program touch memory that
// another of its threads touches, one of them writing?
#pragma once

#include <cstdint>
#include <vector>

#include "harness/execution/program_execution.h"

namespace esox {

// Executes the plan so many times, under seeds from the plan's on, each time with the sites found
// so far as scheduling points; returns all found, sorted. Throws ServerError as execute_program()
// does.
std::vector<uint64_t> learn_access_sites(ControlMemory& control, ProgramPlan plan,
                                         uint32_t executions);

}  // namespace esox
