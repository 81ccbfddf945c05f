// SPDX-License-Identifier: Apache-2.0
// What families of hooks need of each other: condition variables release and re-take a mutex, and
// C11's hooks are of the same make as those of pthreads. Hooks are for a call at `site`.
#pragma once

#include <poll.h>
#include <pthread.h>
#include <time.h>

#include "preload/scheduler/thread_table.h"

namespace esox {

// mutex.cpp.

// By a thread that was chosen to resume with "take the mutex": takes the real one and records it.
int relock_after_wait(ControlledThread& t, pthread_mutex_t* mutex, uint64_t site);

int lock_mutex(pthread_mutex_t* mutex, uint64_t site);
int trylock_mutex(pthread_mutex_t* mutex, uint64_t site);
int clocklock_mutex(pthread_mutex_t* mutex, clockid_t clock, const timespec* until, uint64_t site);
int unlock_mutex(pthread_mutex_t* mutex, uint64_t site);

int lock_natively(pthread_mutex_t* mutex);
int unlock_natively(pthread_mutex_t* mutex);

// cond.cpp.

int wait_cond(pthread_cond_t* cond, pthread_mutex_t* mutex, uint64_t site);
int clockwait_cond(pthread_cond_t* cond, pthread_mutex_t* mutex, clockid_t clock,
                   const timespec* until, uint64_t site);
int wake_cond(pthread_cond_t* cond, OpKind kind, uint64_t site);  // kCondSignal or kCondBroadcast

// thread.cpp.

// The calling thread has come under control, which is to end with it.
void watch_end(ControlledThread& t);

int create_thread(pthread_t* handle, const pthread_attr_t* attributes, void* (*routine)(void*),
                  void* argument, uint64_t site);
int join_thread(pthread_t handle, void** result, uint64_t site);
int detach_thread(pthread_t handle, uint64_t site);
[[noreturn]] void exit_thread(void* result);
int call_once_only(pthread_once_t* control, void (*routine)(), uint64_t site);

// time.cpp.

// By the process's clock; of a controlled thread, by virtual time.
int64_t read_clock(clockid_t clock);
// As clock_nanosleep(2): returns an error number.
int sleep_on(clockid_t clock, int flags, const timespec* time, timespec* remaining, uint64_t site);
int yield(uint64_t site);

// parked.cpp: a server's own threads that wait for a limited time, or poll, do it where an
// execution finds them (scheduler/outside_waiters.h). A signal does not end a sleep, hence short
// times only.

bool parks_waits();  // in this process, at all
// False: it is not done here.
bool sleep_parked(int64_t duration_ns, uint64_t site);

enum class PolledParked {
  kNot,  // it is not done here
  kReady,
  kOver,        // the time is; it may have come under control
  kInterrupted  // by a signal
};
// Only where waits are parked: it reads the descriptors, which must have been polled once. A limit
// below nothing is none.
PolledParked poll_parked(pollfd* fds, nfds_t count, int64_t limit_ns, uint64_t site);

}  // namespace esox
