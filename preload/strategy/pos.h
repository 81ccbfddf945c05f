// SPDX-License-Identifier: Apache-2.0
// POS, partial order sampling: Yuan, Yang, Gu (CAV 2018, there "BasicPOS"), as stated in Yuan's PhD
// thesis (2020, section 3.3, algorithm 1).
//
//   Every event gets a random priority when it becomes pending; the enabled thread whose pending
//   event has the highest priority runs.
//
// Guarantee. A bug that needs c events in a certain order, of which d must come after others, is
// hit with probability at least (c-d)!/c!, whatever else the execution does (theorem 3.1). To come
// in between two events that are k events apart in their thread costs 1/(k+2), where PCT pays for
// every event of the execution. There is nothing to tell it: no depth, no length.
//
// What to know:
// - A long chain of alternating events on one object needs priorities that fall all along: 1/k!,
//   where the random walk has 1/2^k. POS* (pos_star.h) mends that.
// - With two threads it is a record process: an event of low priority waits until the other thread
//   draws a lower one, so that switches (about the logarithm of the length) come mostly early.
#pragma once

#include <string_view>

#include "preload/strategy/event_strategy.h"

namespace esox {

class Pos final : public EventStrategy {
 public:
  static constexpr StrategyKind kKind = StrategyKind::kPos;
  static constexpr std::string_view kName = "pos";

  using EventStrategy::EventStrategy;

  ThreadId choose(std::span<const Pending> enabled, ThreadId /*current*/) override {
    const ThreadId chosen = highest(enabled).thread;
    redraw(chosen);
    return chosen;
  }
};

}  // namespace esox
