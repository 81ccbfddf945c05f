// SPDX-License-Identifier: Apache-2.0
// The switches of a finding's execution, for a reader who forces them by hand.
//
// Pure.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "analysis/finding.h"

namespace esox {

// Each switch in words, by the point at which it was: "A -> B: A stands before lock mutex in F".
std::map<uint64_t, std::string> switches_in_words(const Finding& finding);

}  // namespace esox
