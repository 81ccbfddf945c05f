// SPDX-License-Identifier: Apache-2.0
// See replay.h.
#include "preload/strategy/replay.h"

#include "preload/strategy/enabled.h"

namespace esox {

Replay::Replay(const StrategySpec&, const StrategyTape& tape) : tape_(tape) {}

void Replay::begin(const ExecutionInfo&) {
  point_ = 0;
  next_choice_ = 0;
  next_value_ = 0;
  diverged_ = 0;
}

ThreadId Replay::choose(std::span<const Pending> enabled, ThreadId current) {
  const ThreadId wanted = foreseen(current);
  const uint32_t ahead = first_record_ahead();
  diverged_ += ahead - next_choice_;  // records whose point has passed
  next_choice_ = ahead;
  if (ahead < tape_.choice_count && tape_.choices[ahead].point == point_) ++next_choice_;
  ++point_;
  return follow_or_lowest(enabled, wanted);
}

ThreadId Replay::foreseen(ThreadId current) const {
  const uint32_t ahead = first_record_ahead();
  const bool recorded = ahead < tape_.choice_count && tape_.choices[ahead].point == point_;
  return recorded ? tape_.choices[ahead].thread : current;
}

uint32_t Replay::first_record_ahead() const {
  uint32_t ahead = next_choice_;
  while (ahead < tape_.choice_count && tape_.choices[ahead].point < point_) ++ahead;
  return ahead;
}

ThreadId Replay::follow_or_lowest(std::span<const Pending> enabled, ThreadId wanted) {
  if (find_enabled(enabled, wanted) != nullptr) return wanted;
  ++diverged_;
  return enabled.front().thread;
}

uint64_t Replay::value(uint64_t bound) {
  const bool recorded = next_value_ < tape_.value_count;
  const uint64_t result = recorded ? tape_.values[next_value_++] : 0;
  if (recorded && result < bound) return result;
  ++diverged_;
  return 0;
}

void Replay::demote(ThreadId) {}

void Replay::end(const ExecutionStats&) {
  diverged_ += tape_.choice_count - next_choice_;
  next_choice_ = tape_.choice_count;
}

}  // namespace esox
