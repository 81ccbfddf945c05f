// SPDX-License-Identifier: Apache-2.0
// What the executions of one input teach for those to come: where its clients conflict
// (analysis/conflicts.h). Part of the later executions run under a filter that leaves only these
// places to choose at; the others explore all points, for a filter cannot know what has not been
// seen (unlocked counters; places that are rarely reached).
//
// What is known in execution n follows from the hunt's seed, the input and n alone: it is learnt
// from the serial orders executed first and from fixed numbers before n, none of which is itself
// filtered. So a hunt that goes on, another number of workers, or `esox run --from n` have the same
// schedules.
//
// Pure: no clock, no randomness of its own.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/conflicts.h"
#include "preload/strategy/spec.h"

namespace esox {

// All of the first so many, then every number that is a power of two: most of an input's conflicts
// show in its first executions, some inputs keep growing.
inline constexpr uint64_t kFirstLearnt = 32;

// Of the executions after those, so many in a hundred are filtered.
inline constexpr uint64_t kFilteredPercent = 40;

// A longer trace (a session that polled to the step limit) is not worth the time.
inline constexpr size_t kLongestLearnt = 20'000;

// Plain data, kept over sittings (exploration_memory.h).
struct Lessons {
  ConflictTable conflicts;
  std::vector<double> shares;  // by client: of its points, those that the filter leaves
  uint64_t up_to = 0;          // the last execution that was learnt from
};

bool is_learnt_from(uint64_t number);
// The next such number after `number`.
uint64_t next_learnt(uint64_t number);

// `seed`: of the execution. Never one that is learnt from, and none while nothing is known.
bool is_filtered(const Lessons& lessons, uint64_t number, uint64_t seed);

// From a serial order (number 0) or an execution. One that was not under control to its end
// teaches nothing.
void learn(Lessons& lessons, const ExecutionRecord& record, size_t clients, uint64_t number);

}  // namespace esox
