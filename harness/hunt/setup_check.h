// SPDX-License-Identifier: Apache-2.0
// Do the inputs' setups work? Asked before a hunt, so that a mistake in the last of a thousand
// inputs is told at once and not after an hour.
//
// To be quick, all distinct setups run on one kept server, which is emptied between them
// (target.h); a server is started anew for other server options, or if it cannot be emptied. What
// one setup leaves behind (a global variable) may disturb a later one, so a failure counts only if
// a fresh server confirms it. No executions, no control: just the statements.
#pragma once

#include <atomic>
#include <cstddef>
#include <filesystem>
#include <vector>

#include "inputs/input.h"
#include "targets/server.h"

namespace esox {

// Throws SetupError (execution.h) for the first input whose setup fails, saying how many more there
// are; ServerError if a server does not start, naming the input if its options are to blame. Ends
// early once `stop`. `base` is where private folders are made. False: there are more different
// setups than one would wait for, and none was tried.
inline constexpr size_t kMostSetupsToCheck = 200;
bool check_setups(Server& server, const std::filesystem::path& base,
                  const std::vector<ConcreteInput>& inputs, const std::atomic<bool>& stop);

}  // namespace esox
