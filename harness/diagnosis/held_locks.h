// SPDX-License-Identifier: Apache-2.0
// Which locks a thread held where it stood, read from the trace: acquired and not yet released.
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

struct LocksAround {
  std::vector<HeldLock> held;              // in the order of acquisition
  std::optional<TraceEvent> last_release;  // before the switch
  std::optional<TraceEvent> next_acquire;  // after it
};

// Where the thread stands before its operation at the execution's point `point`.
LocksAround locks_around(std::span<const TraceEvent> trace, ThreadId thread, uint64_t point);

}  // namespace esox
