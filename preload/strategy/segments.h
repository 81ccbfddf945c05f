// SPDX-License-Identifier: Apache-2.0
// Segments: a schedule told by thread and the thread's own points, so that parts of it can be taken
// away or moved without the rest changing its meaning.
//
// The tape's choices are segments here: {point u, thread t} says that t runs until it has passed u
// points of its own (calls of choose() while it was the running thread). So the thread stands
// before its u-th operation when the next segment begins; with u = 2^32-1 it runs to its end. A
// replay (replay.h) counts the points of all threads instead, and after a change every later number
// would mean another operation.
//
// A variant of a schedule may ask for what cannot be. A segment whose thread cannot run, or is
// to be passed over for repeating itself, is over and counts as one divergence; after the last one,
// the running thread stays as long as it can, then the lowest enabled one. What was really executed
// is in the record as always, and can be replayed to the letter.
#pragma once

#include <array>
#include <string_view>

#include "preload/strategy/strategy.h"
#include "preload/strategy/thread_set.h"

namespace esox {

class Segments final : public Strategy {
 public:
  static constexpr StrategyKind kKind = StrategyKind::kSegments;
  static constexpr std::string_view kName = "segments";

  // The tape's choices and values must stay in place until end().
  Segments(const StrategySpec&, const StrategyTape& tape) : tape_(tape) {}

  void begin(const ExecutionInfo&) override {
    points_.fill(0);
    segment_ = 0;
    next_value_ = 0;
    passed_over_.clear();
    diverged_ = 0;
  }

  ThreadId choose(std::span<const Pending> enabled, ThreadId current) override {
    if (current < kMaxThreads) ++points_[current];
    for (; segment_ < tape_.choice_count; ++segment_) {
      const Choice& segment = tape_.choices[segment_];
      if (complete(segment)) continue;
      if (!passed_over_.has(segment.thread) && find_enabled(enabled, segment.thread) != nullptr) {
        passed_over_.clear();
        return segment.thread;
      }
      if (segment.point != UINT32_MAX) ++diverged_;  // "to the end" ends where the thread does
    }
    const ThreadId chosen = beyond_the_last(enabled, current);
    passed_over_.clear();
    return chosen;
  }

  // The tape's values in their order; 0 where they are used up or too large.
  uint64_t value(uint64_t bound) override {
    const std::optional<uint64_t> recorded = tape_.value(next_value_, bound);
    if (!recorded) ++diverged_;
    return recorded.value_or(0);
  }

  void pass_over(ThreadId thread) override { passed_over_.add(thread); }

  bool sees_every_point() const override { return true; }
  bool follows_record() const override { return segment_ < tape_.choice_count; }
  ThreadId foreseen(ThreadId current) const override {
    for (uint32_t i = segment_; i < tape_.choice_count; ++i) {
      const Choice& segment = tape_.choices[i];
      // The next choose() is going to count one more point of the running thread.
      const bool about_to_end =
          segment.thread == current && !complete(segment) && points_[current] + 1 >= segment.point;
      if (!complete(segment) && !about_to_end) return segment.thread;
    }
    return current;
  }

  uint32_t diverged() const override { return diverged_; }

 private:
  bool complete(const Choice& segment) const {
    return segment.thread >= kMaxThreads || points_[segment.thread] >= segment.point;
  }

  ThreadId beyond_the_last(std::span<const Pending> enabled, ThreadId current) const {
    if (!passed_over_.has(current) && find_enabled(enabled, current) != nullptr) return current;
    for (const Pending& pending : enabled) {
      if (!passed_over_.has(pending.thread)) return pending.thread;
    }
    return enabled.front().thread;
  }

  StrategyTape tape_;
  std::array<uint32_t, kMaxThreads> points_{};  // passed, by thread
  uint32_t segment_ = 0;                        // the one that is being followed
  uint32_t next_value_ = 0;
  ThreadSet passed_over_;  // at the next choice
  uint32_t diverged_ = 0;
};

}  // namespace esox
