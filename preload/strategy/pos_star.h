// SPDX-License-Identifier: Apache-2.0
// POS*: POS that draws again where events race. Yuan (PhD thesis 2020, sections 3.4 and 3.5,
// algorithm 4; in the CAV 2018 paper it is called "POS").
//
//   As POS (pos.h); and before the chosen event is executed, every enabled pending event that
//   conflicts with it (conflict.h) gets a new priority too.
//
// So each of several racing events has a fresh chance after each step of the race, and a long chain
// of alternating events on one object costs no more than under the random walk.
//
// Guarantee. A partial order s* of n threads is sampled with probability at least
// (1/n)^|s*| r^u, r >= 1, u >= 0 growing with what does not conflict (corollary 3.7): never less
// than the random walk's bound.
//
// What to know: where conflicts are told too coarsely, POS* comes near the random walk;
// Yuan's message-passing systems lost a quarter of POS's hits by it (section 4.5.2).
#pragma once

#include <string_view>

#include "preload/strategy/conflict.h"
#include "preload/strategy/event_strategy.h"

namespace esox {

class PosStar final : public EventStrategy {
 public:
  static constexpr StrategyKind kKind = StrategyKind::kPosStar;
  static constexpr std::string_view kName = "pos*";

  using EventStrategy::EventStrategy;

  ThreadId choose(std::span<const Pending> enabled, ThreadId /*current*/) override {
    const Pending& chosen = highest(enabled);
    for (const Pending& pending : enabled) {
      if (&pending == &chosen || conflict(pending, chosen)) redraw(pending.thread);
    }
    return chosen.thread;
  }
};

}  // namespace esox
