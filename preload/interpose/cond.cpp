// SPDX-License-Identifier: Apache-2.0
// Condition variables. Waits of controlled threads are virtual: the mutex is really released, the
// thread parks in the scheduler, and resumes with the operation "take the mutex again".
//
// A signal by any thread wakes a virtual waiter if there is one, and is also sent for real: threads
// outside control may wait on the same variable, and a spurious wake-up is legal for them. One by a
// controlled thread reaches those when no controlled thread can run (scheduler/outside_waiters.h).
#include <errno.h>
#include <pthread.h>

#include "preload/core/library_layout.h"
#include "preload/core/real.h"
#include "preload/interpose/calls.h"
#include "preload/interpose/outside_lock.h"
#include "preload/scheduler/scheduler.h"

namespace esox {
namespace {

// The default version of these symbols is not the oldest one; RTLD_NEXT alone would find that.
ESOX_REAL_VERSION(pthread_cond_wait, "GLIBC_2.3.2");
ESOX_REAL_VERSION(pthread_cond_signal, "GLIBC_2.3.2");
ESOX_REAL_VERSION(pthread_cond_broadcast, "GLIBC_2.3.2");
ESOX_REAL_VERSION(pthread_cond_destroy, "GLIBC_2.3.2");
ESOX_REAL(pthread_cond_clockwait);

// kNative in `*native`: control was lost before the wait began; wait for real.
int wait_controlled(ControlledThread& t, pthread_cond_t* cond, pthread_mutex_t* mutex,
                    uint64_t site, int64_t deadline_ns, bool* native) {
  *native = false;
  if (g_scheduler.point(t, OpKind::kCondWait, id_of(cond), site) == Proceed::kNative) {
    *native = true;
    return 0;
  }
  // Registered before the mutex is released, so that no wake-up from outside falls between.
  g_scheduler.begin_wait(t, OpKind::kCondWait, id_of(cond), site, deadline_ns, ~0u,
                         OpKind::kMutexLock, id_of(mutex), is_recursive(mutex));
  g_scheduler.released(t, id_of(mutex));
  unlock_natively(mutex);
  const Proceed go = g_scheduler.finish_wait(t);
  // Control given up during the wait: come back as from a spurious wake-up.
  if (go == Proceed::kNative) return lock_natively(mutex);
  const int result = relock_after_wait(t, mutex, site);
  if (result != 0) return result;
  return go == Proceed::kTimedOut ? ETIMEDOUT : 0;
}

}  // namespace

int wait_cond(pthread_cond_t* cond, pthread_mutex_t* mutex, uint64_t site) {
  if (ControlledThread* t = self()) {
    bool native;
    const int result = wait_controlled(*t, cond, mutex, site, kNoDeadline, &native);
    if (!native) return result;
  }
  const OutsideWait waits(cond);
  return real_pthread_cond_wait(cond, mutex);
}

int clockwait_cond(pthread_cond_t* cond, pthread_mutex_t* mutex, clockid_t clock,
                   const timespec* until, uint64_t site) {
  if (ControlledThread* t = self()) {
    bool native;
    const int result =
        wait_controlled(*t, cond, mutex, site, virtual_deadline(clock, *until), &native);
    if (!native) return result;
  }
  const timespec real_until = to_real_time(clock, *until);
  const OutsideWait waits(cond);
  return real_pthread_cond_clockwait(cond, mutex, clock, &real_until);
}

int wake_cond(pthread_cond_t* cond, OpKind kind, uint64_t site) {
  const bool one = kind == OpKind::kCondSignal;
  const uint32_t most = one ? 1 : UINT32_MAX;
  if (ControlledThread* t = self()) g_scheduler.point(*t, kind, id_of(cond), site);
  if (execution_to_be_told()) {
    g_scheduler.wake(id_of(cond), most);
    if (self() != nullptr && g_scheduler.keep_back({id_of(cond), most}) != 0) return 0;
  }
  return one ? real_pthread_cond_signal(cond) : real_pthread_cond_broadcast(cond);
}

}  // namespace esox

using namespace esox;

ESOX_HOOK int pthread_cond_wait(pthread_cond_t* cond, pthread_mutex_t* mutex) {
  return wait_cond(cond, mutex, ESOX_SITE());
}

ESOX_HOOK int pthread_cond_timedwait(pthread_cond_t* cond, pthread_mutex_t* mutex,
                                     const timespec* until) {
  return clockwait_cond(cond, mutex, clock_of(cond), until, ESOX_SITE());
}

ESOX_HOOK int pthread_cond_clockwait(pthread_cond_t* cond, pthread_mutex_t* mutex, clockid_t clock,
                                     const timespec* until) {
  return clockwait_cond(cond, mutex, clock, until, ESOX_SITE());
}

// Returns when those who were woken have left it, so they must have been.
ESOX_HOOK int pthread_cond_destroy(pthread_cond_t* cond) noexcept {
  if (self() != nullptr) g_scheduler.let_outside_go(id_of(cond));
  return real_pthread_cond_destroy(cond);
}

ESOX_HOOK int pthread_cond_signal(pthread_cond_t* cond) noexcept {
  return wake_cond(cond, OpKind::kCondSignal, ESOX_SITE());
}

ESOX_HOOK int pthread_cond_broadcast(pthread_cond_t* cond) noexcept {
  return wake_cond(cond, OpKind::kCondBroadcast, ESOX_SITE());
}
