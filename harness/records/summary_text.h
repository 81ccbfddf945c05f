// SPDX-License-Identifier: Apache-2.0
// The end of a hunt in plain words, for someone who has never seen esox: what was found, where its
// files are, how to see it again, and what the figures were.
//
// Pure.
#pragma once

#include <cstddef>
#include <string>

#include "harness/records/report.h"

namespace esox {

// Findings beyond `whole` get one line each.
std::string summary_text(const HuntReport& report, size_t whole = 30);

}  // namespace esox
