// SPDX-License-Identifier: Apache-2.0
// Where the program of a hunt file's server is: looked for when it is wanted, for tonight's build
// may be missing, and a package be gone.
#pragma once

#include <string>

#include "harness/hunt_file/hunt_file.h"

namespace esox {

// A path, or a name in $PATH. Throws ServerError with the remedy.
std::string program_of(const HuntFileServer& server, const std::string& kind);

}  // namespace esox
