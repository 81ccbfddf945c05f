// SPDX-License-Identifier: Apache-2.0
// How an execution begins and ends.
#include "preload/scheduler/scheduler.h"

#include <pthread.h>

#include <algorithm>

#include "preload/accesses/accesses.h"

namespace esox {

constinit Scheduler g_scheduler;

namespace {

constexpr uint64_t kLotterySalt = 0x6c6f74746572790a;
constexpr uint64_t kExitSalt = 0x65786974;
constexpr int64_t kQuiet_ns = 1'000'000'000;  // as a snapshot's lives begin (snapshot_server.cpp)

}  // namespace

bool Scheduler::arrive(ThreadId id, int fd) {
  const Inside inside;
  lock_.acquire();
  ControlBlock& b = block();
  if (b.phase.load() != Phase::kArming || id >= b.clients) {
    lock_.release();
    return false;
  }
  if (b.arrived.load() == 0) begin_execution();
  if (threads_[id].alive()) {  // a second connection under the same tag: leave it alone
    lock_.release();
    return false;
  }
  ControlledThread& t = take_slot(id, raw::thread_id(), OpKind::kRequestBegin, 0, 0);
  t.fd = fd;
  t.native_handle = pthread_self();
  t.slot->state = ThreadState::kReady;
  fairness_.enter(id, 0);
  t_self = &t;
  if (b.arrived.fetch_add(1) + 1 < b.participants) {
    lock_.release();
    return wait_for_baton(t) != Proceed::kNative;
  }
  // The last to arrive starts the execution: all requests are in flight from its first point on.
  b.phase.store(Phase::kRunning);
  clock_.begin();
  adopt_contexts();
  tell_accesses_to(living());
  idle_ = false;
  current_ = kNoThread;
  // The trace must not tell who happened to arrive last.
  for (uint32_t i = 0; i < b.clients; ++i) {
    if (b.requests[i] == 0) continue;
    trace_.event(static_cast<ThreadId>(i), OpKind::kRequestBegin, 0, 0, 0, kTraceOffered);
  }
  const Decision first{static_cast<uint32_t>(b.points++), nullptr, true};
  return decide(t, first) != Proceed::kNative;
}

void Scheduler::begin_execution() {
  ControlBlock& b = block();
  for (uint32_t i = 0; i < kMaxSlots; ++i) {
    if (threads_[i].slot != nullptr) threads_[i].slot = nullptr;  // a write costs a page's copy
    b.slots[i].state = ThreadState::kFree;
  }
  locks_.clear();
  thread_count_ = b.mode == ControlMode::kClients ? b.clients : 0;
  begin_record();
}

void Scheduler::begin_record() {
  ControlBlock& b = block();
  b.ending = ControlEnding::kNone;
  b.degraded.store(0);
  b.points = b.offered = b.switches = b.demotions = 0;
  b.waited_out = 0;
  b.virtual_elapsed_ns = b.timer_firings = b.external_wakes = b.external_lock_waits = 0;
  b.diverged = b.threads = b.cycle_length = 0;
  for (uint64_t& offered : b.offered_of) offered = 0;
  for (auto& stamps : b.stamps) {
    for (RequestStamp& stamp : stamps) stamp = {UINT64_MAX, UINT64_MAX};
  }
  kept_wakes_.forget();
  g_outside_waiters.give_time(kQuiet_ns);
  fairness_.begin();
  trace_.begin();
  begin_accesses();
  lottery_ = Rng(b.seed ^ kLotterySalt);
  exits_last_ = Rng(b.seed ^ kExitSalt).below(2) == 0;
  outside_retried_ = false;
  follows_returns_ = true;
  last_quiet_ = 0;
  only_repeats_ = true;
  time_awaited_ = false;
  step_ns_ = 0;
  standstill_.begin();
  quiet_since_ns_ = 0;
  open_request_ = kNoThread;
  wait_serial_ = 0;
  context_firings_ = 0;
  contexts_turn_ns_ = 0;
  fruitless_firings_ = 0;
  served_at_ = 0;
  timers_came_ = false;
  requests_begun_ = 0;

  StrategyTape tape;
  tape.serial_order = b.serial_order;
  tape.serial_length = b.serial_length;
  tape.choices = b.replay_choices;
  tape.choice_count = b.replay_choice_count;
  tape.values = b.replay_values;
  tape.value_count =
      choices_.begin(b.data_choices, b.seed, {b.replay_values, b.replay_value_count});
  strategy_ = make_strategy(b.strategy, tape, strategy_memory_);
  if (strategy_ == nullptr) {  // the harness checks specifications; it is of another build
    mark_degraded(kDegradedProtocol);
    strategy_ = make_strategy(StrategySpec{}, tape, strategy_memory_);
  }
  ExecutionInfo info;
  info.seed = b.seed;
  info.threads = b.clients;
  info.contexts_first = b.contexts_first != ContextsFirst::kNo;
  info.expected_points = b.expected_points;
  info.points_of_thread = b.expected_points_of;
  info.objects = {b.shared_objects, std::min(b.shared_object_count, kMaxSharedObjects)};
  strategy_->begin(info);
  tells_waiting_ = b.strategy.kind == StrategyKind::kPrefix;
  filter_mask_ =
      strategy_->sees_every_point() || b.filter_mask >= kMaxFilterPlaces ? 0 : b.filter_mask;
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

void Scheduler::begin_program_again() {
  lock_.acquire();
  ControlBlock& b = block();
  for (uint32_t i = 1; i < b.threads; ++i) b.slots[i].state = ThreadState::kFree;  // the last's
  begin_record();
  b.threads = thread_count_;
  b.phase.store(Phase::kRunning);
  ControlledThread& main_thread = threads_[current_];
  fairness_.enter(main_thread.id, 0);
  main_thread.slot->tid = raw::thread_id();
  main_thread.slot->points = 0;
  main_thread.slot->state = ThreadState::kReady;
  lock_.release();
}

void Scheduler::end_execution(ControlEnding ending) {
  ControlBlock& b = block();
  kept_wakes_.deliver();
  b.ending = ending;
  b.threads = thread_count_;
  b.virtual_elapsed_ns = static_cast<uint64_t>(clock_.elapsed_ns());
  if (tells_waiting_) {
    tell_waiting(collect_enabled(), static_cast<uint32_t>(b.points), kNoThread);
  }
  strategy_->end({b.points, b.switches});
  b.diverged = strategy_->diverged() + choices_.unreached();
  b.phase.store(Phase::kEnded);
  if (ending == ControlEnding::kFinished) let_contexts_go();
  raw::futex_wake(&b.phase, INT32_MAX);
}

void Scheduler::release_all(uint32_t degraded_reason) {
  lock_.acquire();
  kept_wakes_.deliver();
  mark_degraded(degraded_reason);
  ControlBlock& b = block();
  if (running() || b.phase.load() == Phase::kArming) {
    b.ending = ControlEnding::kReleased;
    b.phase.store(Phase::kReleased);
    let_contexts_go();
    for (uint32_t i = 0; i < kMaxSlots; ++i) {
      b.slots[i].go.store(1);  // stored, so that one who is just about to wait does not
      raw::futex_wake(&b.slots[i].go, 1);
    }
    raw::futex_wake(&b.phase, INT32_MAX);
  }
  lock_.release();
}

Proceed Scheduler::go_native() {
  let_outside_go();
  t_self = nullptr;
  return Proceed::kNative;
}

void Scheduler::park_for_ever() {
  // The execution ended in a deadlock or a hang; the harness looks at the stacks and ends us.
  if (ends_unattended()) raw::call(SYS_exit_group, 0);
  std::atomic<uint32_t> never{0};
  for (;;) raw::futex_wait(&never, uint32_t{0});
}

void Scheduler::forget() {
  tell_accesses_to(0);
  lock_.reset();
  g_hook_locks.reset();
  t_self = nullptr;
  t_inside = 0;
}

}  // namespace esox
