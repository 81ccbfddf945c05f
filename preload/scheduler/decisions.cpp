// SPDX-License-Identifier: Apache-2.0
// Decisions: who may run, who is chosen, and how the baton passes (the overview in scheduler.h).
#include <semaphore.h>

#include <algorithm>

#include "preload/core/library_layout.h"
#include "preload/scheduler/scheduler.h"

namespace esox {
namespace {

// Points without quiescence after which time moves a little all the same (tick).
constexpr uint64_t kPointsPerTick = 2000;
// The same, once it is time that all wait for (next_step_ns).
constexpr uint64_t kPointsPerLaterTick = 500;
// A minute, of the hour that an execution may take: a poller with the patience of a quarter of an
// hour comes to its end.
constexpr int64_t kLongestTick_ns = 60'000'000'000;
constexpr int64_t kLook_ns = 20'000'000;  // between two looks at who has the baton

bool is_lock(OpKind kind) {
  return kind == OpKind::kMutexLock || kind == OpKind::kReadLock || kind == OpKind::kWriteLock ||
         kind == OpKind::kSpinLock || kind == OpKind::kOnce || kind == OpKind::kFileLock;
}

// Attempts at a lock: they fail where it is held.
bool is_try(OpKind kind) {
  return kind == OpKind::kMutexTrylock || kind == OpKind::kTryReadLock ||
         kind == OpKind::kTryWriteLock;
}

bool any_ready(pollfd* fds, uint32_t count) {
  timespec zero{0, 0};
  if (count == 0) return false;  // poll() used as a sleep
  return raw::call(SYS_ppoll, raw::address(fds), count, raw::address(&zero), 0, 8) > 0;
}

}  // namespace

Scheduler::Decision Scheduler::begin_decision(ControlledThread& t, OpKind kind, uint64_t object,
                                              uint64_t site, uint64_t aux) {
  ControlBlock& b = block();
  clock_.note_progress();
  // What contexts do by the clock goes on for ever, whatever becomes of the clients.
  if (!is_context(t) && standstill_.operation(t.id, kind, object, site)) context_firings_ = 0;
  t.slot->pending_kind = kind;
  t.slot->pending_object = object;
  t.slot->pending_site = site;
  TraceEvent* event = trace_.event(t.id, kind, object, site, aux, 0);
  const auto number = static_cast<uint32_t>(b.points++);
  ++t.slot->points;
  b.heartbeat.fetch_add(1, std::memory_order_relaxed);
  return {number, event, true};
}

Proceed Scheduler::point(ControlledThread& t, OpKind kind, uint64_t object, uint64_t site,
                         uint64_t aux) {
  lock_.acquire();
  if (!running()) {
    lock_.release();
    return go_native();
  }
  t.timed_out = false;
  // That it stands there makes a point of others' releases (before_release): their order matters.
  if (is_try(kind) && block().release_point_odds == 1) tell_done(t.id, kind, object);
  Decision decision = begin_decision(t, kind, object, site, aux);
  if (t.timed_lock) choose_timeout(t);
  choose_timer(t);
  if (fairness_.stands_before(t.id, site, trace_.number(object), block().starvation_limit,
                              decision.number + 1, standing())) {
    ++block().demotions;
    if (decision.event != nullptr) decision.event->flags |= kTraceDemoted;
  } else if (never_conflicted(t) && !t.timed_out && may_run_on(t)) {
    lock_.release();
    return Proceed::kGo;
  }
  return decide(t, decision);
}

// Under a conflict filter: the thread's pending operation is none of those that were seen to
// conflict.
bool Scheduler::never_conflicted(const ControlledThread& t) const {
  if (filter_mask_ == 0 || is_always_offered(t.slot->pending_kind)) return false;
  const ThreadSlot& slot = *t.slot;
  const uint64_t key = filter_key(t.id, slot.pending_site,
                                  object_for_filter(slot.pending_kind, slot.pending_object));
  const uint64_t* places = block().filter_places;
  return places[filter_place(places, filter_mask_, key)] != key;
}

// Whether the point can pass without a decision. Not where something is due that a replay, which
// decides at every point, would do here: a tick, the end at the step limit.
bool Scheduler::may_run_on(ControlledThread& t) {
  const ControlBlock& b = block();
  if (b.points > b.step_limit || tick_is_due()) return false;
  return t.slot->state == ThreadState::kReady && enabled(t);
}

Proceed Scheduler::lock_point(ControlledThread& t, OpKind kind, uint64_t object, uint64_t site,
                              bool reentrant, int64_t deadline_ns) {
  t.reentrant = reentrant;
  t.timed_lock = deadline_ns != kNoDeadline;
  t.deadline_ns = deadline_ns;
  t.timed_out = false;
  const Proceed result = point(t, kind, object, site);
  t.timed_lock = false;
  t.deadline_ns = kNoDeadline;
  if (result == Proceed::kTimedOut) tell_timeout(t, object, site);
  return result;
}

void Scheduler::before_release(ControlledThread& t, uint64_t object, uint64_t site) {
  if (block().release_point_odds != 1) return;
  lock_.acquire();
  bool tried = false;
  for (uint32_t i = 0; i < thread_count_ && running(); ++i) {
    const ControlledThread& other = threads_[i];
    tried |= other.slot != nullptr && other.slot->state == ThreadState::kReady &&
             is_try(other.slot->pending_kind) && other.slot->pending_object == object;
  }
  lock_.release();
  if (tried) point(t, OpKind::kYield, object, site);
}

void Scheduler::release_point(ControlledThread& t, OpKind kind, uint64_t object, uint64_t site) {
  lock_.acquire();
  if (!running()) {
    lock_.release();
    go_native();
    return;
  }
  Decision decision = begin_decision(t, kind, object, site, 0);
  const uint32_t odds = block().release_point_odds;
  decision.counts = odds != 0 && lottery_.below(odds) == 0 && !never_conflicted(t);
  if (!decision.counts && !strategy_->sees_every_point() && may_run_on(t)) {
    lock_.release();
    return;
  }
  decide(t, decision);
}

Proceed Scheduler::readiness_point(ControlledThread& t, OpKind kind, uint64_t object, uint64_t site,
                                   pollfd* fds, uint32_t count, int64_t deadline_ns) {
  t.polls = true;
  t.poll_fds = fds;
  t.poll_count = count;
  t.deadline_ns = deadline_ns;
  t.timed_lock = deadline_ns != kNoDeadline;
  t.timed_out = false;
  const Proceed result = point(t, kind, object, site);
  t.polls = false;
  t.timed_lock = false;
  t.deadline_ns = kNoDeadline;
  if (result == Proceed::kTimedOut) tell_timeout(t, object, site);
  return result;
}

Proceed Scheduler::join_point(ControlledThread& t, ThreadId target, uint64_t site,
                              int64_t deadline_ns) {
  t.join_target = target;
  return lock_point(t, OpKind::kThreadJoin, target, site, /*reentrant=*/false, deadline_ns);
}

// Whoever waits for a thread outside control may yet go on.
void Scheduler::end_as_hang() {
  for (uint32_t i = 0; i < thread_count_; ++i) {
    const ControlledThread& t = threads_[i];
    if (t.alive() && t.slot->state == ThreadState::kExternal && !is_left(t.slot->pending_object)) {
      mark_degraded(kDegradedExternalWait);
    }
  }
  // What somebody does outside of control may be what is waited for: a thread that is back from a
  // call and has no processor yet, on a busy machine.
  if (outside_can_act()) mark_degraded(kDegradedExternalWait);
  if (block().mode != ControlMode::kClients) report_standing();
  end_execution(ControlEnding::kHang);
}

Proceed Scheduler::decide(ControlledThread& t, Decision decision) {
  const Inside inside;
  ControlBlock& b = block();
  if (b.points > b.step_limit && served_at_ == 0) {
    end_as_hang();
    lock_.release();
    park_for_ever();
  }
  if (is_lock(t.slot->pending_kind) && !enabled(t) && !t.timed_lock && find_cycle(t)) {
    end_execution(ControlEnding::kDeadlock);
    lock_.release();
    park_for_ever();
  }
  const bool could_run = t.slot->state == ThreadState::kReady && enabled(t);
  const ThreadId next = pick(decision, true);
  if (next == kNoThread) {
    const bool goes_on = b.phase.load() != Phase::kEnded || is_let_go(t);
    lock_.release();
    if (goes_on) return go_native();
    park_for_ever();
  }
  if (decision.event != nullptr) {
    decision.event->flags |= kTraceOffered;
    if (next != t.id) decision.event->flags |= could_run ? kTraceSwitchedAway : kTraceBlocked;
  }
  if (next == t.id) {
    const Proceed result = t.timed_out ? Proceed::kTimedOut : Proceed::kGo;
    lock_.release();
    return result;
  }
  hand_over(next);
  lock_.release();
  return wait_for_baton(t);
}

Proceed Scheduler::wait_for_baton(ControlledThread& t) {
  std::atomic<uint32_t>& go = t.slot->go;
  const bool looks = block().mode == ControlMode::kClients;
  while (go.load(std::memory_order_acquire) == 0) {
    const Phase now = block().phase.load();
    if (now == Phase::kReleased || now == Phase::kIdle) return go_native();
    raw::futex_wait(&go, uint32_t{0}, looks ? kLook_ns : -1);
    if (looks && go.load(std::memory_order_acquire) == 0) {
      look_for_spinner();
      look_for_idleness();
    }
  }
  go.store(0);
  const Phase phase = block().phase.load();
  if (phase == Phase::kRunning) return t.timed_out ? Proceed::kTimedOut : Proceed::kGo;
  if (phase == Phase::kEnded && !is_let_go(t)) park_for_ever();
  return go_native();
}

void Scheduler::hand_over(ThreadId next) {
  idle_ = false;
  ThreadSlot& slot = *threads_[next].slot;
  slot.go.store(1, std::memory_order_release);
  raw::futex_wake(&slot.go, 1);
  call_in(threads_[next]);
}

// Lock held. Chooses among the enabled threads; with `may_wait`, waits for one to become enabled
// (dropping the lock meanwhile). kNoThread: the execution is over, or nobody can run now.
ThreadId Scheduler::pick(const Decision& decision, bool may_wait) {
  while (running()) {
    if (come_to_rest(may_wait)) return kNoThread;
    if (tick_is_due()) tick();
    if (awaits_return()) {
      if (!may_wait) return kNoThread;
      await_return();
      continue;
    }
    const uint32_t count = collect_enabled();
    if (count > 0 && stands_between_requests(count) && let_timers_come()) continue;
    if (count > 0) return choose(count, decision);
    if (!may_wait || !anyone_left()) return kNoThread;
    if (quiesce() == Quiet::kOver) return kNoThread;
  }
  return kNoThread;
}

// The first `count` of pending_ can run. In a serial order that gives contexts' timers a turn.
bool Scheduler::stands_between_requests(uint32_t count) const {
  if (block().contexts_first == ContextsFirst::kNo) return false;
  return std::all_of(pending_, pending_ + count,
                     [](const Pending& pending) { return pending.kind == OpKind::kRequestBegin; });
}

// A thread that polls without ever blocking keeps quiescence away, and so what it polls for may
// never come: an outside wake-up, a lock held outside, time, a thread whose call outside control
// has its end already (a signal that is there) and that the machine has not let go on. After many
// points a little of each is let in. Counted in points, so that equal schedules agree.
void Scheduler::tick() {
  if (block().mode == ControlMode::kProgram) let_the_away_act();
  const int64_t step_ns = next_step_ns();
  last_quiet_ = block().points;
  outside_retried_ = false;
  kept_wakes_.deliver();
  deliver_outside_wakes();
  retry_outside_locks();
  clock_.advance_to(clock_.elapsed_ns() + step_ns);
  while (fire_earliest_deadline(clock_.elapsed_ns())) {
  }
}

// Of a program whose threads all repeat themselves it may be time that they wait for, theirs or a
// sleeper's: then more and more of it passes. In a server that is left to what others do outside,
// up to half of the step limit: what only repeats itself after that would end as a hang, though a
// client's deadline may be all it waits for (InnoDB's purge for a table that somebody wants WAIT
// 1).
int64_t Scheduler::next_step_ns() {
  const ControlBlock& b = block();
  const bool passes = b.mode == ControlMode::kProgram || b.points > b.step_limit / 2;
  time_awaited_ = passes && only_repeats_;
  step_ns_ = time_awaited_ && step_ns_ != 0 ? std::min(4 * step_ns_, kLongestTick_ns) : kTick_ns;
  only_repeats_ = true;
  return step_ns_;
}

bool Scheduler::tick_is_due() const {
  return block().points - last_quiet_ >= (time_awaited_ ? kPointsPerLaterTick : kPointsPerTick);
}

uint32_t Scheduler::collect_enabled() {
  admit_returned(false);
  uint32_t count = 0;
  for (uint32_t i = 0; i < thread_count_; ++i) {
    ControlledThread& t = threads_[i];
    if (t.slot == nullptr || t.slot->state != ThreadState::kReady || !enabled(t)) continue;
    if (must_finish_first(t)) continue;
    pending_[count++] = {t.id, t.slot->pending_kind, t.slot->pending_object, t.slot->pending_site};
  }
  return count;
}

bool Scheduler::enabled(ControlledThread& t) {
  // A timed acquisition gives up; a timed-out wait on a condition still needs its mutex.
  if (t.timed_out && t.timed_lock) return true;
  switch (t.slot->pending_kind) {
    case OpKind::kMutexLock:
    case OpKind::kReadLock:
    case OpKind::kWriteLock:
    case OpKind::kSpinLock:
      return lock_enabled(t);
    case OpKind::kOnce:
      return !routine_runs(reinterpret_cast<const pthread_once_t*>(t.slot->pending_object));
    case OpKind::kFileLock:
      return !t.refused || !still_refused(t);
    case OpKind::kThreadJoin: {
      if (t.join_target >= thread_count_) return true;  // not one of ours, joined natively
      ControlledThread& target = threads_[t.join_target];
      return target.slot == nullptr || target.slot->state == ThreadState::kFinished;
    }
    case OpKind::kSemWait: {
      int value = 0;
      return sem_getvalue(reinterpret_cast<sem_t*>(t.slot->pending_object), &value) != 0 ||
             value > 0;
    }
    default:
      return !t.polls || t.poll_interrupted || any_ready(t.poll_fds, t.poll_count);
  }
}

bool Scheduler::lock_enabled(ControlledThread& t) {
  const LockState* lock = locks_.find(t.slot->pending_object);
  if (lock == nullptr || lock->free()) return true;
  if (lock->owner == t.id) return t.reentrant;
  if (lock->owner != kNoThread) return false;
  return t.slot->pending_kind == OpKind::kReadLock;  // held by readers only
}

bool Scheduler::still_refused(const ControlledThread& t) {
  const LockState* lock = locks_.find(t.slot->pending_object);
  if (lock == nullptr || lock->free()) return false;
  return lock->owner != kNoThread || !t.shares;
}

ThreadId Scheduler::choose(uint32_t count, const Decision& decision) {
  ControlBlock& b = block();
  if (decision.counts) {
    ++b.offered;
    if (current_ < kMaxClients) ++b.offered_of[current_];
  }
  count = offer(count);
  ThreadId next = is_drawn() ? pending_[lottery_.below(count)].thread
                             : strategy_->choose({pending_, count}, current_);
  bool valid = false;
  for (uint32_t i = 0; i < count; ++i) valid |= pending_[i].thread == next;
  if (!valid) {  // a defect in the strategy: never run a thread that cannot run
    mark_degraded(kDegradedReplay);
    next = pending_[0].thread;
  }
  if (tells_waiting_) tell_waiting(count, decision.number, next);
  if (next != current_) {
    trace_.choice(decision.number, next);
    ++b.switches;
  }
  if (threads_[next].came_back) {
    // As if its return had been awaited here, which in a replay it may have been.
    threads_[next].came_back = false;
    last_quiet_ = b.points;
  }
  current_ = next;
  if (!is_context(threads_[next])) fruitless_firings_ = 0;
  fairness_.chosen(next, decision.number + uint64_t{1});
  const OpKind kind = threads_[next].slot->pending_kind;
  if (kind == OpKind::kRequestBegin) {
    open_request_ = next;
    opened_ns_ = clock_.elapsed_ns();
    opened_firings_ = block().timer_firings;
    timers_came_ = false;
    ++requests_begun_;
  }
  if (kind == OpKind::kRequestEnd) open_request_ = kNoThread;
  return next;
}

// Threads that back off from each other and try again may do so for ever in step, however fair the
// strategy: what is on its way to the step limit draws from half of it on, so that only what goes
// on then, too, ends there.
bool Scheduler::is_drawn() const {
  const ControlBlock& b = block();
  return b.points > b.step_limit / 2 && !strategy_->follows_record();
}

// Of those in pending_, who can run, the strategy gets those who are not held back for others' sake
// (fairness.h); one that follows a record gets all, and is told who they are. How many it gets.
// An exit is the end of all: in every other execution the others come as far as they can before, or
// a program whose main thread does not wait for them would seldom do anything.
uint32_t Scheduler::offer(uint32_t count) {
  const bool draws = !strategy_->sees_every_point();
  ThreadSet enabled;
  for (uint32_t i = 0; i < count; ++i) {
    enabled.add(pending_[i].thread);
    only_repeats_ = only_repeats_ && fairness_.is_stale(pending_[i].thread);
  }
  Pending exit;
  uint32_t offered = 0;
  for (uint32_t i = 0; i < count; ++i) {
    const Pending one = pending_[i];
    const bool waits = fairness_.held_back(one.thread, enabled);
    const bool exits = exits_last_ && one.kind == OpKind::kProcessExit;
    if (exits && !waits) exit = one;
    if (waits && !draws) strategy_->pass_over(one.thread);
    if (!draws || (!waits && !exits)) pending_[offered++] = one;
  }
  if (offered == 0) pending_[offered++] = exit;
  return offered;
}

// Who stands before an operation of its own, possible or not.
ThreadSet Scheduler::standing() const {
  ThreadSet set;
  for (uint32_t i = 0; i < thread_count_; ++i) {
    const ControlledThread& t = threads_[i];
    if (t.slot != nullptr && t.slot->state == ThreadState::kReady) set.add(t.id);
  }
  return set;
}

// The first `enabled_count` of pending_ can run.
void Scheduler::tell_waiting(uint32_t enabled_count, uint32_t decision, ThreadId chosen) {
  uint32_t next_enabled = 0;
  for (uint32_t i = 0; i < thread_count_; ++i) {
    const ControlledThread& t = threads_[i];
    if (!t.alive()) continue;
    const bool can_run = next_enabled < enabled_count && pending_[next_enabled].thread == t.id;
    next_enabled += can_run ? 1 : 0;
    uint8_t flags = can_run ? kWaitingEnabled : 0;
    if (t.id == chosen) flags |= kWaitingChosen;
    const ThreadSlot& slot = *t.slot;
    const bool waits = slot.state == ThreadState::kWaiting;
    const OpKind kind = waits ? OpKind::kNone : slot.pending_kind;
    const uint64_t object = waits || is_release(kind) ? 0 : slot.pending_object;
    trace_.waiting({object, slot.pending_site, decision, t.id, kind, flags});
  }
}

// Lock held. By the running thread, between its decisions.
void Scheduler::tell_done(ThreadId thread, OpKind kind, uint64_t object) {
  if (!tells_waiting_ || !running()) return;
  trace_.waiting({object, 0, static_cast<uint32_t>(block().points), thread, kind, kWaitingDone});
}

// Under a strategy that runs one request at a time: `t` would begin one while another is open.
bool Scheduler::must_finish_first(const ControlledThread& t) const {
  return t.slot->pending_kind == OpKind::kRequestBegin && open_request_ != kNoThread &&
         open_request_ != t.id && threads_[open_request_].alive() &&
         strategy_->one_request_at_a_time();
}

// Time costs nothing here, and a lock may be waited for a day and a second at a time. Somebody who
// sleeps as long does it at one go.
bool Scheduler::waits_for_later() {
  if (clock_.elapsed_ns() - opened_ns_ < kLongestSerialWait_ns) return false;
  if (block().timer_firings - opened_firings_ < kMostSerialWaits) return false;
  for (uint32_t i = 0; i < thread_count_; ++i) {
    if (threads_[i].alive() && must_finish_first(threads_[i])) return true;
  }
  return false;
}

// Of clients, where there are any: contexts live as long as the server.
bool Scheduler::anyone_left() const {
  for (uint32_t i = 0; i < thread_count_; ++i) {
    if (threads_[i].alive() && !is_context(threads_[i])) return true;
  }
  return false;
}

uint32_t Scheduler::living() const {
  uint32_t count = 0;
  for (uint32_t i = 0; i < thread_count_; ++i) count += threads_[i].alive() ? 1 : 0;
  return count;
}

}  // namespace esox
