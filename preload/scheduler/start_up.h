// SPDX-License-Identifier: Apache-2.0
// A server's start, from its first moment until it listens, on its own clocks.
//
// How long a start takes is no two times the same, and what a server reads of a clock meanwhile it
// may keep: MySQL 9.7 seeds by it the chance by which it samples the tables of its dictionary, and
// then each start has other pages in memory and other statistics. So a thread of a server that
// starts reads the process's first moment for as long as it does not wait for time to pass. It does
// when it sleeps or waits with deadlines, longer in all than a thread waits for another one's work,
// or when it reads again and again; from then on it lives in the time of the process, as all do
// once the server listens.
#pragma once

#include <time.h>

#include <atomic>
#include <cstdint>

#include "preload/scheduler/virtual_clock.h"

namespace esox {

// For a server that waits in a way that is not seen here.
inline constexpr int64_t kLongestStart_ns = 60'000'000'000;

class StartUp {
 public:
  // The moment is that from which the clock was set.
  void begin(const VirtualClock& clock);
  void end() { lasts_.store(false, std::memory_order_relaxed); }

  // The calling thread reads a clock, which is `now_ns` in the kernel: how much less it is to see.
  int64_t behind_ns(clockid_t clock, int64_t now_ns) {
    if (__builtin_expect(!lasts_.load(std::memory_order_relaxed), 1)) return 0;
    return note_reading() ? hidden_ns(clock, now_ns) : 0;
  }
  // The calling thread waits until a time that it has computed from a clock, on the kernel's
  // `until_ns`, had nothing been hidden from it: how much later that is in truth.
  int64_t begin_wait(clockid_t clock, int64_t until_ns);

 private:
  static bool note_reading();  // whether time stands still for the thread
  int64_t hidden_ns(clockid_t clock, int64_t now_ns);
  int64_t first_ns(clockid_t clock) const;

  std::atomic<bool> lasts_{false};
  int64_t realtime_ns_ = 0;  // the first moment, on the kernel's clocks
  int64_t monotonic_ns_ = 0;
};

extern constinit StartUp g_start_up;

}  // namespace esox
