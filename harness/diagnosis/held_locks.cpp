// SPDX-License-Identifier: Apache-2.0
// See held_locks.h.
#include "harness/diagnosis/held_locks.h"

#include <algorithm>

namespace esox {
namespace {

bool acquires(OpKind kind) {
  switch (kind) {
    case OpKind::kMutexLock:
    case OpKind::kReadLock:
    case OpKind::kWriteLock:
    case OpKind::kSpinLock:
      return true;
    default:
      return false;
  }
}

bool tries(OpKind kind) {
  return kind == OpKind::kMutexTrylock || kind == OpKind::kTryReadLock ||
         kind == OpKind::kTryWriteLock;
}

// Back from a wait on a condition variable, with its mutex (preload/scheduler/waits.cpp).
bool resumes(const TraceEvent& event) {
  return acquires(event.kind) && event.aux == 1;
}

// Asked for again: it was held by a thread outside control.
bool asks_again(const TraceEvent& event) {
  return (event.flags & kTraceExternal) != 0 && !resumes(event);
}

// One thread's lines of the trace, in their order.
class ThreadTrace {
 public:
  ThreadTrace(std::span<const TraceEvent> trace, ThreadId thread) {
    for (const TraceEvent& event : trace) {
      if (event.thread == thread) events_.push_back(event);
    }
  }

  LocksAround around(uint64_t point) {
    size_t i = 0;
    for (; i < events_.size() && is_past(i, point); ++i) carry_out(i);
    for (; i < events_.size() && !result_.next_acquire; ++i) {
      if (acquires(events_[i].kind) || tries(events_[i].kind)) result_.next_acquire = events_[i];
    }
    return std::move(result_);
  }

 private:
  bool is_past(size_t i, uint64_t point) const {
    const TraceEvent& event = events_[i];
    return event.point < point ||
           (event.point == point && (is_release(event.kind) || resumes(event)));
  }

  void carry_out(size_t i) {
    const TraceEvent& event = events_[i];
    if (is_release(event.kind)) {
      result_.last_release = event;
      drop(event.object);
    } else if (event.kind == OpKind::kCondWait) {
      if (i + 1 < events_.size() && resumes(events_[i + 1])) drop(events_[i + 1].object);
    } else if (acquires(event.kind)) {
      if (!asks_again(event)) result_.held.push_back({event.kind, event.object, event.site});
    } else if (tries(event.kind) && released_later(i)) {
      result_.held.push_back({event.kind, event.object, event.site});
    }
  }

  // The one taken last: a recursive mutex is taken several times.
  void drop(uint64_t object) {
    const auto last = std::find_if(result_.held.rbegin(), result_.held.rend(),
                                   [&](const HeldLock& lock) { return lock.object == object; });
    if (last != result_.held.rend()) result_.held.erase(std::next(last).base());
  }

  bool released_later(size_t i) const {
    for (size_t later = i + 1; later < events_.size(); ++later) {
      if (events_[later].object != events_[i].object) continue;
      return is_release(events_[later].kind);
    }
    return false;
  }

  std::vector<TraceEvent> events_;
  LocksAround result_;
};

}  // namespace

LocksAround locks_around(std::span<const TraceEvent> trace, ThreadId thread, uint64_t point) {
  return ThreadTrace(trace, thread).around(point);
}

}  // namespace esox
