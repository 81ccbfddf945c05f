// SPDX-License-Identifier: Apache-2.0
// What a hunt says of isolation levels, above all where nothing was found: at which level how many
// schedules showed none of what it forbids, how complete that is, and what it allows that was
// reached.
#pragma once

#include <string>
#include <vector>

#include "harness/records/report.h"

namespace esox {

// One line for each level at which transactions were judged by who read what.
std::vector<std::string> isolation_lines(const HuntReport& report);

}  // namespace esox
