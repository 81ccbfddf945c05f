// SPDX-License-Identifier: Apache-2.0
// PCT, probabilistic concurrency testing: Burckhardt, Kothari, Musuvathi, Nagarakatte (ASPLOS
// 2010), as stated by Yuan (PhD thesis 2020, section 2.2.2).
//
//   begin:  every thread gets a distinct random priority; d-1 change points k_1 .. k_(d-1) are
//   drawn
//           uniformly and independently from 1..k.
//   choose: the enabled thread of highest priority runs. If this was choice number k_i (counted
//           from 1), that thread's priority then becomes -i, below all initial ones. Two change
//           points on one step leave the lower priority.
//
// Guarantee. With n threads and at most k steps, a bug of depth d (d ordering constraints suffice
// to cause it) is hit with probability at least 1 / (n k^(d-1)), however many schedules there are.
// PCT with d = 1 never preempts: it switches only when the running thread blocks or ends.
//
// Deviations, and what to know:
// - A step is a call of choose(), that is a point that was offered. k is
//   ExecutionInfo.expected_points, measured by the same count; a k that is too large wastes change
//   points behind the end, one that is too small leaves the end without any.
// - A priority changes *after* a step, so the first event of a thread cannot be delayed once its
//   thread has the highest priority. In the server each session's first point is kRequestBegin,
//   which serves as the dummy first event that Yuan adds (section 3.6.1).
// - All kMaxThreads thread ids have their priority from the start: a thread that appears later, or
//   beyond ExecutionInfo.threads, stands at a random place among the initial priorities, as the
//   original algorithm does with new threads.
#pragma once

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "preload/strategy/parameter.h"
#include "preload/strategy/rng.h"
#include "preload/strategy/strategy.h"

namespace esox {

class Pct final : public Strategy {
 public:
  static constexpr StrategyKind kKind = StrategyKind::kPct;
  static constexpr std::string_view kName = "pct";
  static constexpr uint32_t kMaxDepth = 32;
  static constexpr std::array kParameters = {
      Parameter{.key = "d", .whole = &StrategySpec::depth, .least = 1, .most = kMaxDepth}};

  // k where the length of executions is not known: the order of magnitude of two single requests to
  // a database server (100 to 650 points).
  static constexpr uint64_t kUnknownPoints = 300;

  // A depth outside 1..kMaxDepth counts as the nearest one inside.
  Pct(const StrategySpec& spec, const StrategyTape&)
      : change_count_(std::clamp<uint32_t>(spec.depth, 1, kMaxDepth) - 1) {}

  void begin(const ExecutionInfo& info) override {
    rng_ = Rng(info.seed);
    step_ = 0;
    shuffle_priorities();
    draw_change_points(info.expected_points != 0 ? info.expected_points : kUnknownPoints);
  }

  ThreadId choose(std::span<const Pending> enabled, ThreadId /*current*/) override {
    ++step_;
    ThreadId best = enabled.front().thread;
    for (const Pending& pending : enabled) {
      if (priority_of(pending.thread) > priority_of(best)) best = pending.thread;
    }
    apply_change_points(best);
    return best;
  }

  uint64_t value(uint64_t bound) override { return rng_.below(bound); }

 private:
  // Initial: 1 .. kMaxThreads. After change point i: -i.
  using Priority = int64_t;

  // Fisher-Yates. A uniform permutation of all ids is one of every subset: which ids the execution
  // will use need not be known.
  void shuffle_priorities() {
    for (uint32_t i = 0; i < kMaxThreads; ++i) priority_[i] = i + 1;
    for (uint32_t i = kMaxThreads - 1; i > 0; --i) {
      std::swap(priority_[i], priority_[rng_.below(i + 1)]);
    }
  }

  void draw_change_points(uint64_t points) {
    for (uint32_t i = 0; i < change_count_; ++i) change_points_[i] = 1 + rng_.below(points);
  }
  Priority priority_of(ThreadId thread) const {
    return thread < kMaxThreads ? priority_[thread] : std::numeric_limits<Priority>::min();
  }
  void apply_change_points(ThreadId running) {
    if (running >= kMaxThreads) return;
    for (uint32_t i = 0; i < change_count_; ++i) {
      if (change_points_[i] == step_) priority_[running] = -static_cast<Priority>(i + 1);
    }
  }

  uint32_t change_count_;
  Rng rng_;
  uint64_t step_ = 0;
  std::array<Priority, kMaxThreads> priority_{};
  std::array<uint64_t, kMaxDepth - 1> change_points_{};
};

}  // namespace esox
