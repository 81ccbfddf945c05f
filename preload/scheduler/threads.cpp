// SPDX-License-Identifier: Apache-2.0
// How threads come under control, leave it for a while, and end.
#include "preload/scheduler/scheduler.h"

namespace esox {

ControlledThread* Scheduler::reserve_thread() {
  lock_.acquire();
  ControlledThread* result = nullptr;
  if (running() && thread_count_ < kMaxSlots) {
    const auto id = static_cast<ThreadId>(thread_count_++);
    ControlledThread& t = threads_[id];
    t = ControlledThread{};
    t.id = id;
    t.slot = &block().slots[id];
    t.slot->tid = 0;
    t.slot->go.store(0);
    t.slot->points = 0;
    t.slot->pending_kind = OpKind::kThreadStart;
    t.slot->pending_object = id;
    t.slot->pending_site = 0;
    // Not yet to be chosen: creating it may pass scheduling points (an allocator that locks).
    t.slot->state = ThreadState::kAway;
    block().threads = thread_count_;
    result = &t;
  } else if (running()) {
    mark_degraded(kDegradedTableFull);
  }
  lock_.release();
  return result;
}

void Scheduler::publish_thread(ControlledThread* thread, uint64_t native_handle) {
  lock_.acquire();
  thread->native_handle = native_handle;
  thread->slot->state = ThreadState::kReady;
  lock_.release();
}

void Scheduler::cancel_thread(ControlledThread* thread) {
  lock_.acquire();
  thread->slot->state = ThreadState::kFinished;
  lock_.release();
}

void Scheduler::start_thread(ControlledThread* thread) {
  thread->slot->tid = raw::thread_id();
  t_self = thread;
  wait_for_baton(*thread);
}

void Scheduler::finish(ControlledThread& t) {
  lock_.acquire();
  t_self = nullptr;
  if (!running()) {
    lock_.release();
    return;
  }
  ControlBlock& b = block();
  Decision decision = begin_decision(t, OpKind::kThreadExit, t.request, 0, 0);
  t.slot->state = ThreadState::kFinished;
  // It may still hold locks (a server closes a connection under one); from here on they are held by
  // a thread outside control.
  locks_.forget(t.id);
  if (!anyone_left()) {
    if (b.mode == ControlMode::kClients) end_execution(ControlEnding::kFinished);
    lock_.release();
    return;
  }
  const ThreadId next = pick(decision, true);
  if (next != kNoThread) hand_over(next);
  lock_.release();
}

void Scheduler::leave(ControlledThread& t, OpKind kind, uint64_t site) {
  lock_.acquire();
  if (!running()) {
    lock_.release();
    return;
  }
  Decision decision = begin_decision(t, kind, 0, site, 0);
  t.slot->state = ThreadState::kAway;
  while (true) {
    const ThreadId next = pick(decision, false);
    if (next != kNoThread) {
      hand_over(next);
      break;
    }
    if (deliver_outside_wakes() || retry_outside_locks()) continue;
    if (!running() || !fire_earliest_deadline()) {
      idle_ = true;
      break;
    }
  }
  lock_.release();
}

bool Scheduler::rejoin(ControlledThread& t) {
  lock_.acquire();
  if (!running()) {
    lock_.release();
    return go_native() != Proceed::kNative;
  }
  t.slot->state = ThreadState::kReady;
  if (idle_) {
    idle_ = false;
    current_ = t.id;
    Decision decision = begin_decision(t, t.slot->pending_kind, 0, t.slot->pending_site, 0);
    return decide(t, decision) != Proceed::kNative;
  }
  outside_events_.fetch_add(1);
  lock_.release();
  raw::futex_wake(&outside_events_, 1);
  return wait_for_baton(t) != Proceed::kNative;
}

ControlledThread* Scheduler::find_thread(uint64_t native_handle) {
  // The latest first: the C library reuses handles of joined threads.
  for (uint32_t i = thread_count_; i-- > 0;) {
    if (threads_[i].slot != nullptr && threads_[i].native_handle == native_handle) {
      return &threads_[i];
    }
  }
  return nullptr;
}

}  // namespace esox
