// SPDX-License-Identifier: Apache-2.0
// Virtual waits, and the wake-ups that end them.
#include <algorithm>

#include "preload/scheduler/scheduler.h"

namespace esox {

void Scheduler::begin_wait(ControlledThread& t, OpKind kind, uint64_t object, uint64_t site,
                           int64_t deadline_ns, uint32_t bitset, OpKind resume_kind,
                           uint64_t resume_object, bool resume_reentrant) {
  go_inside();  // until finish_wait()
  lock_.acquire();
  t.wait_kind = kind;
  t.wait_object = object;
  t.wait_site = site;
  t.wait_moment = std::max<uint64_t>(g_outside_waiters.moment(), 1);
  t.deadline_ns = deadline_ns;
  t.bitset = bitset;
  t.resume_kind = resume_kind;
  t.resume_object = resume_object;
  t.reentrant = resume_reentrant;
  t.woken = t.woken_outside = t.timed_out = false;
  t.serial = ++wait_serial_;
  t.slot->pending_kind = kind;
  t.slot->pending_object = object;
  t.slot->pending_site = site;
  t.slot->state = ThreadState::kWaiting;
  lock_.release();
}

bool Scheduler::begin_futex_wait(ControlledThread& t, const uint32_t* word, uint32_t expected,
                                 uint64_t site, int64_t deadline_ns, uint32_t bitset) {
  begin_wait(t, OpKind::kFutexWait, reinterpret_cast<uint64_t>(word), site, deadline_ns, bitset,
             OpKind::kFutexWait, reinterpret_cast<uint64_t>(word), false);
  // Registered first, compared second: a waker stores before it wakes, so either we see the new
  // value here or it finds us registered.
  if (__atomic_load_n(word, __ATOMIC_SEQ_CST) == expected) return true;
  lock_.acquire();
  t.slot->state = ThreadState::kReady;
  t.deadline_ns = kNoDeadline;
  t.woken_outside = false;
  lock_.release();
  go_outside();
  return false;
}

Proceed Scheduler::finish_wait(ControlledThread& t) {
  const Proceed result = end_wait(t);
  go_outside();
  return result;
}

Proceed Scheduler::end_wait(ControlledThread& t) {
  lock_.acquire();
  if (!running()) {
    lock_.release();
    return go_native();
  }
  if (choices_.active_for_waits()) choose_end_of_wait(t);
  // A decision of its own, not begin_decision(): the state may already be kReady again.
  const ThreadState state = t.slot->state;
  Decision decision = begin_decision(t, t.wait_kind, t.wait_object, t.wait_site, 0);
  t.slot->state = state;
  if (state == ThreadState::kReady) {
    t.slot->pending_kind = t.resume_kind;
    t.slot->pending_object = t.resume_object;
  }
  if (decision.event != nullptr) decision.event->flags |= kTraceBlocked;
  const Proceed result = decide(t, decision);
  if (result == Proceed::kNative) return result;
  return after_wait(t);
}

Proceed Scheduler::after_wait(ControlledThread& t) {
  lock_.acquire();
  uint8_t flags = kTraceOffered;
  if (t.timed_out) flags |= kTraceTimedOut;
  if (t.woken_outside) flags |= kTraceExternal;
  if (t.chosen_end != OpKind::kNone) flags |= kTraceUnsignalled;
  trace_.event(t.id, t.resume_kind, t.resume_object, t.wait_site, 1, flags);
  const bool timed_out = t.timed_out;
  t.timed_out = t.woken_outside = false;
  t.deadline_ns = kNoDeadline;
  tell_end_of_wait(t, t.wait_object, t.wait_site);
  lock_.release();
  return timed_out ? Proceed::kTimedOut : Proceed::kGo;
}

void Scheduler::wake_thread(ControlledThread& t, bool outside) {
  if (outside) {
    t.woken_outside = true;
    ++block().external_wakes;
    return;
  }
  t.woken = true;
  if (t.place != nullptr) {  // that it began to wait was not told
    trace_.event(t.id, t.wait_kind, t.wait_object, t.wait_site, 0, kTraceOffered | kTraceBlocked);
  }
  if (t_self != nullptr) tell_done(t_self->id, OpKind::kThreadCreate, t.id);  // lets it go on
  t.deadline_ns = kNoDeadline;
  t.slot->pending_kind = t.resume_kind;
  t.slot->pending_object = t.resume_object;
  t.slot->state = ThreadState::kReady;
}

uint32_t Scheduler::wake(uint64_t object, uint32_t most, uint32_t bitset) {
  const bool outside = t_self == nullptr;
  lock_.acquire();
  uint32_t woken = 0;
  while (running() && woken < most) {
    // The waiters in the order in which they began to wait; which one a signal wakes is a data
    // choice unless it wakes them all.
    ControlledThread* waiters[kMaxSlots];
    uint32_t count = 0;
    for (uint32_t i = 0; i < thread_count_; ++i) {
      ControlledThread& t = threads_[i];
      if (t.slot == nullptr || t.slot->state != ThreadState::kWaiting || t.wait_object != object ||
          t.woken_outside || (t.bitset & bitset) == 0) {
        continue;
      }
      uint32_t place = count++;
      for (; place > 0 && waiters[place - 1]->serial > t.serial; --place) {
        waiters[place] = waiters[place - 1];
      }
      waiters[place] = &t;
    }
    if (count == 0) break;
    const bool choice = !outside && count > most - woken;
    wake_thread(*waiters[choice ? choose_waiter(count) : 0], outside);
    ++woken;
  }
  const bool poke = outside && woken > 0;
  if (poke) outside_events_.fetch_add(1);
  // Nobody has the baton: everybody left control or waits. The waker hands it to whom it woke.
  if (poke && idle_ && deliver_outside_wakes()) resume_idle();
  lock_.release();
  if (poke) raw::futex_wake(&outside_events_, 1);
  return woken;
}

uint32_t Scheduler::keep_back(const WakeUp& wake) {
  if (block().mode != ControlMode::kClients) return 0;
  lock_.acquire();
  const uint32_t waiters = running() && !idle_ ? kept_wakes_.keep(wake) : 0;
  lock_.release();
  return waiters;
}

bool Scheduler::hangs_up_later(ThreadId client, int fd) {
  lock_.acquire();
  const bool kept = running() && !idle_ && !threads_[client].alive();
  if (kept) kept_wakes_.keep_hang_up(client, fd);
  lock_.release();
  return kept;
}

void Scheduler::hang_up_now() {
  lock_.acquire();
  if (kept_wakes_.any_hang_up()) kept_wakes_.deliver();
  lock_.release();
}

void Scheduler::connection_closed(ThreadId client, int fd) {
  hang_up_now();
  lock_.acquire();
  ControlledThread& t = threads_[client];
  if (running() && t.alive() && t.fd == fd && &t != t_self) {
    t.fd = -1;
    t.hung_up = true;
  }
  lock_.release();
}

void Scheduler::let_outside_go(uint64_t object) {
  if (!kept_wakes_.any()) return;
  lock_.acquire();
  if (object == 0 || kept_wakes_.any_of(object)) kept_wakes_.deliver();
  lock_.release();
}

uint32_t Scheduler::requeue(uint64_t from, uint64_t to, uint32_t most) {
  lock_.acquire();
  uint32_t moved = 0;
  for (uint32_t i = 0; running() && i < thread_count_ && moved < most; ++i) {
    ControlledThread& t = threads_[i];
    if (t.slot == nullptr || t.slot->state != ThreadState::kWaiting || t.wait_object != from ||
        t.woken_outside) {
      continue;
    }
    t.wait_object = to;
    ++moved;
  }
  lock_.release();
  return moved;
}

}  // namespace esox
