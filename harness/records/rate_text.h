// SPDX-License-Identifier: Apache-2.0
// How often something came, in words: the one place that has them.
//
// A number of executions that gave a finding says little of how rare it is: a hunt repeats what it
// has found, by variations, predictions and searches, the more the more it finds. So three things
// are told: in which execution it came first; its rate among *fresh draws*, the executions whose
// schedule a strategy drew anew; and the interval of that rate. In a hunt the portfolio shares
// executions out by what was seen, so that there the rate is of the strategies as that hunt mixed
// them, and the interval is what it is for draws that are independent.
#pragma once

#include <cstdint>
#include <string>

#include "base/statistics/confidence.h"

namespace esox {

// Whether an execution with this strategy (ExecutionRecord::strategy) is a fresh draw.
bool is_fresh_draw(const std::string& strategy);

// Of one finding, or of what one input showed.
struct HitCounts {
  uint64_t first = 0;       // the execution that gave it first
  uint64_t executions = 0;  // in which it could have come
  uint64_t draws = 0;       // of them, judged fresh draws
  uint64_t drawn_hits = 0;  // of those, how many gave it
};

// "29 of 81 fresh draws: 36 % (95 %: 26 to 47 %)", "none of 3000 fresh draws (95 %: at most 0.1
// %)", "no fresh draws".
std::string draws_text(uint64_t hits, uint64_t draws, double confidence = kConfidence);

// "in 29 of 81 fresh draws: 36 % (95 %: 26 to 47 %); first in execution 4 of 100".
std::string rate_text(const HitCounts& counts);

// Where fresh draws were not counted apart: "in 29 of 100 executions, repeats of it among them,
// first in 4". `first` 0: it is not known.
std::string repeats_text(uint64_t hits, uint64_t executions, uint64_t first = 0);

// "36 %", "0.18 %", of a share.
std::string percent_text(double share);

}  // namespace esox
