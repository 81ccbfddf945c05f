// SPDX-License-Identifier: Apache-2.0
// Where data choices are offered, and how they take effect (protocol/data_choice.h).
//
// A taken choice is told in the trace by an event of its own, by the thread that goes on and just
// before its next operation: between an operation's event and the thread's being chosen for it no
// other event of the thread may come (analysis/executed_order.h).
#include <algorithm>

#include "preload/scheduler/scheduler.h"

namespace esox {

// Lock held.
bool Scheduler::take(ControlledThread& t, DataChoiceKind kind, DataChoice* choice) {
  if (!choices_.take(kind, t.id, choice)) return false;
  trace_.value(value_of(*choice));
  return true;
}

// Lock held. It is recorded whatever was drawn, so that a replay needs no modes.
uint64_t Scheduler::choose_waiter(uint64_t count) {
  const uint64_t value = choices_.chooses_waiter(t_self->id) ? strategy_->value(count) : 0;
  const uint64_t chosen = value < count ? value : 0;
  trace_.value(chosen);
  return chosen;
}

bool Scheduler::refuses_try(ControlledThread& t, uint64_t object, uint64_t site) {
  if (!offers(DataChoiceKind::kTryFails)) return false;
  lock_.acquire();
  DataChoice choice;
  const LockState* lock = locks_.find(object);
  const bool refused =
      running() && (lock == nullptr || lock->free()) && take(t, DataChoiceKind::kTryFails, &choice);
  if (refused) trace_.event(t.id, OpKind::kTryRefused, object, site, 0, 0);
  lock_.release();
  return refused;
}

bool Scheduler::interrupts(ControlledThread& t, uint64_t object, uint64_t site) {
  if (!offers(DataChoiceKind::kInterrupted)) return false;
  lock_.acquire();
  DataChoice choice;
  const bool interrupted = running() && take(t, DataChoiceKind::kInterrupted, &choice);
  if (interrupted) trace_.event(t.id, OpKind::kInterrupted, object, site, 0, 0);
  lock_.release();
  return interrupted;
}

size_t Scheduler::shortened(ControlledThread& t, DataChoiceKind kind, uint64_t object,
                            uint64_t site, size_t size) {
  if (!offers(kind) || size < 2) return size;
  lock_.acquire();
  DataChoice choice;
  size_t moved = size;
  if (running() && take(t, kind, &choice)) {
    switch (static_cast<ShortTransfer>(choice.variant)) {
      case ShortTransfer::kHalf:
        moved = size / 2;
        break;
      case ShortTransfer::kAllButOne:
        moved = size - 1;
        break;
      default:
        moved = 1;
    }
    trace_.event(t.id, OpKind::kShortTransfer, object, site, moved, 0);
  }
  lock_.release();
  return moved;
}

void Scheduler::creation_point(ControlledThread& t, ThreadId created, uint64_t site) {
  if (!offers(DataChoiceKind::kStartPoint)) return;
  lock_.acquire();
  DataChoice choice;
  // A search tries both orders of each.
  const bool taken =
      running() && choices_.take(DataChoiceKind::kStartPoint, t.id, &choice, tells_waiting_);
  if (taken) trace_.value(value_of(choice));
  lock_.release();
  if (taken) point(t, OpKind::kThreadCreate, created, site);
}

// Lock held; the thread has just begun to wait. What ends here by choice is not over before the
// thread is chosen: others may run first, and for them it does not wait any more.
void Scheduler::choose_end_of_wait(ControlledThread& t) {
  t.chosen_end = OpKind::kNone;
  if (t.slot->state != ThreadState::kWaiting) return;
  DataChoice choice;
  if (t.wait_kind == OpKind::kCondWait && take(t, DataChoiceKind::kSpuriousWake, &choice)) {
    wake_thread(t, false);
    t.chosen_end = OpKind::kSpuriousWake;
    return;
  }
  // A sleep is not a wait for something: programs wait by it for things to settle.
  const bool timed = t.deadline_ns != kNoDeadline && t.wait_kind != OpKind::kSleep;
  if (timed && take(t, DataChoiceKind::kEarlyTimeout, &choice)) {
    pass_time(t.deadline_ns);
    t.chosen_end = OpKind::kEarlyTimeout;
  }
}

// Lock held; the thread stands before a timed acquisition. One that can be had at once does not
// time out, says pthread_mutex_timedlock(3p).
void Scheduler::choose_timeout(ControlledThread& t) {
  t.chosen_end = OpKind::kNone;
  DataChoice choice;
  if (!offers(DataChoiceKind::kEarlyTimeout) || enabled(t)) return;
  if (!take(t, DataChoiceKind::kEarlyTimeout, &choice)) return;
  pass_time(t.deadline_ns);
  t.chosen_end = OpKind::kEarlyTimeout;
}

// Lock held; a client's thread stands before an operation. A timer of the server's own comes now,
// and whatever else of its own was to come until then. To a client that waits this time is none,
// nor to one that has read the clock and is about to wait: that a wait ends is another choice
// (kEarlyTimeout), and an answer that no serial order gives. Nor does more than half a minute pass:
// in the middle of an operation an hour (until an event's next run) is what watchdogs bark at, and
// InnoDB's ends the server for a latch that somebody has awaited for ten minutes.
void Scheduler::choose_timer(const ControlledThread& t) {
  if (!offers(DataChoiceKind::kTimer) || thread_count_ <= kMaxClients || is_context(t)) return;
  DataChoice choice;
  if (!choices_.take(DataChoiceKind::kTimer, t.id, &choice)) return;
  trace_.value(value_of(choice));
  const int64_t most_ns = clock_.elapsed_ns() + 30'000'000'000;
  int64_t until_ns = kNoDeadline;
  switch (static_cast<TimerStep>(choice.variant)) {
    case TimerStep::kSecond:
      until_ns = clock_.elapsed_ns() + 1'000'000'000;
      break;
    case TimerStep::kHalfMinute:
      until_ns = most_ns;
      break;
    default:
      for (uint32_t i = kMaxClients; i < thread_count_; ++i) {
        if (threads_[i].alive()) until_ns = std::min(until_ns, threads_[i].deadline_ns);
      }
  }
  if (until_ns > most_ns) return;
  const int64_t passing_ns = std::max(until_ns - clock_.elapsed_ns(), int64_t{0});
  for (uint32_t i = 0; i < kMaxClients; ++i) {
    ControlledThread& client = threads_[i];
    if (client.deadline_ns != kNoDeadline) client.deadline_ns += passing_ns;
    if (client.alive()) client.passed_ns += passing_ns;
  }
  while (fire_earliest_deadline(until_ns, Deadlines::kOfContexts)) {
  }
  clock_.advance_to(until_ns);
}

// Lock held. Time passes although threads could run: operations take none (virtual_clock.h), but
// nothing says that they must be quick. Whoever waits for an earlier moment is served first.
void Scheduler::pass_time(int64_t until_ns) {
  while (fire_earliest_deadline(until_ns)) {
  }
}

// Lock held.
void Scheduler::tell_end_of_wait(ControlledThread& t, uint64_t object, uint64_t site) {
  if (t.chosen_end == OpKind::kNone) return;
  const uint8_t flags = t.chosen_end == OpKind::kEarlyTimeout ? kTraceTimedOut : 0;
  trace_.event(t.id, t.chosen_end, object, site, 0, flags);
  t.chosen_end = OpKind::kNone;
}

void Scheduler::tell_timeout(ControlledThread& t, uint64_t object, uint64_t site) {
  if (t.chosen_end == OpKind::kNone) return;
  lock_.acquire();
  tell_end_of_wait(t, object, site);
  lock_.release();
}

}  // namespace esox
