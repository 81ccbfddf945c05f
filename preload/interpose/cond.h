// SPDX-License-Identifier: Apache-2.0
// The hooks of condition variables, for a call at `site`: C11's are of the same make.
#pragma once

#include <pthread.h>

#include "preload/protocol/trace_event.h"

namespace esox {

int wait_cond(pthread_cond_t* cond, pthread_mutex_t* mutex, uint64_t site);
int clockwait_cond(pthread_cond_t* cond, pthread_mutex_t* mutex, clockid_t clock,
                   const timespec* until, uint64_t site);
int wake_cond(pthread_cond_t* cond, OpKind kind, uint64_t site);  // kCondSignal or kCondBroadcast

}  // namespace esox
