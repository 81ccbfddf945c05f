// SPDX-License-Identifier: Apache-2.0
// Which exploration gets the next batch of executions.
//
// A hunt rarely has the time to execute everything, so it widens before it deepens, in rounds: each
// exploration has its first batch, in the order in which the user named them, before any has its
// second, and so on. Rounds grow: a worker that turns to another exploration has to set its server
// up first, which takes 13 to 17 ms, as long as ten executions and more. So the first batch, a
// glance, is short enough to give one to 2,000 explorations in half a minute of two workers, and a
// later one is long enough for the turn not to matter. Of more than `wave` explorations, which no
// hunt may get round to, each further `wave` come a round later.
//
// Where time is what is given (--budget), it goes where there is more to be had (yield.h): an
// exploration that is saturated gets no further batch, and the executions it would have had go, a
// batch at a time, to fertile ones that have had all of theirs; fertile ones also come a round
// sooner. Within a round those come first whose executions end in the most different ways. Where
// executions are given, each exploration gets exactly its own.
//
// By different ways: of 1,480 explorations that a hunt with another seed gave a glance, a tenth
// ended in three ways or more, and of the 35 findings that two hunts of 30 minutes made there in
// their second batches 20 were among these. Tried and dropped: equal time for all in place of equal
// executions (26 families for 35: what takes long shows most, even by the second); those with six
// ways a round sooner (it took the time of others' second batches).
//
// Pure: no threads, no clock, no randomness. One exploration is never handed out twice at a time.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "harness/search/yield.h"

namespace esox {

// Executions of an exploration by the end of its first batches, and how many each later one has.
inline constexpr std::array<uint64_t, 4> kBatchEnds = {8, 25, 100, 300};
inline constexpr uint64_t kBatchExecutions = 200;
inline constexpr size_t kWave = 5000;

struct Batch {
  size_t exploration = 0;  // index
  uint64_t first = 1;      // number of its first execution, from 1
  uint64_t count = 0;
};

enum class Share {
  kEqual,    // each exploration gets its executions
  kByYield,  // saturated ones hand theirs to fertile ones
};

class Plan {
 public:
  Plan(size_t explorations, uint64_t executions_each, Share share = Share::kEqual,
       size_t wave = kWave);

  // Before the first batch: so many of an exploration's executions were had in an earlier launch,
  // in whole batches; what they yielded, and whether it gets no further one.
  void restore(size_t exploration, uint64_t executions, Prospect prospect, bool given_up);

  // Had by the exploration so far.
  uint64_t batches(size_t exploration) const;

  // Nothing: all that is left is in someone's hands, or nothing is left at all (exhausted).
  std::optional<Batch> next();
  void finished(const Batch& batch, Prospect prospect = {});
  // The exploration whose batch this is gets no further one.
  void given_up(const Batch& batch);

  bool exhausted() const { return ready_.empty() && handed_out_ == 0; }
  // Explorations that are to get something yet, those in someone's hands among them.
  size_t open() const { return ready_.size() + handed_out_; }
  // Executions of all batches, had and to come, as far as is known by now.
  uint64_t planned() const;

 private:
  struct Turn {
    uint64_t score = 0;
    double sameness = 0;   // -Prospect::variety
    size_t place = 0;      // within its wave
    uint64_t batches = 0;  // the newcomer goes first
    size_t index = 0;
    auto operator<=>(const Turn&) const = default;  // NOLINT(modernize-use-nullptr): false
  };
  struct One {
    uint64_t had = 0;   // executions
    uint64_t most = 0;  // it gets
    Prospect prospect;
  };

  Turn turn_of(size_t index) const;
  void close(size_t index) { explorations_[index].most = explorations_[index].had; }
  void go_on(size_t index, Prospect prospect);
  void grant();

  uint64_t executions_each_;
  Share share_;
  size_t wave_;
  std::vector<One> explorations_;
  std::set<Turn> ready_;
  std::set<size_t> hungry_;  // fertile ones that have had all of theirs
  int64_t handed_over_ = 0;  // executions of saturated ones, less those granted to others
  size_t handed_out_ = 0;
};

}  // namespace esox
