// SPDX-License-Identifier: Apache-2.0
// What the scheduler knows of each controlled thread.
//
// The part that the harness shows to people (state, pending operation) lives in the control block's
// ThreadSlot; the rest lives here, in the server's process. Everything is guarded by the
// scheduler's lock, except fields marked "own": only their thread touches them.
#pragma once

#include <poll.h>

#include <cstdint>

#include "preload/protocol/control_block.h"
#include "preload/scheduler/outside_waiters.h"

namespace esox {

inline constexpr int64_t kNoDeadline = INT64_MAX;

struct ControlledThread {
  ThreadId id = kNoThread;
  ThreadSlot* slot = nullptr;
  int fd = -1;                    // own, but where another thread closes it: its connection
  bool replied = false;           // own: something was sent since the request began
  bool between_requests = false;  // own: ended one request, has not received the next
  bool hung_up = false;           // the same: that is closed, and it has still things to do
  uint32_t request = 0;           // own: index of the current request
  bool reentrant = false;         // pending lock may be taken again by its owner
  bool refused = false;     // pending lock on a file: its holder has not let go since it was tried
  bool shares = false;      // the same: wanted shared
  bool timed_lock = false;  // pending lock gives up at `deadline_ns`
  int64_t deadline_ns = kNoDeadline;  // virtual time at which the wait ends
  int64_t passed_ns = 0;   // a client's: time for contexts alone, since it last read a clock
  bool timed_out = false;  // set when the wait ended by the clock
  OpKind chosen_end = OpKind::kNone;  // the data choice by which the wait ends
  bool woken = false;                 // set when the wait ended by a wake-up
  bool woken_outside = false;         // woken by a thread outside control; delivered at quiescence
  uint64_t wait_moment = 0;           // when it began, for those outside (outside_waiters.h)
  OpKind wait_kind = OpKind::kNone;   // the virtual wait it is in ...
  uint64_t wait_object = 0;
  uint64_t wait_site = 0;
  OpKind resume_kind = OpKind::kNone;  // ... and the operation it resumes with when woken
  uint64_t resume_object = 0;
  uint32_t bitset = ~0u;  // futex wait
  bool polls = false;     // pending readiness wait: enabled iff poll(.., 0) > 0
  pollfd* poll_fds = nullptr;
  uint32_t poll_count = 0;
  bool poll_interrupted = false;  // it ends by a signal
  ThreadId join_target = kNoThread;
  bool returned = false;          // back from outside control, not yet noticed (kAway until then)
  bool came_back = false;         // noticed, not yet chosen
  uint64_t serial = 0;            // order of entering the current wait
  uint64_t native_handle = 0;     // pthread_t, to find the target of a join
  WaitingPlace* place = nullptr;  // where it sleeps outside control; null: it does not
  int ending_rounds = 0;          // own: rounds of thread-local destructors that have begun

  bool alive() const {
    return slot != nullptr && slot->state != ThreadState::kFree &&
           slot->state != ThreadState::kFinished;
  }
};

}  // namespace esox
