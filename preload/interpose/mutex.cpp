// SPDX-License-Identifier: Apache-2.0
// Mutexes of every type, and spin locks.
//
// Pattern of all acquisitions: a scheduling point that returns when the model says the lock is
// free; then the real trylock. EBUSY then means a holder outside control: wait natively for a short
// while, then let other controlled threads run and try again.
#include <errno.h>
#include <pthread.h>

#include "preload/core/library_layout.h"
#include "preload/core/real.h"
#include "preload/interpose/calls.h"
#include "preload/interpose/outside_lock.h"
#include "preload/scheduler/scheduler.h"

namespace esox {
namespace {

ESOX_REAL(pthread_mutex_lock);
ESOX_REAL(pthread_mutex_trylock);
ESOX_REAL(pthread_mutex_unlock);
ESOX_REAL(pthread_mutex_clocklock);
ESOX_REAL(pthread_spin_lock);
ESOX_REAL(pthread_spin_trylock);
ESOX_REAL(pthread_spin_unlock);

// Others deadlock with themselves.
bool answers_owner(const pthread_mutex_t* mutex) {
  return is_recursive(mutex) || is_error_checking(mutex);
}

bool holds_now(int result) {
  return result == 0 || result == EOWNERDEAD;
}

// Who holds it outside control does so for an instant.
int spin(pthread_spinlock_t* lock, const timespec& until) {
  int result;
  do {
    result = real_pthread_spin_trylock(lock);
  } while (result == EBUSY && raw::now_ns(CLOCK_MONOTONIC) < to_ns(until));
  return result == EBUSY ? ETIMEDOUT : result;
}

int lock_controlled(ControlledThread& t, pthread_mutex_t* mutex, uint64_t site,
                    int64_t deadline_ns) {
  const uint64_t object = id_of(mutex);
  Proceed go = g_scheduler.lock_point(t, OpKind::kMutexLock, object, site, answers_owner(mutex),
                                      deadline_ns);
  while (go == Proceed::kGo) {
    int result = real_pthread_mutex_trylock(mutex);
    if (result == EBUSY && g_scheduler.owns(t, object)) result = real_pthread_mutex_lock(mutex);
    if (result == EBUSY) {
      result = wait_outside(id_of(mutex), [&](const timespec& until) {
        return real_pthread_mutex_clocklock(mutex, CLOCK_MONOTONIC, &until);
      });
    }
    if (holds_now(result)) g_scheduler.acquired(t, object, LockMode::kExclusive, site);
    if (result != ETIMEDOUT) return result;
    go = g_scheduler.blocked_outside(t);
  }
  if (go == Proceed::kTimedOut) return ETIMEDOUT;
  return real_pthread_mutex_lock(mutex);
}

}  // namespace

int relock_after_wait(ControlledThread& t, pthread_mutex_t* mutex, uint64_t site) {
  while (true) {
    int result = real_pthread_mutex_trylock(mutex);
    if (result == EBUSY) {
      result = wait_outside(id_of(mutex), [&](const timespec& until) {
        return real_pthread_mutex_clocklock(mutex, CLOCK_MONOTONIC, &until);
      });
    }
    if (holds_now(result)) {
      g_scheduler.acquired(t, id_of(mutex), LockMode::kExclusive, site);
      return result;
    }
    if (result != ETIMEDOUT) return result;
    if (g_scheduler.blocked_outside(t) == Proceed::kNative) return real_pthread_mutex_lock(mutex);
  }
}

int lock_natively(pthread_mutex_t* mutex) {
  return real_pthread_mutex_lock(mutex);
}
int unlock_natively(pthread_mutex_t* mutex) {
  return real_pthread_mutex_unlock(mutex);
}

int lock_mutex(pthread_mutex_t* mutex, uint64_t site) {
  ControlledThread* t = self();
  if (t == nullptr) return real_pthread_mutex_lock(mutex);
  return lock_controlled(*t, mutex, site, kNoDeadline);
}

int trylock_mutex(pthread_mutex_t* mutex, uint64_t site) {
  ControlledThread* t = self();
  if (t == nullptr) return real_pthread_mutex_trylock(mutex);
  if (g_scheduler.point(*t, OpKind::kMutexTrylock, id_of(mutex), site) == Proceed::kNative) {
    return real_pthread_mutex_trylock(mutex);
  }
  if (g_scheduler.refuses_try(*t, id_of(mutex), site)) return EBUSY;
  const int result = real_pthread_mutex_trylock(mutex);
  if (holds_now(result)) g_scheduler.acquired(*t, id_of(mutex), LockMode::kExclusive, site);
  return result;
}

int clocklock_mutex(pthread_mutex_t* mutex, clockid_t clock, const timespec* until, uint64_t site) {
  ControlledThread* t = self();
  if (t == nullptr) {
    const timespec real_until = to_real_time(clock, *until);
    return real_pthread_mutex_clocklock(mutex, clock, &real_until);
  }
  return lock_controlled(*t, mutex, site, virtual_deadline(clock, *until));
}

int unlock_mutex(pthread_mutex_t* mutex, uint64_t site) {
  ControlledThread* t = self();
  if (t == nullptr) return real_pthread_mutex_unlock(mutex);
  g_scheduler.before_release(*t, id_of(mutex), site);
  const int result =
      release_as_one(*t, id_of(mutex), [&] { return real_pthread_mutex_unlock(mutex); });
  if (result == 0) g_scheduler.release_point(*t, OpKind::kMutexUnlock, id_of(mutex), site);
  return result;
}

}  // namespace esox

using namespace esox;

ESOX_HOOK int pthread_mutex_lock(pthread_mutex_t* mutex) noexcept {
  return lock_mutex(mutex, ESOX_SITE());
}

ESOX_HOOK int pthread_mutex_trylock(pthread_mutex_t* mutex) noexcept {
  return trylock_mutex(mutex, ESOX_SITE());
}

ESOX_HOOK int pthread_mutex_clocklock(pthread_mutex_t* mutex, clockid_t clock,
                                      const timespec* until) noexcept {
  return clocklock_mutex(mutex, clock, until, ESOX_SITE());
}

ESOX_HOOK int pthread_mutex_timedlock(pthread_mutex_t* mutex, const timespec* until) noexcept {
  return clocklock_mutex(mutex, CLOCK_REALTIME, until, ESOX_SITE());
}

ESOX_HOOK int pthread_mutex_unlock(pthread_mutex_t* mutex) noexcept {
  return unlock_mutex(mutex, ESOX_SITE());
}

ESOX_HOOK int pthread_spin_lock(pthread_spinlock_t* lock) noexcept {
  ControlledThread* t = self();
  if (t == nullptr) return real_pthread_spin_lock(lock);
  const uint64_t site = ESOX_SITE();
  Proceed go =
      g_scheduler.lock_point(*t, OpKind::kSpinLock, id_of(lock), site, /*reentrant=*/false);
  while (go == Proceed::kGo) {
    const int result =
        wait_outside(id_of(lock), [&](const timespec& until) { return spin(lock, until); });
    if (result == 0) g_scheduler.acquired(*t, id_of(lock), LockMode::kExclusive, site);
    if (result != ETIMEDOUT) return result;
    go = g_scheduler.blocked_outside(*t);
  }
  return real_pthread_spin_lock(lock);
}

ESOX_HOOK int pthread_spin_trylock(pthread_spinlock_t* lock) noexcept {
  ControlledThread* t = self();
  if (t == nullptr) return real_pthread_spin_trylock(lock);
  const uint64_t site = ESOX_SITE();
  const Proceed go = g_scheduler.point(*t, OpKind::kMutexTrylock, id_of(lock), site);
  if (go == Proceed::kGo && g_scheduler.refuses_try(*t, id_of(lock), site)) return EBUSY;
  const int result = real_pthread_spin_trylock(lock);
  if (go == Proceed::kGo && result == 0) {
    g_scheduler.acquired(*t, id_of(lock), LockMode::kExclusive, site);
  }
  return result;
}

ESOX_HOOK int pthread_spin_unlock(pthread_spinlock_t* lock) noexcept {
  ControlledThread* t = self();
  if (t == nullptr) return real_pthread_spin_unlock(lock);
  const uint64_t site = ESOX_SITE();
  g_scheduler.before_release(*t, id_of(lock), site);
  const int result =
      release_as_one(*t, id_of(lock), [&] { return real_pthread_spin_unlock(lock); });
  g_scheduler.release_point(*t, OpKind::kSpinUnlock, id_of(lock), site);
  return result;
}
