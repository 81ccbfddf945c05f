// SPDX-License-Identifier: Apache-2.0
// Threads: creation, end, join, detach, once.
//
// Rule of thread creation, the same for every strategy: creating a thread is not a scheduling
// point. The new thread counts as parked at kThreadStart at once, so that a program which creates
// its threads in a row has them all before any of them is scheduled (the comparison of strategies
// depends on this rule more than on the strategies: thesis 002's table 3.3 mixes two rules).
//
// With clients under control only their threads are controlled; threads they create are not.
#include <errno.h>
#include <pthread.h>

#include "preload/interpose/outside_lock.h"
#include "preload/interpose/real.h"
#include "preload/scheduler/scheduler.h"

namespace esox {
namespace {

ESOX_REAL(pthread_create);
ESOX_REAL(pthread_join);
ESOX_REAL(pthread_tryjoin_np);
ESOX_REAL(pthread_timedjoin_np);
ESOX_REAL(pthread_clockjoin_np);
ESOX_REAL(pthread_detach);
ESOX_REAL(pthread_cancel);
constinit Real<void (*)(void*)> real_pthread_exit{"pthread_exit"};  // not its [[noreturn]]
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

void end_of_thread(void* thread) {
  auto* t = static_cast<ControlledThread*>(thread);
  t_inside = 0;             // it may have been cancelled in a call outside control
  if (self() != t) return;  // control was given up
  if (++t->ending_rounds < PTHREAD_DESTRUCTOR_ITERATIONS) {
    pthread_setspecific(g_end_key, t);
  } else {
    g_scheduler.finish(*t);
  }
}

void make_end_key() {
  if (g_end_key_made) return;
  g_end_key_made = true;
  if (pthread_key_create(&g_end_key, end_of_thread) != 0) mark_degraded(kDegradedTableFull);
}

void* run_controlled(void* slot) {
  auto* thread = static_cast<ControlledThread*>(slot);
  const Start start = g_starts[thread->id];
  pthread_setspecific(g_end_key, thread);
  g_scheduler.start_thread(thread);
  return start.routine(start.argument);
}

// The target has left control and is on its way out: the real join ends soon, unless something that
// runs even later, in the C library, waits for a lock that a parked thread holds.
int join_controlled(ControlledThread& t, ControlledThread& target, pthread_t handle, void** value,
                    uint64_t site) {
  Proceed go = g_scheduler.join_point(t, target.id, site);
  while (go != Proceed::kNative) {
    const int result = wait_outside([&](const timespec& until) {
      return real_pthread_clockjoin_np(handle, value, CLOCK_MONOTONIC, &until);
    });
    if (result != ETIMEDOUT) return result;
    go = g_scheduler.blocked_outside(t);
  }
  return real_pthread_join(handle, value);
}

}  // namespace
}  // namespace esox

using namespace esox;

ESOX_HOOK int pthread_create(pthread_t* handle, const pthread_attr_t* attributes,
                             void* (*routine)(void*), void* argument) noexcept {
  ControlledThread* t = self();
  if (t == nullptr || block().mode == ControlMode::kClients) {
    return real_pthread_create(handle, attributes, routine, argument);
  }
  ControlledThread* created = g_scheduler.reserve_thread();
  if (created == nullptr) return real_pthread_create(handle, attributes, routine, argument);
  make_end_key();
  g_starts[created->id] = {routine, argument};
  const int result = real_pthread_create(handle, attributes, run_controlled, created);
  if (result != 0) {
    g_scheduler.cancel_thread(created);
  } else {
    g_scheduler.publish_thread(created, *handle);
  }
  return result;
}

ESOX_HOOK int pthread_join(pthread_t handle, void** result) {
  if (ControlledThread* t = self()) {
    if (ControlledThread* target = g_scheduler.find_thread(handle)) {
      return join_controlled(*t, *target, handle, result, ESOX_SITE());
    }
    g_scheduler.leave(*t, OpKind::kThreadJoin, ESOX_SITE());
    const int joined = real_pthread_join(handle, result);
    g_scheduler.rejoin(*t);
    return joined;
  }
  return real_pthread_join(handle, result);
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

// A timed join of a controlled thread waits for it without limit: on the virtual clock the limit
// would only be reached when nothing else can run, which is a deadlock to be reported.
ESOX_HOOK int pthread_timedjoin_np(pthread_t handle, void** result, const timespec* until) {
  if (self() != nullptr) return pthread_join(handle, result);
  return real_pthread_timedjoin_np(handle, result, until);
}

ESOX_HOOK int pthread_detach(pthread_t handle) noexcept {
  if (ControlledThread* t = self()) {
    g_scheduler.point(*t, OpKind::kThreadCreate, handle, ESOX_SITE());
  }
  return real_pthread_detach(handle);
}

// A parked thread does not notice that it is cancelled: nothing that follows can be believed.
ESOX_HOOK int pthread_cancel(pthread_t handle) {
  if (execution_running() && g_scheduler.find_thread(handle) != nullptr) {
    mark_degraded(kDegradedUnsupported);
  }
  return real_pthread_cancel(handle);
}

ESOX_HOOK void pthread_exit(void* result) {
  ControlledThread* t = self();
  if (t != nullptr && block().mode == ControlMode::kProgram) {
    make_end_key();
    pthread_setspecific(g_end_key, t);  // of the main thread, which has none yet
  } else if (t != nullptr) {
    g_scheduler.finish(*t);
  }
  real_pthread_exit(result);
  __builtin_unreachable();
}

// The routine may hold scheduling points: a second thread must not enter the real function, and
// block there, before the first is through. It may also throw: the C library then makes the once
// callable again, while nothing that follows here is executed.
ESOX_HOOK int pthread_once(pthread_once_t* control, void (*routine)()) {
  ControlledThread* t = self();
  if (t == nullptr) return real_pthread_once(control, routine);
  const uint64_t object = reinterpret_cast<uint64_t>(control);
  const uint64_t site = ESOX_SITE();
  const Proceed go = g_scheduler.lock_point(*t, OpKind::kOnce, object, site, /*reentrant=*/false);
  if (go != Proceed::kGo) return real_pthread_once(control, routine);
  g_scheduler.holds(*t, object, LockMode::kExclusive, site);
  const int result = real_pthread_once(control, routine);
  if (ControlledThread* still = self()) g_scheduler.released(*still, object);
  return result;
}
