// SPDX-License-Identifier: Apache-2.0
// See pos.h.
#include "preload/strategy/pos.h"

namespace esox {

Pos::Pos(const StrategySpec&, const StrategyTape&) {}

void Pos::begin(const ExecutionInfo& info) {
  priorities_.begin(info.seed);
}

ThreadId Pos::choose(std::span<const Pending> enabled, ThreadId /*current*/) {
  const ThreadId chosen = priorities_.highest(enabled).thread;
  priorities_.redraw(chosen);
  return chosen;
}

uint64_t Pos::value(uint64_t bound) {
  return priorities_.rng().below(bound);
}

void Pos::demote(ThreadId thread) {
  priorities_.demote(thread);
}

}  // namespace esox
