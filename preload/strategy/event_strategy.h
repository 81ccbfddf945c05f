// SPDX-License-Identifier: Apache-2.0
// What POS and POS* have in common: they choose by a random priority of every pending event, drawn
// when the event becomes pending, and know nothing else.
#pragma once

#include <array>

#include "preload/strategy/rng.h"
#include "preload/strategy/strategy.h"

namespace esox {

class EventStrategy : public Strategy {
 public:
  EventStrategy(const StrategySpec&, const StrategyTape&) {}

  void begin(const ExecutionInfo& info) final {
    rng_ = Rng(info.seed);
    priority_.fill(kNotDrawn);
  }
  uint64_t value(uint64_t bound) final { return rng_.below(bound); }
  void end(const ExecutionStats&) final {}

 protected:
  ~EventStrategy() = default;

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

  // The thread's event is executed, or is to have a new priority.
  void redraw(ThreadId thread) {
    if (thread < kMaxThreads) priority_[thread] = kNotDrawn;
  }

 private:
  static constexpr uint64_t kNotDrawn = 0;

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

}  // namespace esox
