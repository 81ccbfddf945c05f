// SPDX-License-Identifier: Apache-2.0
#include "preload/scheduler/scheduler.h"

#include <pthread.h>
#include <semaphore.h>

namespace esox {

constinit Scheduler g_scheduler;

namespace {

constexpr uint64_t kLotterySalt = 0x6c6f74746572790a;
// Points without quiescence after which time moves a little all the same (tick).
constexpr uint64_t kPointsPerTick = 2000;

bool is_lock(OpKind kind) {
  return kind == OpKind::kMutexLock || kind == OpKind::kReadLock || kind == OpKind::kWriteLock ||
         kind == OpKind::kSpinLock || kind == OpKind::kOnce;
}

bool any_ready(pollfd* fds, uint32_t count) {
  timespec zero{0, 0};
  if (count == 0) return false;  // poll() used as a sleep
  return raw::call(SYS_ppoll, raw::address(fds), count, raw::address(&zero), 0, 8) > 0;
}

}  // namespace

// --- Threads -----------------------------------------------------------------------------------

bool Scheduler::arrive(ThreadId id, int fd) {
  lock_.acquire();
  ControlBlock& b = block();
  if (b.phase.load() != Phase::kArming || id >= b.clients) {
    lock_.release();
    return false;
  }
  if (b.arrived.load() == 0) begin_execution();
  ControlledThread& t = threads_[id];
  if (t.alive()) {  // a second connection under the same tag: leave it alone
    lock_.release();
    return false;
  }
  t = ControlledThread{};
  t.id = id;
  t.fd = fd;
  t.slot = &b.slots[id];
  t.slot->tid = raw::thread_id();
  t.slot->go.store(0);
  t.slot->points = 0;
  t.native_handle = pthread_self();
  t.slot->pending_kind = OpKind::kRequestBegin;
  t.slot->pending_object = 0;
  t.slot->pending_site = 0;
  t.slot->state = ThreadState::kReady;
  t_self = &t;
  if (b.arrived.fetch_add(1) + 1 < b.clients) {
    lock_.release();
    return wait_for_baton(t) != Proceed::kNative;
  }
  // The last to arrive starts the execution: all requests are in flight from its first point on.
  b.phase.store(Phase::kRunning);
  clock_.begin();
  idle_ = false;
  current_ = kNoThread;
  // The trace must not tell who happened to arrive last.
  for (uint32_t i = 0; i < b.clients; ++i) {
    trace_.event(static_cast<ThreadId>(i), OpKind::kRequestBegin, 0, 0, 0, kTraceOffered);
  }
  const Decision first{static_cast<uint32_t>(b.points++), nullptr, true};
  return decide(t, first) != Proceed::kNative;
}

void Scheduler::begin_execution() {
  ControlBlock& b = block();
  b.ending = ControlEnding::kNone;
  b.degraded.store(0);
  b.points = b.offered = b.switches = b.demotions = 0;
  b.virtual_elapsed_ns = b.timer_firings = b.external_wakes = b.external_lock_waits = 0;
  b.diverged = b.threads = b.cycle_length = 0;
  for (uint64_t& offered : b.offered_of) offered = 0;
  for (auto& stamps : b.stamps) {
    for (RequestStamp& stamp : stamps) stamp = {UINT64_MAX, UINT64_MAX};
  }
  for (uint32_t i = 0; i < kMaxSlots; ++i) {
    threads_[i].slot = nullptr;
    b.slots[i].state = ThreadState::kFree;
  }
  trace_.begin();
  locks_.clear();
  thread_count_ = b.mode == ControlMode::kClients ? b.clients : 0;
  lottery_ = Rng(b.seed ^ kLotterySalt);
  outside_retried_ = false;
  last_quiet_ = 0;
  quiet_since_ns_ = 0;
  open_request_ = kNoThread;
  wait_serial_ = 0;

  StrategyTape tape;
  tape.serial_order = b.serial_order;
  tape.serial_length = b.serial_length;
  tape.choices = b.replay_choices;
  tape.choice_count = b.replay_choice_count;
  tape.values = b.replay_values;
  tape.value_count = b.replay_value_count;
  strategy_ = make_strategy(b.strategy, tape, strategy_memory_);
  if (strategy_ == nullptr) {  // the harness checks specifications; it is of another build
    mark_degraded(kDegradedProtocol);
    strategy_ = make_strategy(StrategySpec{}, tape, strategy_memory_);
  }
  ExecutionInfo info;
  info.seed = b.seed;
  info.threads = b.clients;
  info.expected_points = b.expected_points;
  if (b.mode == ControlMode::kClients) {
    info.points_of_thread = {b.expected_points_of, b.clients};
  }
  strategy_->begin(info);
}

void Scheduler::begin_program() {
  lock_.acquire();
  begin_execution();
  ControlBlock& b = block();
  b.phase.store(Phase::kRunning);
  clock_.begin();
  lock_.release();
  ControlledThread* main_thread = reserve_thread();
  main_thread->slot->tid = raw::thread_id();
  main_thread->slot->state = ThreadState::kReady;
  t_self = main_thread;
  current_ = main_thread->id;
  idle_ = false;
}

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

// --- Decisions ---------------------------------------------------------------------------------

Scheduler::Decision Scheduler::begin_decision(ControlledThread& t, OpKind kind, uint64_t object,
                                              uint64_t site, uint64_t aux) {
  ControlBlock& b = block();
  clock_.note_progress();
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
  Decision decision = begin_decision(t, kind, object, site, aux);
  if (t.starvation.repeats(site, trace_.number(object), block().starvation_limit)) {
    strategy_->demote(t.id);
    ++block().demotions;
    if (decision.event != nullptr) decision.event->flags |= kTraceDemoted;
  }
  return decide(t, decision);
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
  return result;
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
  decision.counts = odds != 0 && lottery_.below(odds) == 0;
  if (!decision.counts && !strategy_->sees_every_point()) {
    lock_.release();
    return;
  }
  decide(t, decision);
}

Proceed Scheduler::readiness_point(ControlledThread& t, OpKind kind, uint64_t object,
                                   uint64_t site, pollfd* fds, uint32_t count,
                                   int64_t deadline_ns) {
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
  return result;
}

Proceed Scheduler::join_point(ControlledThread& t, ThreadId target, uint64_t site) {
  t.join_target = target;
  return point(t, OpKind::kThreadJoin, target, site);
}

Proceed Scheduler::decide(ControlledThread& t, Decision decision) {
  ControlBlock& b = block();
  if (b.points > b.step_limit) {
    for (uint32_t i = 0; i < thread_count_; ++i) {
      if (threads_[i].alive() && threads_[i].slot->state == ThreadState::kExternal) {
        mark_degraded(kDegradedExternalWait);
      }
    }
    if (b.mode == ControlMode::kClients && outside_can_act()) mark_degraded(kDegradedExternalWait);
    end_execution(ControlEnding::kHang);
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
    const bool released = b.phase.load() != Phase::kEnded;
    lock_.release();
    if (released) return go_native();
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
  while (go.load(std::memory_order_acquire) == 0) {
    const Phase now = block().phase.load();
    if (now == Phase::kReleased || now == Phase::kIdle) return go_native();
    raw::futex_wait(&go, uint32_t{0});
  }
  go.store(0);
  const Phase phase = block().phase.load();
  if (phase == Phase::kRunning) return t.timed_out ? Proceed::kTimedOut : Proceed::kGo;
  if (phase == Phase::kEnded) park_for_ever();
  return go_native();
}

void Scheduler::hand_over(ThreadId next) {
  idle_ = false;
  ThreadSlot& slot = *threads_[next].slot;
  slot.go.store(1, std::memory_order_release);
  raw::futex_wake(&slot.go, 1);
}

// Lock held. Chooses among the enabled threads; with `may_wait`, waits for one to become enabled
// (dropping the lock meanwhile). kNoThread: the execution is over, or nobody can run now.
ThreadId Scheduler::pick(const Decision& decision, bool may_wait) {
  while (running()) {
    if (block().points - last_quiet_ >= kPointsPerTick) tick();
    const uint32_t count = collect_enabled();
    if (count > 0) return choose(count, decision);
    if (!may_wait || !anyone_left()) return kNoThread;
    if (quiesce() == Quiet::kOver) return kNoThread;
  }
  return kNoThread;
}

// A thread that polls without ever blocking keeps quiescence away, and so what it polls for may never
// come: an outside wake-up, a lock held outside, time. After many points a little of each is let in.
// Counted in points, so that equal schedules agree.
void Scheduler::tick() {
  last_quiet_ = block().points;
  outside_retried_ = false;
  deliver_outside_wakes();
  retry_outside_locks();
  clock_.advance_to(clock_.elapsed_ns() + kTick_ns);
  while (fire_earliest_deadline(clock_.elapsed_ns())) {
  }
}

uint32_t Scheduler::collect_enabled() {
  uint32_t count = 0;
  for (uint32_t i = 0; i < thread_count_; ++i) {
    ControlledThread& t = threads_[i];
    if (t.slot == nullptr || t.slot->state != ThreadState::kReady || !enabled(t)) continue;
    if (must_finish_first(t)) continue;
    pending_[count++] = {t.id, t.slot->pending_kind, t.slot->pending_object,
                         t.slot->pending_site};
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
    case OpKind::kOnce:
      return lock_enabled(t);
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
    case OpKind::kPoll:
    case OpKind::kReceive:
    case OpKind::kAccept:
      return !t.polls || any_ready(t.poll_fds, t.poll_count);
    default:
      return true;
  }
}

bool Scheduler::lock_enabled(ControlledThread& t) {
  const LockState* lock = locks_.find(t.slot->pending_object);
  if (lock == nullptr || lock->free()) return true;
  if (lock->owner == t.id) return t.reentrant;
  if (lock->owner != kNoThread) return false;
  return t.slot->pending_kind == OpKind::kReadLock;  // held by readers only
}

ThreadId Scheduler::choose(uint32_t count, const Decision& decision) {
  ControlBlock& b = block();
  if (decision.counts) {
    ++b.offered;
    if (b.mode == ControlMode::kClients && current_ < b.clients) ++b.offered_of[current_];
  }
  ThreadId next = strategy_->choose({pending_, count}, current_);
  bool valid = false;
  for (uint32_t i = 0; i < count; ++i) valid |= pending_[i].thread == next;
  if (!valid) {  // a defect in the strategy: never run a thread that cannot run
    mark_degraded(kDegradedReplay);
    next = pending_[0].thread;
  }
  if (next != current_) {
    trace_.choice(decision.number, next);
    ++b.switches;
    threads_[next].starvation.reset();
  }
  current_ = next;
  const OpKind kind = threads_[next].slot->pending_kind;
  if (kind == OpKind::kRequestBegin) open_request_ = next;
  if (kind == OpKind::kRequestEnd) open_request_ = kNoThread;
  return next;
}

// Under a strategy that runs one request at a time: `t` would begin one while another is open.
bool Scheduler::must_finish_first(const ControlledThread& t) const {
  return t.slot->pending_kind == OpKind::kRequestBegin && open_request_ != kNoThread &&
         open_request_ != t.id && threads_[open_request_].alive() &&
         strategy_->one_request_at_a_time();
}

bool Scheduler::anyone_left() const {
  for (uint32_t i = 0; i < thread_count_; ++i) {
    if (threads_[i].alive()) return true;
  }
  return false;
}

// --- Locks -------------------------------------------------------------------------------------

void Scheduler::acquired(ControlledThread& t, uint64_t object, LockMode mode, uint64_t site) {
  lock_.acquire();
  outside_retried_ = false;  // progress
  quiet_since_ns_ = 0;
  LockState* lock = locks_.find_or_add(object);
  if (lock == nullptr) {
    mark_degraded(kDegradedTableFull);
  } else if (mode == LockMode::kShared) {
    ++lock->readers;
    ++lock->reader_depth[t.id];
  } else {
    lock->owner = t.id;
    lock->owner_site = site;
    ++lock->depth;
  }
  lock_.release();
}

void Scheduler::released(ControlledThread& t, uint64_t object) {
  lock_.acquire();
  LockState* lock = locks_.find(object);
  // Null: taken before the execution began. Not ours: released by another thread than its owner.
  if (lock != nullptr) {
    if (lock->owner != kNoThread) {
      if (--lock->depth == 0) lock->owner = kNoThread;
    } else if (lock->reader_depth[t.id] > 0) {
      --lock->reader_depth[t.id];
      --lock->readers;
    }
  }
  lock_.release();
}

bool Scheduler::owns(ControlledThread& t, uint64_t object) {
  lock_.acquire();
  const LockState* lock = locks_.find(object);
  const bool result = lock != nullptr && lock->owner == t.id;
  lock_.release();
  return result;
}

void Scheduler::initialised(uint64_t object) {
  lock_.acquire();
  if (running()) trace_.note_initialised(object);
  lock_.release();
}

Proceed Scheduler::blocked_outside(ControlledThread& t) {
  lock_.acquire();
  if (!running()) {
    lock_.release();
    return go_native();
  }
  ++block().external_lock_waits;
  Decision decision = begin_decision(t, t.slot->pending_kind, t.slot->pending_object,
                                     t.slot->pending_site, 0);
  if (decision.event != nullptr) decision.event->flags |= kTraceExternal;
  t.slot->state = ThreadState::kExternal;
  return decide(t, decision);
}

// --- Waits -------------------------------------------------------------------------------------

void Scheduler::begin_wait(ControlledThread& t, OpKind kind, uint64_t object, uint64_t site,
                           int64_t deadline_ns, uint32_t bitset, OpKind resume_kind,
                           uint64_t resume_object, bool resume_reentrant) {
  lock_.acquire();
  t.wait_kind = kind;
  t.wait_object = object;
  t.wait_site = site;
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
  return false;
}

Proceed Scheduler::finish_wait(ControlledThread& t) {
  lock_.acquire();
  if (!running()) {
    lock_.release();
    return go_native();
  }
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
  lock_.acquire();
  uint8_t flags = kTraceOffered;
  if (t.timed_out) flags |= kTraceTimedOut;
  if (t.woken_outside) flags |= kTraceExternal;
  trace_.event(t.id, t.resume_kind, t.resume_object, t.wait_site, 1, flags);
  const bool timed_out = t.timed_out;
  t.timed_out = t.woken_outside = false;
  t.deadline_ns = kNoDeadline;
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
    wake_thread(*waiters[choice ? draw_value(count) : 0], outside);
    ++woken;
  }
  const bool poke = outside && woken > 0;
  if (poke) outside_events_.fetch_add(1);
  if (poke && idle_ && deliver_outside_wakes()) {
    // Nobody has the baton: everybody left control or waits. The waker hands it to whom it woke.
    const uint32_t count = collect_enabled();
    if (count > 0) {
      const Decision decision{static_cast<uint32_t>(block().points++), nullptr};
      const ThreadId next = choose(count, decision);
      hand_over(next);
    }
  }
  lock_.release();
  if (poke) raw::futex_wake(&outside_events_, 1);
  return woken;
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

uint64_t Scheduler::draw_value(uint64_t bound) {
  const uint64_t value = strategy_->value(bound);
  const uint64_t chosen = value < bound ? value : 0;
  trace_.value(chosen);
  return chosen;
}

// --- The end -----------------------------------------------------------------------------------

void Scheduler::end_execution(ControlEnding ending) {
  ControlBlock& b = block();
  b.ending = ending;
  b.threads = thread_count_;
  b.virtual_elapsed_ns = static_cast<uint64_t>(clock_.elapsed_ns());
  strategy_->end({b.points, b.switches});
  b.diverged = strategy_->diverged();
  b.phase.store(Phase::kEnded);
  raw::futex_wake(&b.phase, INT32_MAX);
}

void Scheduler::release_all(uint32_t degraded_reason) {
  lock_.acquire();
  mark_degraded(degraded_reason);
  ControlBlock& b = block();
  if (running() || b.phase.load() == Phase::kArming) {
    b.ending = ControlEnding::kReleased;
    b.phase.store(Phase::kReleased);
    for (uint32_t i = 0; i < kMaxSlots; ++i) {
      b.slots[i].go.store(1);  // stored, so that one who is just about to wait does not
      raw::futex_wake(&b.slots[i].go, 1);
    }
    raw::futex_wake(&b.phase, INT32_MAX);
  }
  lock_.release();
}

Proceed Scheduler::go_native() {
  t_self = nullptr;
  return Proceed::kNative;
}

void Scheduler::park_for_ever() {
  // The execution ended in a deadlock or a hang; the harness looks at the stacks and ends us.
  std::atomic<uint32_t> never{0};
  for (;;) raw::futex_wait(&never, uint32_t{0});
}

void Scheduler::forget() {
  lock_.reset();
  t_self = nullptr;
}

}  // namespace esox
