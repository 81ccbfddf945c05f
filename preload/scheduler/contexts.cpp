// SPDX-License-Identifier: Apache-2.0
// Contexts: the server's own threads, under control beside those that serve clients.
//
// What stands parked outside control when an execution begins (outside_waiters.h) gets a slot
// behind those of the most clients that there may be, as a thread in a virtual wait. From the
// moment it is woken it is scheduled like a client's thread, until it waits again; what it makes of
// threads meanwhile is a context as well (interpose/thread.cpp).
//
// Their numbers must be the same in each process, or no schedule could be replayed in another one:
// they go by the call site of the wait. Of threads that wait at one site, as those of a pool do, it
// is who came last, for a pool calls that one first; the others come behind all sites' first ones,
// so that how many a pool has is of little account.
//
// When their timers come must be the same as well: before a server becomes a template its clocks
// leap (snapshot/agent.cpp), so that all timers are set anew in one moment, and pools have let go
// of surplus threads; and what is left of each deadline is rounded.
//
// When the clients are served the contexts go on until nobody can run: what they do for the
// clients belongs to the outcome, and a state is not looked at in the middle of it. Deadlines do
// not pass then. At last they are let go, each to wait outside as it waits here; nobody comes back
// from a wait without a cause, for there is code that waits once, without a loop.
//
// One that sleeps is taken as well: it waits for nothing but its time; and one that polls for a
// limited time, as memcached's main thread does for its clock's next second. If what that polls for
// comes first, from outside, it goes on outside. A thread that waits otherwise (another system
// call, the C library) stays outside.
//
// Where a signal ends the server, the thread that polls without limit (MySQL's and MariaDB's main
// one, for connections) is a context as well: by a descriptor or a signal it is told to close all
// sessions. It can run as soon as a controlled thread has made something ready.
#include <algorithm>

#include "preload/scheduler/scheduler.h"

namespace esox {
namespace {

// Points that contexts may take when the clients are served: work that has no end in sight is not
// waited for, and what it would have done is then not part of what is judged.
constexpr uint64_t kRestLimit = 20'000;
constexpr int64_t kForEver_s = INT64_MAX / 1'000'000'000 - 1;
constexpr int64_t kLongTimer_ns = 30'000'000'000;  // Aria's checkpoints; others are more frequent

// How long the server has lived since its timers were set is never quite the same.
constexpr int64_t kDeadlineGrid_ns = 100'000'000;

int64_t on_grid(int64_t deadline_ns) {
  if (deadline_ns > kNoDeadline - kDeadlineGrid_ns) return deadline_ns;
  return (std::max(deadline_ns, int64_t{1}) + kDeadlineGrid_ns - 1) / kDeadlineGrid_ns *
         kDeadlineGrid_ns;
}

struct Candidate {
  WaitingPlace* place;
  uint32_t rank;  // among those who wait at its site

  bool operator<(const Candidate& other) const {
    if (rank != other.rank) return rank < other.rank;
    return place->wait.site < other.place->wait.site;
  }
};

uint32_t rank_of(const WaitingPlace& place, WaitingPlace* const* places, uint32_t count) {
  uint32_t rank = 0;
  for (uint32_t i = 0; i < count; ++i) {
    const WaitingPlace& other = *places[i];
    rank += other.wait.site == place.wait.site && other.since.load() > place.since.load() ? 1 : 0;
  }
  return rank;
}

}  // namespace

bool Scheduler::is_context(const ControlledThread& t) const {
  return block().mode == ControlMode::kClients && t.id >= kMaxClients;
}

// The execution is over, and the thread goes on outside.
bool Scheduler::is_let_go(const ControlledThread& t) const {
  return is_context(t) && block().ending == ControlEnding::kFinished;
}

void Scheduler::adopt_contexts() {
  using Whom = OutsideWaiters::Whom;
  const bool background = block().background != 0;
  const bool ends_server = block().ends_server != 0;
  if (!background && !ends_server) return;
  const Whom whom = !background   ? Whom::kEndlessPollsAlone
                    : ends_server ? Whom::kAll
                                  : Whom::kAllButEndlessPolls;
  thread_count_ = kMaxClients;
  WaitingPlace* places[kMaxSlots];
  if (g_outside_waiters.overflows()) mark_degraded(kDegradedTableFull);
  const uint32_t count = g_outside_waiters.adopt(places, kMaxSlots - thread_count_, whom);
  Candidate candidates[kMaxSlots];
  for (uint32_t i = 0; i < count; ++i) {
    uint32_t at = i;
    const Candidate one{places[i], rank_of(*places[i], places, count)};
    for (; at > 0 && one < candidates[at - 1]; --at) candidates[at] = candidates[at - 1];
    candidates[at] = one;
  }
  for (uint32_t i = 0; i < count; ++i) adopt_context(*candidates[i].place);
}

void Scheduler::adopt_context(WaitingPlace& place) {
  const ParkedWait& wait = place.wait;
  const auto id = static_cast<ThreadId>(thread_count_++);
  const bool polls = wait.polls_without_limit();
  const bool sleeps = wait.mutex == 0;
  const OpKind kind = polls ? OpKind::kPoll : sleeps ? OpKind::kSleep : OpKind::kCondWait;
  const uint64_t object = sleeps ? 0 : wait.object;
  ControlledThread& t = take_slot(id, wait.tid, kind, object, wait.site);
  t.place = &place;
  place.thread = &t;
  t.native_handle = wait.handle;
  t.wait_kind = kind;
  t.wait_object = object;
  t.wait_site = wait.site;
  t.resume_kind = sleeps ? kind : OpKind::kMutexLock;
  t.resume_object = wait.mutex;
  t.reentrant = wait.reentrant;
  t.serial = ++wait_serial_;
  if (wait.until != nullptr && wait.until->tv_sec < kForEver_s) {
    t.deadline_ns = on_grid(clock_.deadline(wait.clock, *wait.until));
  }
  t.polls = polls;
  t.poll_fds = wait.fds;
  t.poll_count = wait.fd_count;
  t.slot->state = polls ? ThreadState::kReady : ThreadState::kWaiting;
  fairness_.enter(id, 0);
}

// Lock held. One that was chosen where it sleeps outside control.
void Scheduler::call_in(ControlledThread& t) {
  if (t.place == nullptr) return;
  WaitingPlace& place = *t.place;
  t.place = nullptr;
  t.polls = false;
  OutsideWaiters::wake_up(place, WaitingPlace::kChosen);
}

bool Scheduler::withdraw(WaitingPlace& place, WaitingPlace::State state) {
  lock_.acquire();
  ControlledThread* t = place.thread;
  const bool adopted =
      place.state() == WaitingPlace::kAdopted && t != nullptr && t->place == &place;
  const bool stays = adopted && place.wait.polls_without_limit();
  if (stays && state == WaitingPlace::kInterrupted) t->poll_interrupted = true;
  const bool goes = adopted && !stays && t->slot->state == ThreadState::kWaiting;
  if (goes) {
    t->place = nullptr;
    if (running()) {
      t->slot->state = ThreadState::kFinished;
      strategy_->ended(t->id);
    }
    place.change(state);
  }
  lock_.release();
  return goes;
}

void Scheduler::interrupt_poll(uint64_t native_handle) {
  lock_.acquire();
  ControlledThread* t = running() ? find_thread(native_handle) : nullptr;
  if (t != nullptr && t->alive() && t->place != nullptr && t->polls) t->poll_interrupted = true;
  lock_.release();
}

Proceed Scheduler::go_on_under_control(ControlledThread& t) {
  const Inside inside;
  t_self = &t;
  const Proceed go = wait_for_baton(t);
  return go == Proceed::kNative ? go : after_wait(t);
}

WaitingPlace* Scheduler::place_outside(ControlledThread& t) {
  lock_.acquire();
  WaitingPlace* place = t.place;
  t.place = nullptr;
  lock_.release();
  return place;
}

// Lock held; nobody can run but clients before their next requests, or nobody any more. In some
// executions of a serial order timers come there. True if time has passed.
bool Scheduler::let_timers_come() {
  const auto at = static_cast<uint32_t>(block().contexts_first);
  if (timers_came_ || thread_count_ <= kMaxClients) return false;
  timers_came_ = true;
  if ((at >> (requests_begun_ % 2) & 1) == 0) return false;
  const int64_t until_ns = clock_.elapsed_ns() + kLongTimer_ns;
  pass_time(until_ns);
  clock_.advance_to(until_ns);
  return true;
}

// Lock held. What a context may wait for outside comes now, as at quiescence, and the end of killed
// sessions: true if a context can go on.
bool Scheduler::wake_before_rest(bool may_wait) {
  const bool has_contexts = thread_count_ > kMaxClients;
  if (!has_contexts && !kept_wakes_.any_hang_up()) return false;
  if (kept_wakes_.deliver() && may_wait) settle_outside(int64_t{block().grace_ms} * 1'000'000);
  if (!has_contexts) return false;
  deliver_outside_wakes();
  retry_outside_locks();
  admit_returned(true);
  return collect_enabled() > 0;
}

// A context is in the middle of something that only threads outside can end.
bool Scheduler::awaits_outside() const {
  for (uint32_t i = kMaxClients; i < thread_count_; ++i) {
    if (!threads_[i].alive()) continue;
    const ThreadState state = threads_[i].slot->state;
    if (state == ThreadState::kExternal || state == ThreadState::kAway) return true;
  }
  return false;
}

// Lock held. The clients are served, and no context can run, or none is to run any more: the
// execution is over.
bool Scheduler::come_to_rest(bool may_wait) {
  ControlBlock& b = block();
  if (b.mode != ControlMode::kClients || anyone_left()) return false;
  if (served_at_ == 0) {
    served_at_ = b.points;
    timers_came_ = false;
    let_timers_come();
  }
  const bool works = collect_enabled() > 0 || wake_before_rest(may_wait);
  if (works && b.points - served_at_ < kRestLimit && b.points <= b.step_limit) return false;
  // What a server that is to end still does is waited for elsewhere.
  if (b.ends_server == 0 && (works || awaits_outside())) mark_degraded(kDegradedExternalWait);
  end_execution(ControlEnding::kFinished);
  return true;
}

// Lock held.
void Scheduler::let_contexts_go() {
  if (block().mode != ControlMode::kClients) return;
  for (uint32_t i = kMaxClients; i < thread_count_; ++i) {
    ControlledThread& t = threads_[i];
    if (!t.alive()) continue;
    const bool waits = t.slot->state == ThreadState::kWaiting && !t.woken_outside;
    if (t.place != nullptr) {
      const auto ended = t.poll_interrupted ? WaitingPlace::kInterrupted
                         : t.timed_out      ? WaitingPlace::kTimedOut
                                            : WaitingPlace::kWoken;
      OutsideWaiters::wake_up(*t.place, waits ? WaitingPlace::kParked : ended);
      t.place = nullptr;
      continue;
    }
    if (waits && t.wait_kind == OpKind::kCondWait) {
      t.place = g_outside_waiters.park(
          {.object = t.wait_object, .site = t.wait_site, .since = t.wait_moment});
    }
    t.slot->go.store(1);
    raw::futex_wake(&t.slot->go, 1);
  }
}

}  // namespace esox
