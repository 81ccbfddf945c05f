// SPDX-License-Identifier: Apache-2.0
// See prefix.h.
#include "preload/strategy/prefix.h"

#include "preload/strategy/conflict.h"
#include "preload/strategy/enabled.h"

namespace esox {

Prefix::Prefix(const StrategySpec&, const StrategyTape& tape) : tape_(tape) {}

void Prefix::begin(const ExecutionInfo&) {
  point_ = 0;
  next_value_ = 0;
  demoted_ = kNoThread;
  diverged_ = 0;
  asleep_.fill(false);
  length_ = 0;
  while (length_ < tape_.choice_count && tape_.choices[length_].point != kAsleep) ++length_;
  for (uint32_t i = length_; i < tape_.choice_count; ++i) {
    if (tape_.choices[i].thread < kMaxThreads) asleep_[tape_.choices[i].thread] = true;
  }
}

ThreadId Prefix::choose(std::span<const Pending> enabled, ThreadId current) {
  const uint32_t point = point_++;
  if (point < length_) {
    const ThreadId wanted = tape_.choices[point].thread;
    demoted_ = kNoThread;  // what that led to is in the beginning
    if (find_enabled(enabled, wanted) != nullptr) return wanted;
    ++diverged_;
  }
  const Pending& chosen = plainest(enabled, current);
  demoted_ = kNoThread;
  if (point >= length_) wake_dependent(enabled, chosen);
  return chosen.thread;
}

// Best is the running thread, then the lowest; those asleep or demoted only if there is no other.
const Pending& Prefix::plainest(std::span<const Pending> enabled, ThreadId current) const {
  const Pending* best = nullptr;
  for (const Pending& pending : enabled) {
    if (pending.thread == demoted_ || asleep(pending.thread)) continue;
    if (best == nullptr || pending.thread == current) best = &pending;
  }
  if (best != nullptr) return *best;
  for (const Pending& pending : enabled) {
    if (pending.thread != demoted_) return pending;
  }
  return enabled.front();
}

void Prefix::wake_dependent(std::span<const Pending> enabled, const Pending& executed) {
  for (const Pending& pending : enabled) {
    if (pending.thread >= kMaxThreads) continue;
    // Both could run: what is dependent without a conflict has no order that tells.
    if (pending.thread == executed.thread || conflict(pending, executed)) {
      asleep_[pending.thread] = false;
    }
  }
}

uint64_t Prefix::value(uint64_t bound) {
  const uint64_t result = next_value_ < tape_.value_count ? tape_.values[next_value_++] : 0;
  return result < bound ? result : 0;
}

void Prefix::demote(ThreadId thread) {
  demoted_ = thread;
}

}  // namespace esox
