// SPDX-License-Identifier: Apache-2.0
// Variation: schedules made from schedules that showed something.
//
// A strategy draws every schedule anew and forgets what the last one was good for. An execution
// whose outcome is rare tells more: where the switches must be for the server to go that way. So of
// each outcome the plainest schedule that gave it is kept, as its *exemplar*, and one arm of the
// portfolio varies exemplars: it moves, drops and adds a few of their switches. Rare outcomes and
// violations are taken more often. (Fuzzers do so with inputs, by coverage: Böhme et al.,
// "Coverage-based greybox fuzzing as Markov chain", CCS 2016; here an outcome takes the place of a
// path, since what we look for is a wrong one.)
//
// A plain schedule says where the switches matter, and its neighbourhood is small; so exemplars are
// replaced by ones with fewer switches.
//
// Plain data and pure functions: a variant follows from the exemplars and the execution's seed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "analysis/schedule.h"

namespace esox {

inline constexpr size_t kMostExemplars = 32;
// A schedule with more switches is not worth keeping: it could be of a session that polls.
inline constexpr size_t kMostExemplarSwitches = 200;

struct Exemplar {
  uint64_t outcome = 0;                                // hash (analysis/behaviour.h)
  uint64_t met = 0;                                    // executions with this outcome
  bool violation = false;                              // of which one was a confirmed violation
  Schedule schedule;                                   // the plainest of them
  std::vector<std::pair<ThreadId, uint32_t>> lengths;  // points of its threads
  std::vector<uint64_t> values;                        // and the data choices it had
  bool operator==(const Exemplar&) const = default;
};

struct Variant {
  Schedule schedule;
  std::vector<uint64_t> values;
};

// Of an execution that finished, `points` scheduling points long.
void note_exemplar(std::vector<Exemplar>& exemplars, uint64_t outcome, bool violation,
                   const ExecutionRecord& record, uint64_t points);

// How often each exemplar is taken; they add up to 1.
std::vector<double> exemplar_shares(const std::vector<Exemplar>& exemplars);

// `exemplars` must not be empty.
Variant vary(const std::vector<Exemplar>& exemplars, uint64_t seed);

}  // namespace esox
