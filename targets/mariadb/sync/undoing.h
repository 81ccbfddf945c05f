// SPDX-License-Identifier: Apache-2.0
// How a test leaves the server as it found it: global variables that an input sets, and what it
// makes beside the tables of `test`.
//
// Pure.
#pragma once

#include <string>
#include <vector>

#include "inputs/input.h"

namespace esox {

struct Undoing {
  std::vector<std::string> globals;  // names
  std::vector<std::string> before;   // said before the setup, and at the end by the same session
  std::vector<std::string> after;
  std::string drop = "DROP";  // how tables and views go, in whatever order
};

Undoing undoing_of(const Input& input);

// All that its sessions are told: setups and requests.
std::vector<std::string> statements_of(const Input& input);

}  // namespace esox
