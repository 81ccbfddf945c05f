// SPDX-License-Identifier: Apache-2.0
// Read-write locks. The pattern is that of mutex.cpp.
//
// The model lets a reader in whenever only readers hold the lock. A lock that prefers writers
// (PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP) would make that reader wait if a writer waits:
// such locks are scheduled like the default kind, which allows more interleavings, never fewer.
#include <errno.h>
#include <pthread.h>

#include "preload/core/real.h"
#include "preload/interpose/outside_lock.h"
#include "preload/scheduler/scheduler.h"

namespace esox {
namespace {

ESOX_REAL(pthread_rwlock_rdlock);
ESOX_REAL(pthread_rwlock_wrlock);
ESOX_REAL(pthread_rwlock_tryrdlock);
ESOX_REAL(pthread_rwlock_trywrlock);
ESOX_REAL(pthread_rwlock_unlock);
ESOX_REAL(pthread_rwlock_timedrdlock);
ESOX_REAL(pthread_rwlock_timedwrlock);
ESOX_REAL(pthread_rwlock_clockrdlock);
ESOX_REAL(pthread_rwlock_clockwrlock);

int native_lock(pthread_rwlock_t* lock, LockMode mode) {
  return mode == LockMode::kShared ? real_pthread_rwlock_rdlock(lock)
                                   : real_pthread_rwlock_wrlock(lock);
}

int try_lock(pthread_rwlock_t* lock, LockMode mode) {
  return mode == LockMode::kShared ? real_pthread_rwlock_tryrdlock(lock)
                                   : real_pthread_rwlock_trywrlock(lock);
}

int clock_lock(pthread_rwlock_t* lock, LockMode mode, clockid_t clock, const timespec* until) {
  return mode == LockMode::kShared ? real_pthread_rwlock_clockrdlock(lock, clock, until)
                                   : real_pthread_rwlock_clockwrlock(lock, clock, until);
}

int lock_controlled(ControlledThread& t, pthread_rwlock_t* lock, LockMode mode, uint64_t site,
                    int64_t deadline_ns) {
  const uint64_t object = id_of(lock);
  const OpKind kind = mode == LockMode::kShared ? OpKind::kReadLock : OpKind::kWriteLock;
  // Reentrant as far as the point is concerned: the real lock answers its owner with EDEADLK.
  Proceed go = g_scheduler.lock_point(t, kind, object, site, /*reentrant=*/true, deadline_ns);
  while (go == Proceed::kGo) {
    int result = try_lock(lock, mode);
    if (result == EBUSY && g_scheduler.owns(t, object)) return EDEADLK;
    if (result == EBUSY) {
      result = wait_outside(object, [&](const timespec& until) {
        return clock_lock(lock, mode, CLOCK_MONOTONIC, &until);
      });
    }
    if (result == 0) g_scheduler.acquired(t, object, mode, site);
    if (result != ETIMEDOUT) return result;
    go = g_scheduler.blocked_outside(t);
  }
  if (go == Proceed::kTimedOut) return ETIMEDOUT;
  return native_lock(lock, mode);
}

int timed_hook(pthread_rwlock_t* lock, LockMode mode, clockid_t clock, const timespec* until,
               uint64_t site) {
  ControlledThread* t = self();
  if (t == nullptr) {
    const timespec real_until = to_real_time(clock, *until);
    return clock_lock(lock, mode, clock, &real_until);
  }
  return lock_controlled(*t, lock, mode, site, virtual_deadline(clock, *until));
}

int try_hook(pthread_rwlock_t* lock, LockMode mode, uint64_t site) {
  ControlledThread* t = self();
  if (t == nullptr) return try_lock(lock, mode);
  const OpKind kind = mode == LockMode::kShared ? OpKind::kTryReadLock : OpKind::kTryWriteLock;
  const Proceed go = g_scheduler.point(*t, kind, id_of(lock), site);
  if (go == Proceed::kGo && g_scheduler.refuses_try(*t, id_of(lock), site)) return EBUSY;
  const int result = try_lock(lock, mode);
  if (result == 0 && go == Proceed::kGo) g_scheduler.acquired(*t, id_of(lock), mode, site);
  return result;
}

}  // namespace
}  // namespace esox

using namespace esox;

ESOX_HOOK int pthread_rwlock_rdlock(pthread_rwlock_t* lock) noexcept {
  ControlledThread* t = self();
  if (t == nullptr) return real_pthread_rwlock_rdlock(lock);
  return lock_controlled(*t, lock, LockMode::kShared, ESOX_SITE(), kNoDeadline);
}

ESOX_HOOK int pthread_rwlock_wrlock(pthread_rwlock_t* lock) noexcept {
  ControlledThread* t = self();
  if (t == nullptr) return real_pthread_rwlock_wrlock(lock);
  return lock_controlled(*t, lock, LockMode::kExclusive, ESOX_SITE(), kNoDeadline);
}

ESOX_HOOK int pthread_rwlock_tryrdlock(pthread_rwlock_t* lock) noexcept {
  return try_hook(lock, LockMode::kShared, ESOX_SITE());
}

ESOX_HOOK int pthread_rwlock_trywrlock(pthread_rwlock_t* lock) noexcept {
  return try_hook(lock, LockMode::kExclusive, ESOX_SITE());
}

ESOX_HOOK int pthread_rwlock_timedrdlock(pthread_rwlock_t* lock, const timespec* until) noexcept {
  return timed_hook(lock, LockMode::kShared, CLOCK_REALTIME, until, ESOX_SITE());
}

ESOX_HOOK int pthread_rwlock_timedwrlock(pthread_rwlock_t* lock, const timespec* until) noexcept {
  return timed_hook(lock, LockMode::kExclusive, CLOCK_REALTIME, until, ESOX_SITE());
}

ESOX_HOOK int pthread_rwlock_clockrdlock(pthread_rwlock_t* lock, clockid_t clock,
                                         const timespec* until) noexcept {
  return timed_hook(lock, LockMode::kShared, clock, until, ESOX_SITE());
}

ESOX_HOOK int pthread_rwlock_clockwrlock(pthread_rwlock_t* lock, clockid_t clock,
                                         const timespec* until) noexcept {
  return timed_hook(lock, LockMode::kExclusive, clock, until, ESOX_SITE());
}

ESOX_HOOK int pthread_rwlock_unlock(pthread_rwlock_t* lock) noexcept {
  ControlledThread* t = self();
  if (t == nullptr) return real_pthread_rwlock_unlock(lock);
  const uint64_t site = ESOX_SITE();
  g_scheduler.before_release(*t, id_of(lock), site);
  const int result =
      release_as_one(*t, id_of(lock), [&] { return real_pthread_rwlock_unlock(lock); });
  if (result == 0) g_scheduler.release_point(*t, OpKind::kRwUnlock, id_of(lock), site);
  return result;
}
