// SPDX-License-Identifier: Apache-2.0
// Prefix: the threads of the first points are given, what follows is the plainest way to the end.
// For a search that enumerates schedules (harness/search/exhaustive): one execution per branch.
//
// The tape's choices are {i, thread that runs at point i} for i = 0, 1, ...; points are calls of
// choose(). After the last one the running thread stays as long as it can, then the lowest enabled
// one runs. Choices {UINT32_MAX, thread} behind the others name threads that are *asleep* at the
// end of the prefix: what they would do next was explored already, so they are passed over until a
// conflicting operation (conflict.h) was executed. Where all enabled threads are asleep, nothing
// new can follow, and the execution just runs on.
//
// A prefix whose thread cannot run counts as one divergence; the execution is then not the one
// asked for.
#pragma once

#include <array>
#include <string_view>

#include "preload/strategy/conflict.h"
#include "preload/strategy/strategy.h"
#include "preload/strategy/thread_set.h"

namespace esox {

class Prefix final : public Strategy {
 public:
  static constexpr StrategyKind kKind = StrategyKind::kPrefix;
  static constexpr std::string_view kName = "prefix";
  static constexpr uint32_t kAsleep = UINT32_MAX;  // as the point of a choice

  // The tape's choices and values must stay in place until end().
  Prefix(const StrategySpec&, const StrategyTape& tape) : tape_(tape) {}

  void begin(const ExecutionInfo&) override {
    point_ = 0;
    next_value_ = 0;
    passed_over_.clear();
    diverged_ = 0;
    asleep_.fill(false);
    length_ = 0;
    while (length_ < tape_.choice_count && tape_.choices[length_].point != kAsleep) ++length_;
    for (uint32_t i = length_; i < tape_.choice_count; ++i) {
      if (tape_.choices[i].thread < kMaxThreads) asleep_[tape_.choices[i].thread] = true;
    }
  }

  ThreadId choose(std::span<const Pending> enabled, ThreadId current) override {
    const uint32_t point = point_++;
    if (point < length_) {
      const ThreadId wanted = tape_.choices[point].thread;
      if (find_enabled(enabled, wanted) != nullptr) {
        passed_over_.clear();  // what that led to is in the beginning
        return wanted;
      }
      ++diverged_;
    }
    const Pending& chosen = plainest(enabled, current);
    passed_over_.clear();
    if (point >= length_) wake_dependent(enabled, chosen);
    return chosen.thread;
  }

  // The tape's values in their order; 0 where they are used up or too large.
  uint64_t value(uint64_t bound) override { return tape_.value(next_value_, bound).value_or(0); }
  void pass_over(ThreadId thread) override { passed_over_.add(thread); }

  bool sees_every_point() const override { return true; }
  bool follows_record() const override { return point_ < length_; }
  uint32_t diverged() const override { return diverged_; }

 private:
  bool asleep(ThreadId thread) const { return thread < kMaxThreads && asleep_[thread]; }

  // Best is the running thread, then the lowest; those asleep or passed over only if there is no
  // other.
  const Pending& plainest(std::span<const Pending> enabled, ThreadId current) const {
    const Pending* best = nullptr;
    for (const Pending& pending : enabled) {
      if (passed_over_.has(pending.thread) || asleep(pending.thread)) continue;
      if (best == nullptr || pending.thread == current) best = &pending;
    }
    if (best != nullptr) return *best;
    for (const Pending& pending : enabled) {
      if (!passed_over_.has(pending.thread)) return pending;
    }
    return enabled.front();
  }

  void wake_dependent(std::span<const Pending> enabled, const Pending& executed) {
    for (const Pending& pending : enabled) {
      if (pending.thread >= kMaxThreads) continue;
      // Both could run: what is dependent without a conflict has no order that tells.
      const bool exits = pending.kind == OpKind::kProcessExit;  // would leave the rest undone
      if (pending.thread == executed.thread || exits || conflict(pending, executed)) {
        asleep_[pending.thread] = false;
      }
    }
  }

  StrategyTape tape_;
  uint32_t length_ = 0;  // of the prefix
  uint32_t point_ = 0;
  uint32_t next_value_ = 0;
  ThreadSet passed_over_;  // at the next choice
  uint32_t diverged_ = 0;
  std::array<bool, kMaxThreads> asleep_{};
};

}  // namespace esox
