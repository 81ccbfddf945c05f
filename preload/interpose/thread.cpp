// SPDX-License-Identifier: Apache-2.0
// Threads: creation, end, join, detach, once.
//
// Before a program exits while it has other threads there is a point: they end with it, or do
// something before.
//
// Rule of thread creation, the same for every strategy: creating a thread is not a scheduling
// point (but by a data choice, which is off unless asked for). The new thread counts as parked at
// kThreadStart at once, so that a program which creates its threads in a row has them all before
// any of them is scheduled (the comparison of strategies depends on this rule more than on the
// strategies).
//
// With clients under control, threads that controlled ones create are contexts, if those are
// controlled at all (scheduler/contexts.cpp).
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

#include "preload/core/real.h"
#include "preload/interpose/calls.h"
#include "preload/interpose/outside_lock.h"
#include "preload/program/fork_server.h"
#include "preload/scheduler/scheduler.h"

namespace esox {
namespace {

ESOX_REAL(pthread_create);
ESOX_REAL(pthread_join);
ESOX_REAL(pthread_tryjoin_np);
ESOX_REAL(pthread_clockjoin_np);
ESOX_REAL(pthread_detach);
ESOX_REAL(pthread_cancel);
ESOX_REAL(pthread_kill);
ESOX_LISTED constinit Real<void (*)(void*)> real_pthread_exit{
    "pthread_exit"};                                          // not its [[noreturn]]
ESOX_LISTED constinit Real<void (*)(int)> real_exit{"exit"};  // the same
ESOX_REAL(pthread_once);

struct Start {
  void* (*routine)(void*);
  void* argument;
};
// By slot: a thread's own entry is read once, at its start, before the slot can be reused.
Start g_starts[kMaxSlots];

// Control ends with the last of a thread's own code: after the destructors of its thread-local
// objects and of its keys, which lock as well. Hence a key of ours, whose destructor renews itself
// until the last round of destructors. Controlled threads run one at a time, so it is made once.
pthread_key_t g_end_key;
bool g_end_key_made = false;
ThreadId g_exiting = kNoThread;  // who ends the process

void end_of_thread(void* thread) {
  auto* t = static_cast<ControlledThread*>(thread);
  t_inside = 0;                             // it may have been cancelled in a call outside control
  if (t == nullptr || self() != t) return;  // control was given up
  if (++t->ending_rounds < PTHREAD_DESTRUCTOR_ITERATIONS) {
    pthread_setspecific(g_end_key, t);
  } else {
    g_scheduler.finish(*t);
  }
}

// The point before the process ends; which the first does who is to end it, and others wait for (as
// since glibc 2.41: before, two that did were undefined).
void stand_before_exit(ControlledThread& t, uint64_t site) {
  if (g_exiting == t.id) return;
  g_scheduler.exit_point(t, site);
  if (g_exiting == kNoThread) {
    g_exiting = t.id;
    return;
  }
  const auto object = reinterpret_cast<uint64_t>(&g_exiting);
  g_scheduler.begin_wait(t, OpKind::kProcessExit, object, site, kNoDeadline, 0,
                         OpKind::kProcessExit, object, false);
  g_scheduler.finish_wait(t);
}

// By exit() itself, which main's return calls within the C library. Registered when the first
// thread is made: what the program registers later, and may wait for its threads in, comes before.
void at_exit() {
  ControlledThread* t = self();
  if (t != nullptr && block().mode == ControlMode::kProgram) stand_before_exit(*t, 0);
}

void make_end_key() {
  if (g_end_key_made) return;
  g_end_key_made = true;
  g_exiting = kNoThread;
  if (atexit(at_exit) != 0) mark_degraded(kDegradedTableFull);
  if (pthread_key_create(&g_end_key, end_of_thread) != 0) mark_degraded(kDegradedTableFull);
}

void* run_controlled(void* slot) {
  auto* thread = static_cast<ControlledThread*>(slot);
  const Start start = g_starts[thread->id];
  watch_end(*thread);
  g_scheduler.start_thread(thread);
  return start.routine(start.argument);
}

bool is_detached(const pthread_attr_t* attributes) {
  int state = PTHREAD_CREATE_JOINABLE;
  return attributes != nullptr && pthread_attr_getdetachstate(attributes, &state) == 0 &&
         state == PTHREAD_CREATE_DETACHED;
}

// The target has left control and is on its way out: the real join ends soon, unless something that
// runs even later, in the C library, waits for a lock that a parked thread holds.
int join_controlled(ControlledThread& t, ControlledThread& target, pthread_t handle, void** value,
                    uint64_t site, int64_t deadline_ns) {
  Proceed go = g_scheduler.join_point(t, target.id, site, deadline_ns);
  while (go == Proceed::kGo) {
    const int result = wait_outside(0, [&](const timespec& until) {
      return real_pthread_clockjoin_np(handle, value, CLOCK_MONOTONIC, &until);
    });
    if (result != ETIMEDOUT) return result;
    go = g_scheduler.blocked_outside(t);
  }
  return go == Proceed::kTimedOut ? ETIMEDOUT : real_pthread_join(handle, value);
}

// A thread of the server's own, outside control. Mostly it was told to end and does: then the
// joiner waits with the baton, and tries again after others have run if it waits for one of them,
// so that who comes next is not for the machine to say. ETIMEDOUT: it has much to do.
int join_with_patience(ControlledThread& t, pthread_t handle, void** result, uint64_t site) {
  Proceed go = g_scheduler.join_point(t, kNoThread, site, kNoDeadline);
  while (go == Proceed::kGo) {
    const int joined = wait_outside(0, [&](const timespec& until) {
      return real_pthread_clockjoin_np(handle, result, CLOCK_MONOTONIC, &until);
    });
    if (joined != ETIMEDOUT || g_scheduler.does_outside_act()) return joined;
    go = g_scheduler.blocked_outside(t);
  }
  return ETIMEDOUT;
}

int clockjoin(pthread_t handle, void** result, clockid_t clock, const timespec* until,
              uint64_t site) {
  ControlledThread* t = self();
  ControlledThread* target = t != nullptr ? g_scheduler.find_thread(handle) : nullptr;
  if (target != nullptr) {
    const int64_t deadline_ns = until != nullptr ? virtual_deadline(clock, *until) : kNoDeadline;
    return join_controlled(*t, *target, handle, result, site, deadline_ns);
  }
  if (t != nullptr && until == nullptr && block().mode == ControlMode::kClients) {
    const int joined = join_with_patience(*t, handle, result, site);
    if (joined != ETIMEDOUT) return joined;
    t = self();  // control may have been lost
  }
  timespec real_until{};
  if (until != nullptr) real_until = to_real_time(clock, *until);
  if (t != nullptr) g_scheduler.leave(*t, OpKind::kThreadJoin, site);
  const int joined =
      real_pthread_clockjoin_np(handle, result, clock, until != nullptr ? &real_until : nullptr);
  if (t != nullptr) g_scheduler.rejoin(*t);
  return joined;
}

}  // namespace

void watch_end(ControlledThread& t) {
  make_end_key();
  pthread_setspecific(g_end_key, &t);
}

int create_thread(pthread_t* handle, const pthread_attr_t* attributes, void* (*routine)(void*),
                  void* argument, uint64_t site) {
  ControlledThread* t = self();
  const ControlBlock& b = block();
  const bool makes_contexts = b.background != 0 || b.ends_server != 0;
  if (t == nullptr || (b.mode == ControlMode::kClients && !makes_contexts)) {
    return real_pthread_create(handle, attributes, routine, argument);
  }
  fork_before_first_thread();
  ControlledThread* created = g_scheduler.reserve_thread();
  if (created == nullptr) return real_pthread_create(handle, attributes, routine, argument);
  created->slot->routine = reinterpret_cast<uint64_t>(routine);
  created->slot->detached = is_detached(attributes) ? 1 : 0;
  make_end_key();
  g_starts[created->id] = {routine, argument};
  const int result = real_pthread_create(handle, attributes, run_controlled, created);
  if (result != 0) {
    g_scheduler.cancel_thread(created);
  } else {
    g_scheduler.publish_thread(created, *handle);
    g_scheduler.creation_point(*t, created->id, site);
  }
  return result;
}

int join_thread(pthread_t handle, void** result, uint64_t site) {
  if (self() == nullptr) return real_pthread_join(handle, result);
  return clockjoin(handle, result, CLOCK_REALTIME, nullptr, site);
}

int detach_thread(pthread_t handle, uint64_t site) {
  if (ControlledThread* t = self()) {
    ControlledThread* target = g_scheduler.find_thread(handle);
    // By its number: the handle is an address, which depends on threads that have ended outside.
    g_scheduler.point(*t, OpKind::kThreadCreate, target != nullptr ? target->id : 0, site);
    if (target != nullptr) target->slot->detached = 1;
  }
  return real_pthread_detach(handle);
}

void exit_thread(void* result) {
  ControlledThread* t = self();
  if (t != nullptr && (block().mode == ControlMode::kProgram || t->fd < 0)) {
    watch_end(*t);  // for the main thread has not come by run_controlled()
  } else if (t != nullptr) {
    g_scheduler.finish(*t);
  }
  real_pthread_exit(result);
  __builtin_unreachable();
}

// The routine may hold scheduling points: a second thread must not enter the real function, and
// block there, before the first is through. It may also throw: the C library then makes the once
// callable again, while nothing that follows here is executed.
int call_once_only(pthread_once_t* control, void (*routine)(), uint64_t site) {
  ControlledThread* t = self();
  if (t == nullptr) return real_pthread_once(control, routine);
  const uint64_t object = reinterpret_cast<uint64_t>(control);
  const Proceed go = g_scheduler.lock_point(*t, OpKind::kOnce, object, site, /*reentrant=*/false);
  if (go != Proceed::kGo) return real_pthread_once(control, routine);
  g_scheduler.holds(*t, object, LockMode::kExclusive, site);
  const int result = real_pthread_once(control, routine);
  if (ControlledThread* still = self()) g_scheduler.released(*still, object);
  return result;
}

}  // namespace esox

using namespace esox;

ESOX_HOOK int pthread_create(pthread_t* handle, const pthread_attr_t* attributes,
                             void* (*routine)(void*), void* argument) noexcept {
  return create_thread(handle, attributes, routine, argument, ESOX_SITE());
}

ESOX_HOOK int pthread_join(pthread_t handle, void** result) {
  return join_thread(handle, result, ESOX_SITE());
}

ESOX_HOOK int pthread_timedjoin_np(pthread_t handle, void** result, const timespec* until) {
  return clockjoin(handle, result, CLOCK_REALTIME, until, ESOX_SITE());
}

ESOX_HOOK int pthread_clockjoin_np(pthread_t handle, void** result, clockid_t clock,
                                   const timespec* until) {
  return clockjoin(handle, result, clock, until, ESOX_SITE());
}

ESOX_HOOK int pthread_tryjoin_np(pthread_t handle, void** result) noexcept {
  ControlledThread* t = self();
  if (t == nullptr) return real_pthread_tryjoin_np(handle, result);
  ControlledThread* target = g_scheduler.find_thread(handle);
  g_scheduler.point(*t, OpKind::kMutexTrylock, target != nullptr ? target->id : 0, ESOX_SITE());
  if (target != nullptr && target->alive()) return EBUSY;
  return target != nullptr ? real_pthread_join(handle, result)
                           : real_pthread_tryjoin_np(handle, result);
}

ESOX_HOOK int pthread_detach(pthread_t handle) noexcept {
  return detach_thread(handle, ESOX_SITE());
}

// A parked thread does not notice that it is cancelled: nothing that follows can be believed.
ESOX_HOOK int pthread_cancel(pthread_t handle) {
  if (execution_running() && g_scheduler.find_thread(handle) != nullptr) {
    mark_degraded(kDegradedUnsupported);
  }
  const int result = real_pthread_cancel(handle);
  if (result == 0) g_outside_waiters.wake_thread(handle);
  return result;
}

// MySQL's KILL shuts a connection down, sends its thread a signal, and spins until that has
// noticed.
ESOX_HOOK int pthread_kill(pthread_t handle, int signal) noexcept {
  if (self() != nullptr) {
    g_scheduler.hang_up_now();
    if (signal != 0) g_scheduler.interrupt_poll(handle);
  }
  return real_pthread_kill(handle, signal);
}

ESOX_HOOK void pthread_exit(void* result) {
  exit_thread(result);
}

ESOX_HOOK void exit(int status) noexcept {
  ControlledThread* t = self();
  if (t != nullptr && block().mode == ControlMode::kProgram) stand_before_exit(*t, ESOX_SITE());
  real_exit(status);
  __builtin_unreachable();
}

ESOX_HOOK int pthread_once(pthread_once_t* control, void (*routine)()) {
  return call_once_only(control, routine, ESOX_SITE());
}
