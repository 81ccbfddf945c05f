// SPDX-License-Identifier: Apache-2.0
// The scheduler's own lock: three states on a futex (Drepper, "Futexes Are Tricky"), by raw system
// calls, so that it is invisible to the hooks.
#pragma once

#include "preload/scheduler/raw.h"

namespace esox {

class InternalLock {
 public:
  void acquire() {
    uint32_t free = 0;
    if (word_.compare_exchange_strong(free, 1, std::memory_order_acquire)) return;
    while (word_.exchange(2, std::memory_order_acquire) != 0) {
      raw::futex_wait(&word_, uint32_t{2});
    }
  }
  void release() {
    if (word_.exchange(0, std::memory_order_release) == 2) raw::futex_wake(&word_, 1);
  }
  void reset() { word_.store(0); }

 private:
  std::atomic<uint32_t> word_{0};
};

}  // namespace esox
