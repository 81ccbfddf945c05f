// SPDX-License-Identifier: Apache-2.0
// See segments.h.
#include "preload/strategy/segments.h"

#include "preload/strategy/enabled.h"

namespace esox {

Segments::Segments(const StrategySpec&, const StrategyTape& tape) : tape_(tape) {}

void Segments::begin(const ExecutionInfo&) {
  points_.fill(0);
  segment_ = 0;
  next_value_ = 0;
  demoted_ = kNoThread;
  diverged_ = 0;
}

bool Segments::complete(const Choice& segment) const {
  return segment.thread >= kMaxThreads || points_[segment.thread] >= segment.point;
}

ThreadId Segments::choose(std::span<const Pending> enabled, ThreadId current) {
  if (current < kMaxThreads) ++points_[current];
  for (; segment_ < tape_.choice_count; ++segment_) {
    const Choice& segment = tape_.choices[segment_];
    if (complete(segment)) continue;
    if (segment.thread != demoted_ && find_enabled(enabled, segment.thread) != nullptr) {
      demoted_ = kNoThread;
      return segment.thread;
    }
    if (segment.point != UINT32_MAX) ++diverged_;  // "to the end" ends where the thread does
  }
  const ThreadId chosen = beyond_the_last(enabled, current);
  demoted_ = kNoThread;
  return chosen;
}

ThreadId Segments::beyond_the_last(std::span<const Pending> enabled, ThreadId current) const {
  if (current != demoted_ && find_enabled(enabled, current) != nullptr) return current;
  for (const Pending& pending : enabled) {
    if (pending.thread != demoted_) return pending.thread;
  }
  return enabled.front().thread;
}

ThreadId Segments::foreseen(ThreadId current) const {
  for (uint32_t i = segment_; i < tape_.choice_count; ++i) {
    const Choice& segment = tape_.choices[i];
    // The next choose() is going to count one more point of the running thread.
    const bool about_to_end =
        segment.thread == current && !complete(segment) && points_[current] + 1 >= segment.point;
    if (!complete(segment) && !about_to_end) return segment.thread;
  }
  return current;
}

uint64_t Segments::value(uint64_t bound) {
  const bool there = next_value_ < tape_.value_count;
  const uint64_t result = there ? tape_.values[next_value_++] : 0;
  if (there && result < bound) return result;
  ++diverged_;
  return 0;
}

void Segments::demote(ThreadId thread) {
  demoted_ = thread;
}

}  // namespace esox
