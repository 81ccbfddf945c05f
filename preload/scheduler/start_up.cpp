// SPDX-License-Identifier: Apache-2.0
#include "preload/scheduler/start_up.h"

namespace esox {
namespace {

// Who reads a clock so often measures how quickly it moves.
constexpr uint32_t kMostReadings = 10'000;
// Who waits so long in all waits for time to pass. For another thread's work servers wait with
// deadlines, too (MySQL's boot for its log to be written, 0.1 ms at a time), and whether that comes
// in time is the machine's doing.
constexpr int64_t kMostWaiting_ns = 5'000'000'000;

// Of the calling thread.
thread_local uint32_t t_readings = 0;
thread_local int64_t t_waiting_ns = 0;

bool time_passes() {
  return t_readings >= kMostReadings || t_waiting_ns >= kMostWaiting_ns;
}

void add_waiting(int64_t ns) {
  t_waiting_ns = ns < kMostWaiting_ns - t_waiting_ns ? t_waiting_ns + ns : kMostWaiting_ns;
}

bool is_one_of(clockid_t clock, clockid_t exact, clockid_t coarse) {
  return clock == exact || clock == coarse;
}

}  // namespace

constinit StartUp g_start_up;

void StartUp::begin(const VirtualClock& clock) {
  realtime_ns_ = clock.booted_ns(CLOCK_REALTIME);
  monotonic_ns_ = clock.booted_ns(CLOCK_MONOTONIC);
  lasts_.store(true, std::memory_order_relaxed);
}

bool StartUp::note_reading() {
  if (time_passes()) return false;
  ++t_readings;
  return true;
}

int64_t StartUp::begin_wait(clockid_t clock, int64_t until_ns) {
  if (!lasts_.load(std::memory_order_relaxed) || time_passes()) return 0;
  const int64_t first = first_ns(clock);
  if (until_ns > first) add_waiting(until_ns - first);
  return hidden_ns(clock, raw::now_ns(clock));
}

// 0: the kernel's relation of this clock to the two is not known.
int64_t StartUp::first_ns(clockid_t clock) const {
  if (is_one_of(clock, CLOCK_REALTIME, CLOCK_REALTIME_COARSE)) return realtime_ns_;
  return is_one_of(clock, CLOCK_MONOTONIC, CLOCK_MONOTONIC_COARSE) ? monotonic_ns_ : 0;
}

int64_t StartUp::hidden_ns(clockid_t clock, int64_t now_ns) {
  const int64_t first = first_ns(clock);
  if (first == 0) return 0;
  if (now_ns - first <= kLongestStart_ns) return now_ns - first;
  end();
  return 0;
}

}  // namespace esox
