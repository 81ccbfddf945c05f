// SPDX-License-Identifier: Apache-2.0
// Which databases an input's statements make, by their text: beside `test`, in which an input
// begins, a summary looks at these. One that only a prepared statement's text makes is not seen.
#pragma once

#include <set>
#include <string>

#include "inputs/input.h"

namespace esox {

// The server's own, whose tables tell of other things.
bool is_system_database(const std::string& name);

// Of the setup, the sessions' setups and the requests, those in bodies of programs included;
// without `test` and the server's own.
std::set<std::string> made_databases(const Input& input);

}  // namespace esox
