// SPDX-License-Identifier: Apache-2.0
// POS, partial order sampling: Yuan, Yang, Gu (CAV 2018, there "BasicPOS"), as stated in Yuan's PhD
// thesis (2020, section 3.3, algorithm 1). And POS*, which draws again where events race (sections
// 3.4 and 3.5, algorithm 4; in the CAV paper it is called "POS").
//
//   Every event gets a random priority when it becomes pending; the enabled thread whose pending
//   event has the highest priority runs. POS*: before it is executed, every enabled pending event
//   that conflicts with it (conflict.h) gets a new priority too.
//
// Guarantee of POS. A bug that needs c events in a certain order, of which d must come after
// others, is hit with probability at least (c-d)!/c!, whatever else the execution does (theorem
// 3.1). To come in between two events that are k events apart in their thread costs 1/(k+2), where
// PCT pays for every event of the execution. There is nothing to tell it: no depth, no length.
//
// Guarantee of POS*. A partial order s* of n threads is sampled with probability at least
// (1/n)^|s*| r^u, r >= 1, u >= 0 growing with what does not conflict (corollary 3.7): never less
// than the random walk's bound.
//
// What to know:
// - A long chain of alternating events on one object needs priorities that fall all along: 1/k!,
//   where the random walk has 1/2^k. With POS* each of several racing events has a fresh chance
//   after each step of the race, and such a chain costs no more than under the random walk.
// - With two threads POS is a record process: an event of low priority waits until the other thread
//   draws a lower one, so that switches (about the logarithm of the length) come mostly early.
// - Where conflicts are told too coarsely, POS* comes near the random walk; Yuan's message-passing
//   systems lost a quarter of POS's hits by it (section 4.5.2).
#pragma once

#include <array>
#include <string_view>

#include "preload/strategy/conflict.h"
#include "preload/strategy/rng.h"
#include "preload/strategy/strategy.h"

namespace esox {

template <bool kStar>
class PartialOrderSampling final : public Strategy {
 public:
  static constexpr StrategyKind kKind = kStar ? StrategyKind::kPosStar : StrategyKind::kPos;
  static constexpr std::string_view kName = kStar ? "pos*" : "pos";

  PartialOrderSampling(const StrategySpec&, const StrategyTape&) {}

  void begin(const ExecutionInfo& info) override {
    rng_ = Rng(info.seed);
    priority_.fill(kNotDrawn);
  }
  uint64_t value(uint64_t bound) override { return rng_.below(bound); }

  ThreadId choose(std::span<const Pending> enabled, ThreadId /*current*/) override {
    const Pending& chosen = highest(enabled);
    for (const Pending& pending : enabled) {
      if (&pending == &chosen || (kStar && conflict(pending, chosen))) redraw(pending.thread);
    }
    return chosen.thread;
  }

 private:
  static constexpr uint64_t kNotDrawn = 0;

  // Draws for those that have none yet, and gives the event of highest priority.
  const Pending& highest(std::span<const Pending> enabled) {
    const Pending* best = nullptr;
    uint64_t best_priority = 0;
    for (const Pending& pending : enabled) {
      const uint64_t priority = of(pending.thread);
      if (best != nullptr && priority <= best_priority) continue;
      best = &pending;
      best_priority = priority;
    }
    return *best;
  }

  void redraw(ThreadId thread) {
    if (thread < kMaxThreads) priority_[thread] = kNotDrawn;
  }

  // 63 random bits: two that are equal are not to be expected.
  uint64_t draw() { return kNotDrawn + 1 + (rng_.next() >> 1); }

  uint64_t of(ThreadId thread) {
    if (thread >= kMaxThreads) return kNotDrawn;  // beyond the limit: served last
    if (priority_[thread] == kNotDrawn) priority_[thread] = draw();
    return priority_[thread];
  }

  Rng rng_;
  std::array<uint64_t, kMaxThreads> priority_{};
};

using Pos = PartialOrderSampling<false>;
using PosStar = PartialOrderSampling<true>;

}  // namespace esox
