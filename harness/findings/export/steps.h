// SPDX-License-Identifier: Apache-2.0
// A finding's execution, step by step: its requests and replies in the order in which they were,
// and between them the switches from one thread to another.
//
// Pure.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "analysis/finding.h"
#include "targets/export_pieces.h"

namespace esox {

// They refer to the finding's replies.
std::vector<ExportStep> export_steps(const Finding& finding);

// Each switch in words, by the point at which it was: "A -> B: A stands before lock mutex in F".
std::map<uint64_t, std::string> switches_in_words(const Finding& finding);

}  // namespace esox
