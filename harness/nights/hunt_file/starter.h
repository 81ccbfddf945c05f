// SPDX-License-Identifier: Apache-2.0
// The hunt file that `esox init` writes: it works at once, and its comments name what else there
// is.
#pragma once

#include <string>

#include "targets/target.h"

namespace esox {

// `file` is the name it will have.
std::string starter_hunt_file(const Target& target, const std::string& file);

}  // namespace esox
