// SPDX-License-Identifier: Apache-2.0
// Whether more executions of an input are worth their time, going by what the last ones brought.
#pragma once

#include <cstdint>

#include "analysis/coverage.h"

namespace esox {

enum class Yield {
  kNothing,  // saturated: next to nothing new is to be expected
  kSome,
  kMuch,  // fertile: new outcomes, or findings, keep coming
};

// So many executions since the last new cause of a violation; and the least to judge by.
inline constexpr uint64_t kYieldWindow = 100;

// Saturated: the next execution shows a schedule, up to equivalence, or an outcome that is new with
// less than this probability (Good and Turing's estimate, coverage.h).
inline constexpr double kSaturated = 0.02;

// Fertile: a new outcome with at least this one.
inline constexpr double kFertile = 0.05;

// What a plan goes by (plan.h).
struct Prospect {
  Yield yield = Yield::kSome;
  double variety = 0;  // outcomes that differ, for each execution
};

// `last_new_cause`: the execution that showed it; 0: none did.
const char* yield_name(Yield yield);  // "saturated", "some", "fertile"

Yield yield_of(const Coverage& coverage, uint64_t executions, uint64_t last_new_cause);

}  // namespace esox
