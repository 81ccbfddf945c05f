// SPDX-License-Identifier: Apache-2.0
// Initialisation of locks: no scheduling point, but the birth of a new object (scheduler/trace.h).
#include <pthread.h>

#include "preload/core/real.h"
#include "preload/scheduler/scheduler.h"

namespace esox {
namespace {

ESOX_REAL(pthread_mutex_init);
ESOX_REAL(pthread_rwlock_init);
ESOX_REAL_VERSION(pthread_cond_init, "GLIBC_2.3.2");

void born(const void* object) {
  if (self() != nullptr) g_scheduler.initialised(reinterpret_cast<uint64_t>(object));
}

}  // namespace
}  // namespace esox

using namespace esox;

ESOX_HOOK int pthread_mutex_init(pthread_mutex_t* mutex,
                                 const pthread_mutexattr_t* attributes) noexcept {
  born(mutex);
  return real_pthread_mutex_init(mutex, attributes);
}

ESOX_HOOK int pthread_rwlock_init(pthread_rwlock_t* lock,
                                  const pthread_rwlockattr_t* attributes) noexcept {
  born(lock);
  return real_pthread_rwlock_init(lock, attributes);
}

ESOX_HOOK int pthread_cond_init(pthread_cond_t* cond,
                                const pthread_condattr_t* attributes) noexcept {
  born(cond);
  return real_pthread_cond_init(cond, attributes);
}
