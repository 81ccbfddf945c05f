// SPDX-License-Identifier: Apache-2.0
// What is read of the C library's own layout of its objects, for want of another way to ask. It is
// looked up when the preload is loaded, on objects made for it, and never assumed: where the
// library keeps it elsewhere, as glibc has already done between releases, it is found there; where
// it is not found, the program ends with a line that says so, for under wrong clocks and types it
// would run wrongly in silence.
//
//   condition variable   the bit that says which clock it waits by
//   mutex                the bits of its kind that say recursive and error-checking
//   pthread_once         the bits that say that its routine runs
#pragma once

#include <pthread.h>
#include <time.h>

namespace esox {

// By the constructor, before any controlled call; by the first that asks, if that comes earlier.
// Any thread: what it finds is always the same.
void look_up_library_layout();

// By which pthread_cond_timedwait of this variable counts.
clockid_t clock_of(const pthread_cond_t* cond);
// Whether other processes may signal it.
bool is_shared(const pthread_cond_t* cond);
bool is_recursive(const pthread_mutex_t* mutex);
bool is_error_checking(const pthread_mutex_t* mutex);
bool routine_runs(const pthread_once_t* once);

}  // namespace esox
