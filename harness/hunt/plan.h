// SPDX-License-Identifier: Apache-2.0
// Which exploration gets the next batch of executions.
//
// A hunt rarely has the time to execute everything, so it widens and deepens step by step: the
// first kWave explorations get one batch each, then their second batches alternate with the first
// batches of the next kWave, and so on. What the user named first is thus looked at first and
// deepest, and yet nobody waits for ever: the score of an exploration is the batches it had plus
// its index / kWave, the lowest score goes next.
//
// Pure: no threads, no clock, no randomness. One exploration is never handed out twice at a time.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <vector>

namespace esox {

inline constexpr uint64_t kBatchExecutions = 25;
inline constexpr size_t kWave = 40;

struct Batch {
  size_t exploration = 0;  // index
  uint64_t first = 1;      // number of its first execution, from 1
  uint64_t count = 0;
};

class Plan {
 public:
  Plan(size_t explorations, uint64_t executions_each);

  // Before the first batch: so many of an exploration's were had in an earlier sitting, and whether
  // it gets no further one. Gives the executions that are left out for that.
  uint64_t restore(size_t exploration, uint64_t batches, bool given_up);
  uint64_t batches(size_t exploration) const { return batches_[exploration]; }

  // Nothing: all that is left is in someone's hands, or nothing is left at all (exhausted).
  std::optional<Batch> next();
  void finished(const Batch& batch);
  // The exploration whose batch this is gets no further one; gives the executions thus left out.
  uint64_t given_up(const Batch& batch);

  bool exhausted() const { return ready_.empty() && handed_out_ == 0; }

 private:
  struct Turn {
    uint64_t score = 0;
    size_t place = 0;      // within its wave
    uint64_t batches = 0;  // the newcomer goes first
    size_t index = 0;
    auto operator<=>(const Turn&) const = default;  // NOLINT(modernize-use-nullptr): false
  };
  Turn turn_of(size_t index) const;

  uint64_t executions_each_;
  std::vector<uint64_t> batches_;  // had so far, by exploration
  std::set<Turn> ready_;
  size_t handed_out_ = 0;
};

}  // namespace esox
