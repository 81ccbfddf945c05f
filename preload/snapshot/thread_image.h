// SPDX-License-Identifier: Apache-2.0
// What makes a thread the same thread in a forked child, beyond its memory.
//
// A fork carries only the calling thread. The others' stacks are there, as memory; what the kernel
// held for them is not: the thread id, the FS register (thread-local storage), the list of robust
// mutexes, the address to be cleared at the thread's end (what pthread_join waits on), restartable
// sequences, the name. Signal mask, alternate stack and all registers lie in the signal frame of
// the handler in which the thread is parked, and come back when the handler returns.
#pragma once

#include <atomic>
#include <cstdint>

#include "preload/snapshot/context.h"

namespace esox {

inline constexpr uint32_t kThreadNameBytes = 16;  // TASK_COMM_LEN

struct ThreadImage {
  uint32_t tid = 0;
  std::atomic<uint32_t> parked{0};  // futex: 1 parked, 2 parked but its interrupted call is unknown
  uint64_t fs_base = 0;
  uint64_t robust_list = 0;
  uint64_t robust_bytes = 0;
  uint64_t clear_at_end = 0;
  bool restartable = false;  // has registered its area for restartable sequences
  char name[kThreadNameBytes] = {};
  ucontext_t* context = nullptr;  // on the thread's own stack
  SyscallRecord syscall;
  RestorePoint point{};  // inside the parking handler
};

// By the thread itself.
void capture_thread(ThreadImage& image);

// By the main thread, whose image it is. False: how large its area for restartable sequences is
// cannot be told, so that threads cannot be made anew.
bool can_be_recreated(const ThreadImage& main);

// In the child, by its only thread so far: makes the thread, which goes on from its point. Returns
// 0 or -errno.
long recreate_thread(const ThreadImage& image);

// By the re-created or rewound thread, first of all; by the child's first thread with `forked` set,
// for which the kernel has kept a part.
void register_thread(const ThreadImage& image, bool forked);

}  // namespace esox
