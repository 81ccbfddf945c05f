// SPDX-License-Identifier: Apache-2.0
// See pos_star.h.
#include "preload/strategy/pos_star.h"

#include "preload/strategy/conflict.h"

namespace esox {

PosStar::PosStar(const StrategySpec&, const StrategyTape&) {}

void PosStar::begin(const ExecutionInfo& info) {
  priorities_.begin(info.seed);
}

ThreadId PosStar::choose(std::span<const Pending> enabled, ThreadId /*current*/) {
  const Pending& chosen = priorities_.highest(enabled);
  for (const Pending& pending : enabled) {
    if (&pending == &chosen || conflict(pending, chosen)) priorities_.redraw(pending.thread);
  }
  return chosen.thread;
}

uint64_t PosStar::value(uint64_t bound) {
  return priorities_.rng().below(bound);
}

void PosStar::demote(ThreadId thread) {
  priorities_.demote(thread);
}

}  // namespace esox
