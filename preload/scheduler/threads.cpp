// SPDX-License-Identifier: Apache-2.0
// How threads come under control, leave it for a while, and end.
#include "preload/accesses/accesses.h"
#include "preload/scheduler/scheduler.h"

namespace esox {

// Lock held. The thread stands before, or waits in, an operation; its state is the caller's to say.
ControlledThread& Scheduler::take_slot(ThreadId id, uint32_t tid, OpKind pending, uint64_t object,
                                       uint64_t site) {
  ControlledThread& t = threads_[id];
  t = ControlledThread{};
  t.id = id;
  t.slot = &block().slots[id];
  t.slot->tid = tid;
  t.slot->go.store(0);
  t.slot->points = 0;
  t.slot->pending_kind = pending;
  t.slot->pending_object = object;
  t.slot->pending_site = site;
  t.slot->detached = 0;
  t.slot->routine = 0;
  return t;
}

ControlledThread* Scheduler::reserve_thread() {
  lock_.acquire();
  ControlledThread* result = nullptr;
  if (running() && thread_count_ < kMaxSlots) {
    const auto id = static_cast<ThreadId>(thread_count_++);
    ControlledThread& t = take_slot(id, 0, OpKind::kThreadStart, id, 0);
    // Not yet to be chosen: creating it may pass scheduling points (an allocator that locks).
    t.slot->state = ThreadState::kAway;
    fairness_.enter(id, block().points);
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
  tell_accesses_to(living());
  if (t_self != nullptr) tell_done(t_self->id, OpKind::kThreadCreate, thread->id);
  lock_.release();
}

void Scheduler::cancel_thread(ControlledThread* thread) {
  lock_.acquire();
  thread->slot->state = ThreadState::kFinished;
  lock_.release();
}

void Scheduler::start_thread(ControlledThread* thread) {
  const Inside inside;
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
  strategy_->ended(t.id);
  tell_accesses_to(living());
  // It may still hold locks (a server closes a connection under one); from here on they are held by
  // a thread outside control, or by none.
  locks_.leave_by(t.id);
  if (!anyone_left() && b.mode != ControlMode::kClients) {
    lock_.release();
    return;
  }
  const ThreadId next = pick(decision, true);
  if (next != kNoThread) hand_over(next);
  // Nobody is left to do what those do who stand when an execution ends.
  const bool stands = next == kNoThread && b.phase.load() == Phase::kEnded;
  lock_.release();
  if (stands && ends_unattended()) park_for_ever();
}

void Scheduler::exit_point(ControlledThread& t, uint64_t site) {
  lock_.acquire();
  // A search is to see what threads that nobody joined did before: they might have come too late.
  const bool tells = running() && (living() > 1 || tells_waiting_);
  lock_.release();
  if (tells) point(t, OpKind::kProcessExit, 0, site);
}

void Scheduler::leave(ControlledThread& t, OpKind kind, uint64_t site) {
  go_inside();  // until rejoin()
  lock_.acquire();
  if (!running()) {
    lock_.release();
    return;
  }
  const Decision decision = begin_decision(t, kind, 0, site, 0);
  t.slot->state = ThreadState::kAway;
  kept_wakes_.deliver();  // it may be what the call waits for
  // In a server the threads outside act meanwhile, as the workers do that CREATE INDEX joins; the
  // earliest deadline may be a year away (look_for_idleness).
  const bool passes_time = block().mode != ControlMode::kClients;
  ThreadId next = pick(decision, false);
  while (next == kNoThread && running() && !awaits_return()) {
    if (!deliver_outside_wakes() && !retry_outside_locks() &&
        !(passes_time && fire_earliest_deadline())) {
      break;
    }
    next = pick(decision, false);
  }
  if (next != kNoThread) {
    hand_over(next);
  } else {
    idle_ = true;
    if (running()) --block().points;  // nobody was chosen: the number is the next decision's
  }
  lock_.release();
}

bool Scheduler::rejoin(ControlledThread& t) {
  lock_.acquire();
  t.returned = true;
  if (idle_ && running()) resume_idle();
  outside_events_.fetch_add(1);
  lock_.release();
  raw::futex_wake(&outside_events_, 1);
  const bool controlled = wait_for_baton(t) != Proceed::kNative;
  go_outside();
  return controlled;
}

// Lock held. Nobody has the baton: whoever can run now gets it.
void Scheduler::resume_idle() {
  if (awaits_return()) return;
  const uint32_t count = collect_enabled();
  if (count == 0) return;
  const Decision decision{static_cast<uint32_t>(block().points++), nullptr};
  hand_over(choose(count, decision));
}

// Threads that came back from outside control can be chosen again; in a replay (but with `all`)
// only the one whom the record names now, since before this decision its return had not been
// noticed.
bool Scheduler::admit_returned(bool all) {
  const ThreadId foreseen = all ? kNoThread : strategy_->foreseen(current_);
  bool any = false;
  for (uint32_t i = 0; i < thread_count_; ++i) {
    ControlledThread& t = threads_[i];
    if (!t.returned || (foreseen != kNoThread && foreseen != t.id)) continue;
    t.returned = false;
    t.came_back = true;
    t.slot->state = ThreadState::kReady;
    any = true;
  }
  return any;
}

// In a replay: the thread whom the record names now is still away.
bool Scheduler::awaits_return() const {
  const ThreadId foreseen = strategy_->foreseen(current_);
  if (!follows_returns_ || foreseen >= thread_count_) return false;
  const ControlledThread& t = threads_[foreseen];
  return t.alive() && t.slot->state == ThreadState::kAway && !t.returned;
}

// Lock held (dropped while waiting). A thread that does not come back in time is no longer waited
// for: the replay then diverges.
void Scheduler::await_return() {
  ControlBlock& b = block();
  const int64_t until_ns = raw::now_ns(CLOCK_MONOTONIC) + int64_t{b.deadlock_grace_ms} * 1'000'000;
  while (running() && awaits_return()) {
    const int64_t left_ns = until_ns - raw::now_ns(CLOCK_MONOTONIC);
    follows_returns_ = left_ns > 0;
    if (!follows_returns_) return;
    const uint32_t seen = outside_events_.load();
    b.quiescent.store(1);
    lock_.release();
    raw::futex_wait(&outside_events_, seen, left_ns);
    lock_.acquire();
    b.quiescent.store(0);
  }
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
