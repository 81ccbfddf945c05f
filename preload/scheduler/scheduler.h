// SPDX-License-Identifier: Apache-2.0
// The scheduler: one controlled thread runs at a time.
//
// Overview. Every controlled thread that is not running is parked on the futex word of its slot.
// The running thread "has the baton". At each *decision* it asks who is next and hands the baton
// over, or goes on itself. Decisions happen
//   - at scheduling points, just before a visible operation (point, lock_point, readiness_point);
//   - after releases, if the lottery offers the point (ControlBlock::release_point_odds);
//     of both kinds, under a conflict filter, only at operations that have been seen to conflict
//     (protocol/conflict_filter.h): through the others the thread runs on;
//   - where the thread cannot go on: it enters a wait, finishes, or leaves control for a call that
//     blocks outside (wait, finish, leave).
// Decisions are numbered; a Choice {number, thread} is recorded where the running thread changes,
// so that the list of choices is the list of context switches and a replay needs nothing else.
//
// Locks are modelled (lock_table.h): a pending acquisition is enabled iff the model says that no
// other controlled thread is in the way. The chosen thread then takes the real lock by trylock. If
// that fails the holder is outside control; the thread waits natively for a short while with the
// baton, then passes the baton on and tries again at quiescence.
//
// Waits (condition variables, futexes, sleeps) are virtual: the thread never enters the real one.
// Wake-ups among controlled threads act at once; those from and to threads outside control are
// delivered at quiescence, when no controlled thread can run, so that neither their arrival nor
// what they set in motion changes the schedule. At quiescence, in this order: threads outside are
// woken, and act until they sleep; outside wake-ups are delivered; locks held outside are
// retried; threads outside that still run are given grace_ms; the earliest deadline fires on the
// virtual clock; and if nothing is left, it is a deadlock. A cycle of lock waits is reported at
// once, without quiescence.
//
// Locking: one internal lock guards all state. It is held only for short, bounded work; hooks of
// threads outside control take it only while an execution runs and only in wake-ups.
//
// Whom a strategy may not choose, lest others starve, is not offered to it (fairness.h).
//
// By file: scheduler.cpp (an execution begins and ends), threads.cpp (threads come and go),
// contexts.cpp (the server's own threads),
// decisions.cpp (who is next), spinner.cpp (who keeps the baton), locks.cpp, waits.cpp, choices.cpp
// (data choices), quiescence.cpp, wait_graph.cpp (deadlocks).
#pragma once

#include <cstddef>

#include "preload/core/control.h"
#include "preload/core/internal_lock.h"
#include "preload/scheduler/data_choices.h"
#include "preload/scheduler/fairness.h"
#include "preload/scheduler/lock_table.h"
#include "preload/scheduler/outside_waiters.h"
#include "preload/scheduler/standstill.h"
#include "preload/scheduler/thread_table.h"
#include "preload/scheduler/trace.h"
#include "preload/scheduler/virtual_clock.h"
#include "preload/strategy/registry.h"
#include "preload/strategy/rng.h"
#include "preload/strategy/strategy.h"

namespace esox {

enum class Proceed {
  kGo,        // chosen: do the operation
  kTimedOut,  // chosen because the virtual deadline passed
  kNative,    // control is over for this thread: call the real function
};

enum class LockMode { kExclusive, kShared };

class Scheduler {
 public:
  VirtualClock& clock() { return clock_; }
  void lock_clock() { lock_.acquire(); }
  void unlock_clock() { lock_.release(); }

  // --- Threads ---------------------------------------------------------------------------------
  // The calling thread becomes thread `id` (clients: the client's index). In kClients mode it is
  // held until all clients have arrived; the call returns when it is chosen. False: not controlled.
  bool arrive(ThreadId id, int fd);
  // kProgram mode: the main thread begins; a created thread registers (parked, creator goes on).
  void begin_program();
  // In a child forked at the program's fork point, by its only thread: an execution of its own,
  // which begins here, with the locks that the thread holds and at the time it is.
  void begin_program_again();
  ControlledThread* reserve_thread();  // by the creator; null if the table is full
  // The thread exists now, and can be chosen; or it could not be made.
  void publish_thread(ControlledThread* thread, uint64_t native_handle);
  void cancel_thread(ControlledThread* thread);
  void start_thread(ControlledThread* thread);  // by the new thread; returns when chosen
  // The session or thread is over; the caller goes on natively.
  void finish(ControlledThread& t);
  // Surrounds a call that blocks outside control. When the thread comes back is not ours to decide:
  // a recorded execution tells, by its choices, when its return was noticed, and a replay notices
  // it at that decision, waiting for it if need be.
  void leave(ControlledThread& t, OpKind kind, uint64_t site);
  bool rejoin(ControlledThread& t);
  ControlledThread* find_thread(uint64_t native_handle);
  // Contexts (contexts.cpp): by one that was chosen in its place outside. Like finish_wait().
  Proceed go_on_under_control(ControlledThread& t);
  // By one that polls in its place: what it polls for is there, and it goes on outside control.
  // False: it is under control no more, or to go on there.
  bool withdraw(WaitingPlace& place, WaitingPlace::State state);
  // A controlled thread sends that one a signal: if it polls without limit, that ends.
  void interrupt_poll(uint64_t native_handle);
  // By a thread whose wait control was given up in: the place in which it goes on waiting.
  WaitingPlace* place_outside(ControlledThread& t);

  // --- Decisions -------------------------------------------------------------------------------
  Proceed point(ControlledThread& t, OpKind kind, uint64_t object, uint64_t site, uint64_t aux = 0);
  // Before an acquisition; returns when it can complete according to the model.
  Proceed lock_point(ControlledThread& t, OpKind kind, uint64_t object, uint64_t site,
                     bool reentrant, int64_t deadline_ns = kNoDeadline);
  // Before a release. Critical sections without a call in them would never be met by a try: so
  // there is a point where one is about to be made. In programs alone: where not every release is a
  // point, orders by which a try fails are not worth as many points either.
  void before_release(ControlledThread& t, uint64_t object, uint64_t site);
  // After a release.
  void release_point(ControlledThread& t, OpKind kind, uint64_t object, uint64_t site);
  // Until poll() on the descriptors would return > 0. `fds` must stay valid.
  Proceed readiness_point(ControlledThread& t, OpKind kind, uint64_t object, uint64_t site,
                          pollfd* fds, uint32_t count, int64_t deadline_ns);
  Proceed join_point(ControlledThread& t, ThreadId target, uint64_t site, int64_t deadline_ns);

  // --- Locks -----------------------------------------------------------------------------------
  void acquired(ControlledThread& t, uint64_t object, LockMode mode, uint64_t site);
  void released(ControlledThread& t, uint64_t object);
  // Takes the place of whatever the thread held of this object before.
  void holds(ControlledThread& t, uint64_t object, LockMode mode, uint64_t site);
  bool owns(ControlledThread& t, uint64_t object);  // exclusively
  // A file's lock was refused to the thread: let others run, then try again. (Files are their
  // path's object; 0 is none.) And the other end of it.
  Proceed refused(ControlledThread& t, LockMode mode);
  void file_unlocked(ControlledThread& t, uint64_t object);
  void file_closed(ControlledThread& t, uint64_t object);
  // A controlled thread has initialised the lock at this address.
  void initialised(uint64_t object);
  // Its holder has ended, and nobody outside control is there who could give it back.
  bool left_for_good(uint64_t object);
  // Whether a thread outside control runs or is about to.
  bool does_outside_act();
  // The real lock is held outside control and did not come free: let others run, then retry.
  Proceed blocked_outside(ControlledThread& t);

  // --- Waits -----------------------------------------------------------------------------------
  // Registers the wait; from here on wake() finds the thread. Then finish_wait() passes the baton
  // and returns when the thread was woken or timed out *and* chosen, with the resume operation
  // (e.g. re-acquiring the mutex) possible.
  void begin_wait(ControlledThread& t, OpKind kind, uint64_t object, uint64_t site,
                  int64_t deadline_ns, uint32_t bitset, OpKind resume_kind, uint64_t resume_object,
                  bool resume_reentrant);
  // The same, if *word still has the expected value; false otherwise.
  bool begin_futex_wait(ControlledThread& t, const uint32_t* word, uint32_t expected, uint64_t site,
                        int64_t deadline_ns, uint32_t bitset);
  Proceed finish_wait(ControlledThread& t);
  // By any thread: wakes up to `most` virtual waiters of `object`; returns how many.
  uint32_t wake(uint64_t object, uint32_t most, uint32_t bitset = ~0u);
  // A wake-up by a controlled thread of threads outside, to be delivered when no controlled thread
  // can run, or leaves control. How many it is for; 0: nothing was kept back, it is to be made now.
  uint32_t keep_back(const WakeUp& wake);
  // The same of the end of a client's connection that a controlled thread asks for, if the client
  // is served: its thread would wake at once, outside control.
  bool hangs_up_later(ThreadId client, int fd);
  // What was kept back so, for whoever has the baton waits for it by no call that is known.
  void hang_up_now();
  // A client's connection is about to be closed; if not by its own thread (MySQL's KILL), its
  // session is over all the same. What is still kept back of it comes first.
  void connection_closed(ThreadId client, int fd);
  // Delivers what was kept back, for somebody may wait for what they do; if any of it is of that
  // object (0: of any).
  void let_outside_go(uint64_t object = 0);
  // Moves waiters of `from` to wait on `to` (futex requeue).
  uint32_t requeue(uint64_t from, uint64_t to, uint32_t most);

  // --- Data choices (protocol/data_choice.h) ---------------------------------------------------
  // Each is asked where the thread runs, and costs one comparison while its kind is off.
  bool offers(DataChoiceKind kind) const { return choices_.active(kind); }
  // The thread tries to take a lock: shall it be refused, as if somebody held it for a moment? Not
  // if the model knows of a holder, for then the real try tells.
  bool refuses_try(ControlledThread& t, uint64_t object, uint64_t site);
  // The call ends by EINTR.
  bool interrupts(ControlledThread& t, uint64_t object, uint64_t site);
  // How many of `size` bytes a read or write moves: fewer, but at least one, if it is so chosen.
  size_t shortened(ControlledThread& t, DataChoiceKind kind, uint64_t object, uint64_t site,
                   size_t size);
  // After a thread was made: a scheduling point, if it is so chosen.
  void creation_point(ControlledThread& t, ThreadId created, uint64_t site);
  // The process is about to end, and all its threads with it.
  void exit_point(ControlledThread& t, uint64_t site);

  // --- Threads that wait in memory (spinner.cpp) -------------------------------------------------
  // By a thread that waits for the baton.
  void look_for_spinner();
  // By the thread that was found to spin, in a signal handler.
  void interrupt_spin(ControlledThread& t);

  // Gives control up: every parked thread goes on natively. Also done by the harness, by setting
  // the phase and waking the slots.
  void release_all(uint32_t degraded_reason);

  // In a forked child: nothing is controlled.
  void forget();

 private:
  struct Decision {
    uint32_t number;
    TraceEvent* event;
    bool counts = true;  // false: only strategies that see every point are asked here
  };

  bool running() const { return block().phase.load() == Phase::kRunning; }
  void begin_execution();
  void begin_record();
  Decision begin_decision(ControlledThread& t, OpKind kind, uint64_t object, uint64_t site,
                          uint64_t aux);
  Proceed decide(ControlledThread& t, Decision decision);  // lock held; releases it
  bool never_conflicted(const ControlledThread& t) const;
  bool may_run_on(ControlledThread& t);
  Proceed wait_for_baton(ControlledThread& t);
  void hand_over(ThreadId next);
  ThreadId pick(const Decision& decision, bool may_wait);
  uint32_t collect_enabled();
  bool enabled(ControlledThread& t);
  bool lock_enabled(ControlledThread& t);
  bool still_refused(const ControlledThread& t);
  ThreadId choose(uint32_t count, const Decision& decision);
  bool is_drawn() const;
  uint32_t offer(uint32_t count);
  ThreadSet standing() const;
  void tell_waiting(uint32_t enabled_count, uint32_t decision, ThreadId chosen);
  void tell_done(ThreadId thread, OpKind kind, uint64_t object);
  bool waits_for_later();
  bool must_finish_first(const ControlledThread& t) const;
  bool anyone_left() const;
  bool is_context(const ControlledThread& t) const;
  bool is_let_go(const ControlledThread& t) const;
  bool come_to_rest(bool may_wait);
  bool wake_before_rest(bool may_wait);
  bool awaits_outside() const;
  void call_in(ControlledThread& t);
  void adopt_contexts();
  void adopt_context(WaitingPlace& place);
  ControlledThread& take_slot(ThreadId id, uint32_t tid, OpKind pending, uint64_t object,
                              uint64_t site);
  void let_contexts_go();
  bool let_timers_come();
  bool stands_between_requests(uint32_t count) const;
  Proceed after_wait(ControlledThread& t);
  uint32_t living() const;
  bool admit_returned(bool all);
  bool awaits_return() const;
  void await_return();
  void resume_idle();

  // Quiescence (quiescence.cpp).
  enum class Quiet { kRetry, kOver };
  enum class Outside { kEnabledSomebody, kAsleep, kStillActive, kOver };
  Quiet quiesce();
  Quiet wait_before_deadlock();
  bool deliver_outside_wakes();
  bool retry_outside_locks();
  void settle_outside(int64_t limit_ns);
  void let_the_away_act();
  // By a thread that waits for the baton while nobody has it: time passes as soon as nobody acts.
  void look_for_idleness();
  Outside wait_for_outside(int64_t limit_ns, bool until_asleep);
  enum class Deadlines { kOfAll, kOfContexts };
  bool fire_earliest_deadline(int64_t not_after_ns = kNoDeadline,
                              Deadlines whose = Deadlines::kOfAll);
  bool is_contexts_turn();
  void tick();
  int64_t next_step_ns();
  bool tick_is_due() const;
  bool outside_can_act();
  bool any_outside(bool acting);
  bool anybody_outside();
  bool anything_outside();
  bool is_left(uint64_t object);
  bool awaits_only_left_locks();

  // Deadlock (wait_graph.cpp).
  bool find_cycle(ControlledThread& from);
  ThreadId blockers(ControlledThread& t, ThreadId after);
  void report_waiters();
  void report_standing();

  void add_holder(ControlledThread& t, uint64_t object, LockMode mode, uint64_t site);
  Proceed end_wait(ControlledThread& t);
  void wake_thread(ControlledThread& t, bool outside);
  void end_execution(ControlEnding ending);
  void end_as_hang();
  [[noreturn]] void park_for_ever();
  Proceed go_native();

  // Data choices (choices.cpp).
  uint64_t choose_waiter(uint64_t count);
  bool take(ControlledThread& t, DataChoiceKind kind, DataChoice* choice);
  void choose_end_of_wait(ControlledThread& t);
  void choose_timeout(ControlledThread& t);
  void choose_timer(const ControlledThread& t);
  void pass_time(int64_t until_ns);
  void tell_end_of_wait(ControlledThread& t, uint64_t object, uint64_t site);
  void tell_timeout(ControlledThread& t, uint64_t object, uint64_t site);

  InternalLock lock_;
  VirtualClock clock_;
  Standstill standstill_;
  Fairness fairness_;
  LockTable locks_;
  TraceRecorder trace_;
  DataChoices choices_;
  KeptWakes kept_wakes_;
  struct {
    ThreadId thread = kNoThread;
    uint64_t heartbeat = 0;
    int64_t since_ns = 0;  // the thread's processor time
  } spin_;                 // who had the baton when somebody looked
  ControlledThread threads_[kMaxSlots] = {};
  uint32_t thread_count_ = 0;  // slots in use, finished ones included
  Pending pending_[kMaxSlots] = {};
  ThreadId current_ = kNoThread;       // who has, or last had, the baton
  bool idle_ = true;                   // nobody has the baton
  ThreadId open_request_ = kNoThread;  // whose request was begun last and has not ended
  int64_t opened_ns_ = 0;              // when that was, by the virtual clock
  uint64_t opened_firings_ = 0;        // timers that had fired by then
  bool follows_returns_ = true;        // replay: awaits_return() has not failed yet
  bool outside_retried_ = false;       // since the last progress
  uint64_t last_quiet_ = 0;            // point of the last quiescence or tick
  bool only_repeats_ = true;           // since then, all who could run did but repeat themselves
  bool time_awaited_ = false;          // the same, before the last tick
  int64_t step_ns_ = 0;                // the last tick's
  int64_t quiet_since_ns_ = 0;         // real time since which nothing has moved; 0: it has
  int64_t asleep_since_ns_ = 0;        // while nobody has the baton: that all outside sleep; 0: no
  uint64_t wait_serial_ = 0;
  uint32_t context_firings_ = 0;    // deadlines of contexts since a client did something new
  int64_t contexts_turn_ns_ = 0;    // virtual time after which more of them come
  uint32_t fruitless_firings_ = 0;  // the same, since a client was chosen
  uint64_t served_at_ = 0;          // point at which the last client was served; 0: not yet
  bool timers_came_ = false;        // or might have, since a request began
  uint32_t requests_begun_ = 0;
  std::atomic<uint32_t> outside_events_{0};  // futex: outside wake-ups and returns
  uint32_t filter_mask_ = 0;                 // 0: no conflict filter in this execution
  bool tells_waiting_ = false;               // for a search (protocol/waiting.h)
  bool exits_last_ = false;                  // not while another thread can run
  Rng lottery_;
  Strategy* strategy_ = nullptr;
  alignas(64) std::byte strategy_memory_[kStrategyMemoryBytes] = {};
};

extern Scheduler g_scheduler;

// Once, before anything is controlled.
void watch_spinners();

}  // namespace esox
