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
// Of a corpus, other inputs may have shown by earlier hunts where clients conflict (the *pool*,
// analysis/conflict_pool.h). Then part of the first executions run under a filter of these places,
// before the input has shown its own; they teach nothing, since they are not a sample of it. The
// pool is fixed when a hunt begins and kept with it: what other inputs show meanwhile is for the
// next hunt, so that an execution does not depend on which inputs came before it, in which shard.
//
// Pure: no clock, no randomness of its own.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/conflicts.h"
#include "preload/protocol/strategy_spec.h"

namespace esox {

// All of the first so many, then every number that is a power of two: most of an input's conflicts
// show in its first executions, some inputs keep growing.
inline constexpr uint64_t kFirstLearnt = 32;

// Of the executions after those, so many in a hundred are filtered.
inline constexpr uint64_t kFilteredPercent = 40;

// A longer trace (a session that polled to the step limit) is not worth the time.
inline constexpr size_t kLongestLearnt = 20'000;

// Plain data, kept over launches (exploration_memory.h).
struct Lessons {
  ConflictTable conflicts;
  std::vector<double> shares;  // by client: of its points, those that the filter leaves
  uint64_t up_to = 0;          // the last execution that was learnt from
  // As `shares`, of those that a filter of the pool leaves: by the serial orders.
  std::vector<double> pool_shares;
};

bool is_learnt_from(uint64_t number);

// `seed`: of the execution. Never one that is learnt from, and none while nothing is known.
bool is_filtered(const Lessons& lessons, uint64_t number, uint64_t seed);

// Whether the execution is one of the first, and under a filter of the pool. `pooled`: what the
// pool has for this input; may be empty.
bool is_filtered_by_pool(const ConflictTable& pooled, uint64_t number, uint64_t seed);

// From a serial order (number 0) or an execution. One that was not under control to its end
// teaches nothing.
void learn(Lessons& lessons, const ExecutionRecord& record, size_t clients, uint64_t number);

// Of a serial order: how many of its points a filter of the pool leaves.
void learn_pool_shares(Lessons& lessons, const ConflictTable& pooled, const ExecutionRecord& record,
                       size_t clients);

}  // namespace esox
