// SPDX-License-Identifier: Apache-2.0
// Durations on the command line (base/text/duration.h).
#pragma once

#include <chrono>
#include <string>

#include "base/text/duration.h"

namespace esox {

// What `option` ("--budget") was given. Throws UsageError.
std::chrono::milliseconds duration_given(const char* option, const std::string& text);

}  // namespace esox
