// SPDX-License-Identifier: Apache-2.0
// What other families need of mutexes: condition variables release and re-take one, C11's are of
// the same make.
#pragma once

#include <pthread.h>

#include "preload/scheduler/thread_table.h"

namespace esox {

// By a thread that was chosen to resume with "take the mutex": takes the real one and records it.
int relock_after_wait(ControlledThread& t, pthread_mutex_t* mutex, uint64_t site);

// The hooks, for a call at `site`.
int lock_mutex(pthread_mutex_t* mutex, uint64_t site);
int trylock_mutex(pthread_mutex_t* mutex, uint64_t site);
int clocklock_mutex(pthread_mutex_t* mutex, clockid_t clock, const timespec* until, uint64_t site);
int unlock_mutex(pthread_mutex_t* mutex, uint64_t site);

int lock_natively(pthread_mutex_t* mutex);
int unlock_natively(pthread_mutex_t* mutex);

}  // namespace esox
