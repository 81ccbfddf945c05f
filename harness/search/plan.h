// SPDX-License-Identifier: Apache-2.0
// Which exploration gets the next batch of executions.
//
// A hunt rarely has the time to execute everything, so it widens and deepens step by step: the
// first wave of explorations (kWave, if nobody says otherwise) get one batch each, then their
// second batches alternate with the first batches of the next wave, and so on. What the user named
// first is thus looked at first and deepest, and yet nobody waits for ever: the score of an
// exploration is the batches it had plus its index / wave, the lowest score goes next.
//
// A worker that turns to another exploration has to set its server up first, which takes as long as
// a batch of 25 executions. So only the first batch, a glance, is that short, and they grow.
//
// Where time is what is given (--budget), it goes where there is more to be had (yield.h): an
// exploration that is saturated gets no further batch, and the executions it would have had go, a
// batch at a time, to fertile ones that have had all of theirs; fertile ones also come sooner,
// every other batch of theirs counting nothing. Where executions are given, each exploration gets
// exactly its own.
//
// Pure: no threads, no clock, no randomness. One exploration is never handed out twice at a time.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "harness/search/yield.h"

namespace esox {

// An exploration's first batch, where its second one ends, and how many each later one has.
inline constexpr uint64_t kFirstBatchExecutions = 25;
inline constexpr uint64_t kSecondBatchEnd = 100;
inline constexpr uint64_t kBatchExecutions = 200;
inline constexpr size_t kWave = 40;

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

  // Before the first batch: so many of an exploration's were had in an earlier launch, what they
  // yielded, and whether it gets no further one.
  void restore(size_t exploration, uint64_t batches, Yield yield, bool given_up);
  uint64_t batches(size_t exploration) const { return explorations_[exploration].batches; }

  // Nothing: all that is left is in someone's hands, or nothing is left at all (exhausted).
  std::optional<Batch> next();
  void finished(const Batch& batch, Yield yield = Yield::kSome);
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
    size_t place = 0;      // within its wave
    uint64_t batches = 0;  // the newcomer goes first
    size_t index = 0;
    auto operator<=>(const Turn&) const = default;  // NOLINT(modernize-use-nullptr): false
  };
  struct One {
    uint64_t batches = 0;  // had so far
    uint64_t most = 0;     // executions it gets
    Yield yield = Yield::kSome;
  };

  Turn turn_of(size_t index) const;
  uint64_t had(size_t index) const;  // executions
  void close(size_t index);
  void go_on(size_t index, Yield yield);
  void grant();

  uint64_t executions_each_;
  uint64_t own_batches_;  // of one exploration, before any is granted
  Share share_;
  size_t wave_;
  std::vector<One> explorations_;
  std::set<Turn> ready_;
  std::set<size_t> hungry_;  // fertile ones that have had all of theirs
  int64_t handed_over_ = 0;  // executions of saturated ones, less those granted to others
  size_t handed_out_ = 0;
};

}  // namespace esox
