// SPDX-License-Identifier: Apache-2.0
// C11 threads. In glibc they are pthreads by another name (its threads.h types hold a pthread
// object each, and its functions call the pthread ones inside the library, past any hook), so their
// hooks are those of the pthread families, with C11's results.
#include <errno.h>
#include <threads.h>

#include "preload/core/real.h"
#include "preload/interpose/calls.h"
#include "preload/scheduler/scheduler.h"

namespace esox {
namespace {

static_assert(sizeof(mtx_t) == sizeof(pthread_mutex_t));
static_assert(sizeof(cnd_t) == sizeof(pthread_cond_t));
static_assert(sizeof(thrd_t) == sizeof(pthread_t));
static_assert(sizeof(once_flag) == sizeof(pthread_once_t));

ESOX_REAL(mtx_init);
ESOX_REAL(cnd_init);
ESOX_REAL(thrd_create);

pthread_mutex_t* of(mtx_t* mutex) {
  return reinterpret_cast<pthread_mutex_t*>(mutex);
}
pthread_cond_t* of(cnd_t* cond) {
  return reinterpret_cast<pthread_cond_t*>(cond);
}

void born(const void* object) {
  if (self() != nullptr) g_scheduler.initialised(reinterpret_cast<uint64_t>(object));
}

int c11_result(int error) {
  switch (error) {
    case 0:
      return thrd_success;
    case ENOMEM:
      return thrd_nomem;
    case ETIMEDOUT:
      return thrd_timedout;
    case EBUSY:
      return thrd_busy;
    default:
      return thrd_error;
  }
}

}  // namespace
}  // namespace esox

using namespace esox;

ESOX_HOOK int mtx_init(mtx_t* mutex, int type) {
  born(mutex);
  return real_mtx_init(mutex, type);
}

ESOX_HOOK int mtx_lock(mtx_t* mutex) {
  return c11_result(lock_mutex(of(mutex), ESOX_SITE()));
}

ESOX_HOOK int mtx_trylock(mtx_t* mutex) {
  return c11_result(trylock_mutex(of(mutex), ESOX_SITE()));
}

ESOX_HOOK int mtx_timedlock(mtx_t* mutex, const timespec* until) {
  return c11_result(clocklock_mutex(of(mutex), CLOCK_REALTIME, until, ESOX_SITE()));
}

ESOX_HOOK int mtx_unlock(mtx_t* mutex) {
  return c11_result(unlock_mutex(of(mutex), ESOX_SITE()));
}

ESOX_HOOK int cnd_init(cnd_t* cond) {
  born(cond);
  return real_cnd_init(cond);
}

ESOX_HOOK void cnd_destroy(cnd_t* cond) {
  pthread_cond_destroy(of(cond));
}

ESOX_HOOK int cnd_wait(cnd_t* cond, mtx_t* mutex) {
  return c11_result(wait_cond(of(cond), of(mutex), ESOX_SITE()));
}

ESOX_HOOK int cnd_timedwait(cnd_t* cond, mtx_t* mutex, const timespec* until) {
  return c11_result(clockwait_cond(of(cond), of(mutex), CLOCK_REALTIME, until, ESOX_SITE()));
}

ESOX_HOOK int cnd_signal(cnd_t* cond) {
  return c11_result(wake_cond(of(cond), OpKind::kCondSignal, ESOX_SITE()));
}

ESOX_HOOK int cnd_broadcast(cnd_t* cond) {
  return c11_result(wake_cond(of(cond), OpKind::kCondBroadcast, ESOX_SITE()));
}

// The routine's int becomes the low half of a pthread's pointer, which is all that thrd_join reads.
ESOX_HOOK int thrd_create(thrd_t* thread, thrd_start_t routine, void* argument) {
  if (self() == nullptr) return real_thrd_create(thread, routine, argument);
  void* const address = reinterpret_cast<void*>(routine);
  return c11_result(create_thread(thread, nullptr, reinterpret_cast<void* (*)(void*)>(address),
                                  argument, ESOX_SITE()));
}

ESOX_HOOK int thrd_join(thrd_t thread, int* result) {
  void* value = nullptr;
  const int error = join_thread(thread, &value, ESOX_SITE());
  if (result != nullptr) *result = static_cast<int>(reinterpret_cast<uintptr_t>(value));
  return c11_result(error);
}

ESOX_HOOK int thrd_detach(thrd_t thread) {
  return c11_result(detach_thread(thread, ESOX_SITE()));
}

ESOX_HOOK void thrd_exit(int result) {
  exit_thread(reinterpret_cast<void*>(static_cast<uintptr_t>(static_cast<unsigned>(result))));
}

ESOX_HOOK int thrd_sleep(const timespec* duration, timespec* remaining) {
  const int error = sleep_on(CLOCK_REALTIME, 0, duration, remaining, ESOX_SITE());
  return error == 0 ? 0 : error == EINTR ? -1 : -2;
}

ESOX_HOOK void thrd_yield() {
  yield(ESOX_SITE());
}

ESOX_HOOK void call_once(once_flag* flag, void (*routine)()) {
  call_once_only(reinterpret_cast<pthread_once_t*>(flag), routine, ESOX_SITE());
}
