// SPDX-License-Identifier: Apache-2.0
// What POS and POS* have in common: they choose by the priorities of pending events, and know
// nothing else. demote() (anti-starvation) puts the thread's pending event below all others; the
// thread's next event is drawn as always.
#pragma once

#include <array>

#include "preload/strategy/event_priorities.h"
#include "preload/strategy/parameter.h"

namespace esox {

class EventStrategy : public Strategy {
 public:
  static constexpr std::array<Parameter, 0> kParameters{};

  EventStrategy(const StrategySpec&, const StrategyTape&) {}

  void begin(const ExecutionInfo& info) final { priorities_.begin(info.seed); }
  uint64_t value(uint64_t bound) final { return priorities_.rng().below(bound); }
  void demote(ThreadId thread) final { priorities_.demote(thread); }
  void end(const ExecutionStats&) final {}

 protected:
  ~EventStrategy() = default;

  EventPriorities priorities_;
};

}  // namespace esox
