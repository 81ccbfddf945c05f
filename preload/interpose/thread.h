// SPDX-License-Identifier: Apache-2.0
// The hooks of threads, for a call at `site`: C11's are of the same make.
#pragma once

#include <pthread.h>

#include <cstdint>

namespace esox {

int create_thread(pthread_t* handle, const pthread_attr_t* attributes, void* (*routine)(void*),
                  void* argument, uint64_t site);
int join_thread(pthread_t handle, void** result, uint64_t site);
int detach_thread(pthread_t handle, uint64_t site);
[[noreturn]] void exit_thread(void* result);
int call_once_only(pthread_once_t* control, void (*routine)(), uint64_t site);

}  // namespace esox
