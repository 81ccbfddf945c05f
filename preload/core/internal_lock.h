// SPDX-License-Identifier: Apache-2.0
// The preload's own locks: three states on a futex (Drepper, "Futexes Are Tricky"), by raw system
// calls, so that they are invisible to the hooks. Who holds one is inside (inside.h): a signal
// handler does not come to take it again.
#pragma once

#include "preload/core/inside.h"
#include "preload/core/raw.h"

namespace esox {

class InternalLock {
 public:
  void acquire() {
    go_inside();
    uint32_t free = 0;
    if (word_.compare_exchange_strong(free, 1, std::memory_order_acquire)) return;
    while (word_.exchange(2, std::memory_order_acquire) != 0) {
      raw::futex_wait(&word_, uint32_t{2});
    }
  }
  void release() {
    if (word_.exchange(0, std::memory_order_release) == 2) raw::futex_wake(&word_, 1);
    go_outside();
  }
  void reset() { word_.store(0); }

 private:
  std::atomic<uint32_t> word_{0};
};

// The locks of the hooks, here so that a forked child frees all that its parent's threads held.
struct HookLocks {
  InternalLock names;        // interpose/path_objects.cpp
  InternalLock barriers;     // interpose/semaphore.cpp
  InternalLock directories;  // interpose/directories.cpp
  InternalLock files;        // interpose/file_numbers.cpp

  void reset() { names.reset(), barriers.reset(), directories.reset(), files.reset(); }
};
extern constinit HookLocks g_hook_locks;

}  // namespace esox
