// SPDX-License-Identifier: Apache-2.0
// Condition variables. Waits of controlled threads are virtual: the mutex is really released, the
// thread parks in the scheduler, and resumes with the operation "take the mutex again". Threads of
// a server that are outside control park in a place of ours (scheduler/outside_waiters.h), where
// control can find them.
//
// A signal by any thread wakes a virtual waiter if there is one, else one that is parked, else it
// is sent for real. One by a controlled thread reaches those outside when no controlled thread can
// run.
#include <errno.h>
#include <pthread.h>

#include "preload/core/library_layout.h"
#include "preload/core/real.h"
#include "preload/interpose/calls.h"
#include "preload/interpose/outside_lock.h"
#include "preload/request/boundary.h"
#include "preload/scheduler/scheduler.h"

namespace esox {
namespace {

// The default version of these symbols is not the oldest one; RTLD_NEXT alone would find that.
ESOX_REAL_VERSION(pthread_cond_wait, "GLIBC_2.3.2");
ESOX_REAL_VERSION(pthread_cond_signal, "GLIBC_2.3.2");
ESOX_REAL_VERSION(pthread_cond_broadcast, "GLIBC_2.3.2");
ESOX_REAL_VERSION(pthread_cond_destroy, "GLIBC_2.3.2");
ESOX_REAL(pthread_cond_clockwait);

struct Wait {
  pthread_cond_t* cond;
  pthread_mutex_t* mutex;
  uint64_t site;
  clockid_t clock = CLOCK_MONOTONIC;
  const timespec* until = nullptr;  // null: without limit
};

int resume(ControlledThread& t, const Wait& wait, Proceed go) {
  const int result = relock_after_wait(t, wait.mutex, wait.site);
  if (result != 0) return result;
  return go == Proceed::kTimedOut ? ETIMEDOUT : 0;
}

// The mutex is given back, and the place is the thread's.
int wait_parked(const Wait& wait, WaitingPlace& place) {
  timespec until{};
  if (wait.until != nullptr) until = to_real_time(wait.clock, *wait.until);
  const uint32_t end = g_outside_waiters.sleep(place, wait.clock, wait.until ? &until : nullptr);
  ControlledThread* t = end == WaitingPlace::kChosen ? place.thread : nullptr;
  g_outside_waiters.leave(&place);
  if (t != nullptr) {
    const Proceed go = g_scheduler.go_on_under_control(*t);
    if (go != Proceed::kNative) {
      watch_end(*t);
      return resume(*t, wait, go);
    }
  }
  const int result = lock_natively(wait.mutex);
  pthread_testcancel();  // a wait is where a thread may be cancelled, with the mutex its own again
  return result == 0 && end == WaitingPlace::kTimedOut ? ETIMEDOUT : result;
}

// Others are refused by the real wait, or have passed.
bool is_moment(const timespec* until) {
  return until == nullptr ||
         (until->tv_sec >= 0 && until->tv_nsec >= 0 && until->tv_nsec < 1'000'000'000);
}

int wait_outside_control(const Wait& wait) {
  WaitingPlace* place = nullptr;
  const bool parks = attended() && block().mode == ControlMode::kClients && is_moment(wait.until) &&
                     !is_shared(wait.cond);
  if (parks) {
    place = g_outside_waiters.park({id_of(wait.cond), id_of(wait.mutex), is_recursive(wait.mutex),
                                    wait.site, wait.clock, wait.until, pthread_self(),
                                    raw::thread_id()});
  }
  if (place != nullptr) {
    const int result = unlock_natively(wait.mutex);
    if (result == 0) return wait_parked(wait, *place);
    g_outside_waiters.leave(place);
    return result;
  }
  const OutsideWait waits(wait.cond);
  if (wait.until == nullptr) return real_pthread_cond_wait(wait.cond, wait.mutex);
  const timespec until = to_real_time(wait.clock, *wait.until);
  return real_pthread_cond_clockwait(wait.cond, wait.mutex, wait.clock, &until);
}

int wait_controlled(ControlledThread& t, const Wait& wait) {
  const uint64_t object = id_of(wait.cond);
  const int64_t deadline_ns =
      wait.until != nullptr ? virtual_deadline(wait.clock, *wait.until) : kNoDeadline;
  if (g_scheduler.point(t, OpKind::kCondWait, object, wait.site) == Proceed::kNative) {
    return wait_outside_control(wait);  // control was lost before the wait began
  }
  // Registered before the mutex is released, so that no wake-up from outside falls between.
  g_scheduler.begin_wait(t, OpKind::kCondWait, object, wait.site, deadline_ns, ~0u,
                         OpKind::kMutexLock, id_of(wait.mutex), is_recursive(wait.mutex));
  g_scheduler.released(t, id_of(wait.mutex));
  unlock_natively(wait.mutex);
  const Proceed go = g_scheduler.finish_wait(t);
  if (go != Proceed::kNative) return resume(t, wait, go);
  // Control was given up during the wait: it goes on outside, or comes back as from a spurious
  // wake-up.
  WaitingPlace* place = g_scheduler.place_outside(t);
  return place != nullptr ? wait_parked(wait, *place) : lock_natively(wait.mutex);
}

int wait_on(const Wait& wait) {
  end_hung_up();
  ControlledThread* t = self();
  return t != nullptr ? wait_controlled(*t, wait) : wait_outside_control(wait);
}

}  // namespace

int wait_cond(pthread_cond_t* cond, pthread_mutex_t* mutex, uint64_t site) {
  return wait_on({cond, mutex, site});
}

int clockwait_cond(pthread_cond_t* cond, pthread_mutex_t* mutex, clockid_t clock,
                   const timespec* until, uint64_t site) {
  return wait_on({cond, mutex, site, clock, until});
}

int wake_cond(pthread_cond_t* cond, OpKind kind, uint64_t site) {
  const bool one = kind == OpKind::kCondSignal;
  uint32_t most = one ? 1 : UINT32_MAX;
  if (ControlledThread* t = self()) g_scheduler.point(*t, kind, id_of(cond), site);
  // Who comes to wait later is not meant: one woken by a broadcast, that waits again.
  const uint64_t until = g_outside_waiters.moment();
  const bool told = execution_to_be_told();
  if (told) {
    most -= g_scheduler.wake(id_of(cond), most);
    if (self() != nullptr && g_scheduler.keep_back({id_of(cond), most}) != 0) return 0;
  }
  if (attended() && block().mode == ControlMode::kClients) {
    most -= g_outside_waiters.wake(id_of(cond), most, until);
    // An execution may have begun, and taken them, since it was looked whether one runs.
    if (most > 0 && !told && execution_to_be_told()) most -= g_scheduler.wake(id_of(cond), most);
  }
  if (most == 0) return 0;
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
