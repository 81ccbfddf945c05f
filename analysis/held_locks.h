// SPDX-License-Identifier: Apache-2.0
// Which locks a thread holds where it stands, read from the trace: acquired and not yet released.
//
// An operation that lies just before a switch has not been carried out, save a release, whose point
// lies behind it. The trace does not tell whether a try to lock succeeded; it counts where the
// thread releases the lock later on. Waiting on a condition variable gives its mutex up. Locks that
// a server makes itself out of futexes do not show here, nor do those that were held before the
// first request.
//
// Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "preload/protocol/trace_event.h"

namespace esox {

struct HeldLock {
  OpKind kind = OpKind::kNone;  // of the acquisition
  uint64_t object = 0;
  uint64_t site = 0;
};

// One thread's lines of a trace, one after the other, with what it holds.
class LockWalk {
 public:
  LockWalk(std::span<const TraceEvent> trace, ThreadId thread);

  // The line that comes next; null behind the last one.
  const TraceEvent* ahead() const { return next_ < events_.size() ? &events_[next_] : nullptr; }
  // With all lines before that one carried out; in the order of acquisition.
  const std::vector<HeldLock>& held() const { return held_; }
  // Carries out the line that comes next, which there must be.
  void pass();

 private:
  void drop(uint64_t object);
  bool released_later() const;

  std::vector<TraceEvent> events_;
  std::vector<HeldLock> held_;
  size_t next_ = 0;
};

// A lock is asked for at this line, and the thread waits until it has it. Not where a thread comes
// back to a lock that one outside control held.
bool asks_for_lock(const TraceEvent& event);
// Back from a wait on a condition variable: takes its mutex again.
bool resumes_with_lock(const TraceEvent& event);

struct LocksAround {
  std::vector<HeldLock> held;              // in the order of acquisition
  std::optional<TraceEvent> last_release;  // before the switch
  std::optional<TraceEvent> next_acquire;  // after it
};

// Where the thread stands before its operation at the execution's point `point`.
LocksAround locks_around(std::span<const TraceEvent> trace, ThreadId thread, uint64_t point);

}  // namespace esox
