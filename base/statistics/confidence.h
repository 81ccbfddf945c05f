// SPDX-License-Identifier: Apache-2.0
// What a number of hits says of the rate behind it: the exact bounds of Clopper and Pearson (1934).
//
// They hold for a number of executions that was fixed beforehand, and as well where one went on to
// the n-th hit, or to a limit whichever came first: that the n-th hit comes so early is the same
// event as that so many executions have at least n hits, by which the lower bound is defined, and
// the upper one, which would be that of one hit and one execution less, is only wider than it need
// be.
//
// Own code of a few lines, for the library that has it (Boost.Math) would be the only thing used of
// a large package.
#pragma once

#include <cstdint>

namespace esox {

inline constexpr double kConfidence = 0.95;

// P(at most `hits` of `executions`), each a hit with probability `rate`, independently.
double at_most(uint64_t hits, uint64_t executions, double rate);

// The rate is at most this, with `confidence` (one-sided): the largest rate under which so few hits
// still have a chance of 1 - confidence. 1 if nothing was executed. For no hits it is
// 1 - (1 - confidence)^(1/executions), about 3/executions: the rule of three.
double upper_bound_of_rate(uint64_t hits, uint64_t executions, double confidence = kConfidence);

// The rate is at least this, with `confidence` (one-sided): the smallest rate under which so many
// hits still have a chance of 1 - confidence. It is 1 - the upper bound of the rate of misses. 0 if
// nothing was hit or executed; for hits alone (1 - confidence)^(1/executions).
double lower_bound_of_rate(uint64_t hits, uint64_t executions, double confidence = kConfidence);

// From the lower to the upper bound, each of which is missed with half of 1 - confidence at most.
struct RateInterval {
  double low = 0;
  double high = 1;
};
RateInterval interval_of_rate(uint64_t hits, uint64_t executions, double confidence = kConfidence);

// Of a violation that comes in a share `rate` of the executions, independently: P(at least one of
// `executions` shows it) = 1 - (1 - rate)^executions.
double seen_at_least_once(double rate, uint64_t executions);
// The fewest executions for which that is at least `confidence`; UINT64_MAX if none are enough.
uint64_t executions_to_see(double rate, double confidence);

}  // namespace esox
