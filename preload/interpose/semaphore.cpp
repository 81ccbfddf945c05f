// SPDX-License-Identifier: Apache-2.0
// POSIX semaphores and barriers.
//
// A semaphore's value is the model: a wait is enabled while it is positive, so that posts by
// threads outside control count too. Barriers are counted by the scheduler in a table made when
// they are initialised, because the real one cannot be asked.
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>

#include "preload/core/real.h"
#include "preload/interpose/outside_lock.h"
#include "preload/scheduler/scheduler.h"

namespace esox {
namespace {

ESOX_REAL(sem_wait);
ESOX_REAL(sem_trywait);
ESOX_REAL(sem_timedwait);
ESOX_REAL(sem_clockwait);
ESOX_REAL(sem_post);
ESOX_REAL(pthread_barrier_init);
ESOX_REAL(pthread_barrier_destroy);
ESOX_REAL(pthread_barrier_wait);

int wait_controlled(ControlledThread& t, sem_t* semaphore, uint64_t site, int64_t deadline_ns) {
  while (true) {
    const Proceed go = g_scheduler.lock_point(t, OpKind::kSemWait, id_of(semaphore), site,
                                              /*reentrant=*/false, deadline_ns);
    if (go == Proceed::kTimedOut) {
      errno = ETIMEDOUT;
      return -1;
    }
    if (go == Proceed::kNative) return real_sem_wait(semaphore);
    if (g_scheduler.interrupts(t, id_of(semaphore), site)) {
      errno = EINTR;
      return -1;
    }
    if (real_sem_trywait(semaphore) == 0) return 0;
    if (errno != EAGAIN) return -1;
    // Taken by a thread outside control between the look and the try: wait for the next post.
  }
}

// A post is there, but shall be gone, as if somebody had taken it and given it back.
bool refuses_post(ControlledThread& t, sem_t* semaphore, uint64_t site) {
  int value = 0;
  if (!g_scheduler.offers(DataChoiceKind::kTryFails)) return false;
  if (sem_getvalue(semaphore, &value) != 0 || value <= 0) return false;
  return g_scheduler.refuses_try(t, id_of(semaphore), site);
}

struct Barrier {
  uint64_t object = 0;
  uint32_t needed = 0;
  uint32_t arrived = 0;
};
constexpr uint32_t kBarriers = 256;
Barrier g_barriers[kBarriers];

Barrier* find_barrier(uint64_t object) {
  for (Barrier& barrier : g_barriers) {
    if (barrier.object == object) return &barrier;
  }
  return nullptr;
}

void remember_barrier(uint64_t object, uint32_t needed) {
  g_hook_locks.barriers.acquire();
  Barrier* barrier = find_barrier(object);
  if (barrier == nullptr) barrier = find_barrier(0);
  if (barrier != nullptr) *barrier = {object, needed, 0};
  g_hook_locks.barriers.release();
}

// One more arrival. True: the last one, the barrier opens.
bool arrive_at(Barrier& barrier) {
  g_hook_locks.barriers.acquire();
  const bool last = ++barrier.arrived == barrier.needed;
  if (last) barrier.arrived = 0;
  g_hook_locks.barriers.release();
  return last;
}

}  // namespace
}  // namespace esox

using namespace esox;

ESOX_HOOK int sem_wait(sem_t* semaphore) {
  ControlledThread* t = self();
  if (t == nullptr) return real_sem_wait(semaphore);
  return wait_controlled(*t, semaphore, ESOX_SITE(), kNoDeadline);
}

ESOX_HOOK int sem_timedwait(sem_t* semaphore, const timespec* until) {
  ControlledThread* t = self();
  if (t == nullptr) {
    const timespec real_until = to_real_time(CLOCK_REALTIME, *until);
    return real_sem_timedwait(semaphore, &real_until);
  }
  return wait_controlled(*t, semaphore, ESOX_SITE(), virtual_deadline(CLOCK_REALTIME, *until));
}

ESOX_HOOK int sem_clockwait(sem_t* semaphore, clockid_t clock, const timespec* until) {
  ControlledThread* t = self();
  if (t == nullptr) {
    const timespec real_until = to_real_time(clock, *until);
    return real_sem_clockwait(semaphore, clock, &real_until);
  }
  return wait_controlled(*t, semaphore, ESOX_SITE(), virtual_deadline(clock, *until));
}

ESOX_HOOK int sem_trywait(sem_t* semaphore) noexcept {
  ControlledThread* t = self();
  if (t == nullptr) return real_sem_trywait(semaphore);
  const uint64_t site = ESOX_SITE();
  const Proceed go = g_scheduler.point(*t, OpKind::kMutexTrylock, id_of(semaphore), site);
  if (go == Proceed::kGo && refuses_post(*t, semaphore, site)) {
    errno = EAGAIN;
    return -1;
  }
  return real_sem_trywait(semaphore);
}

ESOX_HOOK int sem_post(sem_t* semaphore) noexcept {
  if (ControlledThread* t = self()) {
    g_scheduler.point(*t, OpKind::kSemPost, id_of(semaphore), ESOX_SITE());
  }
  return real_sem_post(semaphore);
}

ESOX_HOOK int pthread_barrier_init(pthread_barrier_t* barrier,
                                   const pthread_barrierattr_t* attributes,
                                   unsigned count) noexcept {
  const int result = real_pthread_barrier_init(barrier, attributes, count);
  if (result == 0) remember_barrier(id_of(barrier), count);
  return result;
}

ESOX_HOOK int pthread_barrier_destroy(pthread_barrier_t* barrier) noexcept {
  g_hook_locks.barriers.acquire();
  if (Barrier* known = find_barrier(id_of(barrier))) *known = Barrier{};
  g_hook_locks.barriers.release();
  return real_pthread_barrier_destroy(barrier);
}

ESOX_HOOK int pthread_barrier_wait(pthread_barrier_t* barrier) noexcept {
  ControlledThread* t = self();
  if (t == nullptr) return real_pthread_barrier_wait(barrier);
  const uint64_t object = id_of(barrier);
  const uint64_t site = ESOX_SITE();
  g_hook_locks.barriers.acquire();
  Barrier* known = find_barrier(object);
  g_hook_locks.barriers.release();
  if (known == nullptr) {
    // Not seen at its initialisation (static, or the table was full): wait outside control.
    g_scheduler.leave(*t, OpKind::kBarrierWait, site);
    const int result = real_pthread_barrier_wait(barrier);
    g_scheduler.rejoin(*t);
    return result;
  }
  if (g_scheduler.point(*t, OpKind::kBarrierWait, object, site) == Proceed::kNative) {
    return real_pthread_barrier_wait(barrier);
  }
  // Registered before the arrival counts: the thread that opens the barrier wakes all registered.
  g_scheduler.begin_wait(*t, OpKind::kBarrierWait, object, site, kNoDeadline, ~0u,
                         OpKind::kBarrierWait, object, false);
  if (arrive_at(*known)) {
    g_scheduler.wake(object, UINT32_MAX);
    g_scheduler.finish_wait(*t);
    return PTHREAD_BARRIER_SERIAL_THREAD;
  }
  g_scheduler.finish_wait(*t);
  return 0;
}
