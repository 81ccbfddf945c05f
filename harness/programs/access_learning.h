// SPDX-License-Identifier: Apache-2.0
// The first pass of access level kConflicting: at which sites does a program touch memory that
// another of its threads touches, one of them writing?
#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

#include "harness/programs/program_server.h"

namespace esox {

// Makes so many executions under random schedules that follow from the seed, each with the sites
// found so far as scheduling points; returns all found, sorted. From then on `server` offers these.
// Throws ServerError as ProgramServer::run() does.
std::vector<uint64_t> learn_access_sites(ProgramServer& server, uint64_t seed, uint32_t executions,
                                         std::chrono::milliseconds limit);

}  // namespace esox
