// SPDX-License-Identifier: Apache-2.0
#include "analysis/held_locks.h"

#include <algorithm>

namespace esox {
namespace {

bool acquires(OpKind kind) {
  switch (kind) {
    case OpKind::kMutexLock:
    case OpKind::kReadLock:
    case OpKind::kWriteLock:
    case OpKind::kSpinLock:
    case OpKind::kLatchShare:
    case OpKind::kLatchTake:
      return true;
    default:
      return false;
  }
}

bool tries(OpKind kind) {
  return kind == OpKind::kMutexTrylock || kind == OpKind::kTryReadLock ||
         kind == OpKind::kTryWriteLock;
}

}  // namespace

// preload/scheduler/waits.cpp writes that line.
bool resumes_with_lock(const TraceEvent& event) {
  return acquires(event.kind) && event.aux == 1;
}

bool asks_for_lock(const TraceEvent& event) {
  return acquires(event.kind) && event.aux != 1 && (event.flags & kTraceExternal) == 0;
}

LockWalk::LockWalk(std::span<const TraceEvent> trace, ThreadId thread) {
  for (const TraceEvent& event : trace) {
    if (event.thread == thread) events_.push_back(event);
  }
}

void LockWalk::pass() {
  const TraceEvent& event = events_[next_];
  if (is_release(event.kind)) {
    drop(event.object);
  } else if (event.kind == OpKind::kCondWait) {
    const bool comes_back = next_ + 1 < events_.size() && resumes_with_lock(events_[next_ + 1]);
    if (comes_back) drop(events_[next_ + 1].object);
  } else if (asks_for_lock(event) || resumes_with_lock(event) ||
             (tries(event.kind) && released_later())) {
    held_.push_back({event.kind, event.object, event.site});
  }
  ++next_;
}

// The one taken last: a recursive mutex is taken several times.
void LockWalk::drop(uint64_t object) {
  const auto last = std::find_if(held_.rbegin(), held_.rend(),
                                 [&](const HeldLock& lock) { return lock.object == object; });
  if (last != held_.rend()) held_.erase(std::next(last).base());
}

bool LockWalk::released_later() const {
  const auto same = [&](const TraceEvent& event) { return event.object == events_[next_].object; };
  const auto later =
      std::find_if(events_.begin() + static_cast<ptrdiff_t>(next_) + 1, events_.end(), same);
  return later != events_.end() && is_release(later->kind);
}

LocksAround locks_around(std::span<const TraceEvent> trace, ThreadId thread, uint64_t point) {
  LocksAround around;
  LockWalk walk(trace, thread);
  const auto is_past = [point](const TraceEvent& event) {
    const bool done_there = is_release(event.kind) || resumes_with_lock(event);
    return event.point < point || (event.point == point && done_there);
  };
  for (; walk.ahead() != nullptr && is_past(*walk.ahead()); walk.pass()) {
    if (is_release(walk.ahead()->kind)) around.last_release = *walk.ahead();
  }
  around.held = walk.held();
  for (; walk.ahead() != nullptr && !around.next_acquire; walk.pass()) {
    const TraceEvent& event = *walk.ahead();
    if (acquires(event.kind) || tries(event.kind)) around.next_acquire = event;
  }
  return around;
}

}  // namespace esox
