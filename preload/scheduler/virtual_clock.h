// SPDX-License-Identifier: Apache-2.0
// Time as controlled threads see it.
//
// While an execution runs, operations take no time: the clock stands still, and moves only when no
// controlled thread can run, to the earliest deadline. So SLEEP(5) costs nothing and a timed wait
// ends only when nothing else can happen, in deadline order. Threads outside control keep the real
// clock.
//
// The virtual wall clock has a base chosen by the harness: the server lives at that date from its
// start (real time plus an offset), and every execution starts at exactly base + kExecutionOffset,
// so that NOW() is the same in each. To notice what depends on the date, the harness runs equal
// serial orders under different bases.
//
// A process that was forked from a parked one (snapshot/agent.h) lives on from the moment of
// parking: on the wall clock and on the monotonic one, and for file times, the pause is left out.
//
// At the start of an execution the wall clock of the whole process steps forward to that instant,
// as a clock that is set right does. So deadlines and file times that cross between controlled
// threads and threads outside agree, but for what the two clocks do *during* the execution:
// outside, the real time it takes passes (milliseconds, rarely seconds); under control, the time
// that quiescence skips. That is left so:
//  - a deadline from outside, awaited under control, ends when nothing else can run, and in the
//  order
//    of the deadlines, as any other: how far away it is does not count;
//  - one from a controlled thread, awaited outside, ends early by the real time that the execution
//    has taken, or late by what was skipped: as with a timer thread that is slow;
//  - threads outside do not see skipped time, since servers watch their own threads for waits of
//  many
//    minutes, and end themselves when they see one.
#pragma once

#include <time.h>

#include <atomic>
#include <cstdint>

#include "preload/core/raw.h"

namespace esox {

// More than a server lives before its execution: the step is never backwards.
inline constexpr int64_t kExecutionOffset_ns = 600'000'000'000;
// A thread that reads the clock this often without any scheduling point is waiting for time to
// pass: let it.
inline constexpr uint32_t kReadsPerTick = 1000;
// How long one request of a serial order may take while others are held back for it; then it waits
// for one of them. Longer than InnoDB waits for a row (50 s); a lock on a table is waited for a
// day.
inline constexpr int64_t kLongestSerialWait_ns = 100'000'000'000;
inline constexpr uint64_t kMostSerialWaits = 1000;  // timed waits that ran out meanwhile

inline constexpr int64_t kTick_ns = 1'000'000;

// What the monotonic clocks of a process begin with: some day after the machine's start.
inline constexpr int64_t kMonotonicBase_ns = 100'000'000'000'000;

class VirtualClock {
 public:
  void set_base(int64_t base_ns) {
    base_ns_ = base_ns;
    booted_ns_ = raw::now_ns(CLOCK_REALTIME);
    offset_ns_.store(base_ns == 0 ? 0 : base_ns - booted_ns_, std::memory_order_relaxed);
  }
  // The process's monotonic clocks, too, begin with the same. Before it has a second thread.
  void fix_monotonic() {
    booted_monotonic_ns_ = raw::now_ns(CLOCK_MONOTONIC);
    monotonic_offset_ns_ = kMonotonicBase_ns - booted_monotonic_ns_;
  }
  // And executions begin with the same on them.
  void fix_executions() { resumed_at_ns_ = kMonotonicBase_ns + kExecutionOffset_ns; }
  // When its dates and monotonic clocks were set, on the kernel's.
  int64_t booted_ns(clockid_t clock) const {
    return is_realtime(clock) ? booted_ns_ : booted_monotonic_ns_;
  }
  // Virtual minus real CLOCK_REALTIME, for every thread of the process.
  int64_t offset_ns() const { return offset_ns_.load(std::memory_order_relaxed); }
  // The same of any clock.
  int64_t offset_ns(clockid_t clock) const {
    if (is_realtime(clock)) return offset_ns();
    return is_monotonic(clock) ? monotonic_offset_ns_ : 0;
  }

  // In a process forked from one that was parked at these times of the kernel's clocks; before it
  // has a second thread. From here on the date is `base_ns`'s.
  void resume(int64_t base_ns, int64_t parked_realtime_ns, int64_t parked_monotonic_ns) {
    const int64_t now_ns = raw::now_ns(CLOCK_REALTIME);
    parked_ns_ = parked_realtime_ns;
    int64_t offset = offset_ns() - (now_ns - parked_realtime_ns);
    if (base_ns_ != 0 && base_ns != 0) offset += base_ns - base_ns_;
    offset_ns_.store(offset, std::memory_order_relaxed);
    base_ns_ = base_ns;
    resumed_at_ns_ = parked_monotonic_ns + monotonic_offset_ns_;
    monotonic_offset_ns_ -= raw::now_ns(CLOCK_MONOTONIC) - parked_monotonic_ns;
  }

  // It is so much later all at once; while no execution runs.
  void leap(int64_t ns) {
    offset_ns_.store(offset_ns() + ns, std::memory_order_relaxed);
    monotonic_offset_ns_ += ns;
  }

  // Whether the kernel noted such a time while the server lived or was prepared. Others are what a
  // program has set.
  bool is_own(int64_t kernel_ns) const {
    return base_ns_ != 0 && kernel_ns >= booted_ns_ - kExecutionOffset_ns &&
           kernel_ns <= raw::now_ns(CLOCK_REALTIME);
  }

  // A time that the kernel noted, of a file, on the wall clock of the process. From an execution's
  // beginning on, times from it are the virtual ones. Those before, from the copying of the
  // server's files on, are the beginning of its date: how long a setup takes is no two times the
  // same, and what a server has read then, it may keep.
  int64_t noted_ns(int64_t kernel_ns) const {
    if (!is_own(kernel_ns)) return kernel_ns + offset_ns();
    for (uint32_t i = step_count_; i-- > 0;) {
      if (kernel_ns >= steps_[i].kernel_ns) return realtime_start_ns_ + steps_[i].elapsed_ns;
    }
    return base_ns_;
  }

  void begin() {
    if (base_ns_ != 0) await_tick();
    elapsed_ns_ = 0;
    reads_ = 0;
    monotonic_start_ns_ =
        resumed_at_ns_ != 0 ? resumed_at_ns_ : raw::now_ns(CLOCK_MONOTONIC) + monotonic_offset_ns_;
    const int64_t real_ns = raw::now_ns(CLOCK_REALTIME);
    realtime_start_ns_ = base_ns_ == 0 ? real_ns + offset_ns() : base_ns_ + kExecutionOffset_ns;
    offset_ns_.store(realtime_start_ns_ - real_ns, std::memory_order_relaxed);
    step_count_ = 0;
    note_step();
  }

  int64_t elapsed_ns() const { return elapsed_ns_; }
  void advance_to(int64_t elapsed_ns) {
    if (elapsed_ns <= elapsed_ns_) return;
    elapsed_ns_ = elapsed_ns;
    note_step();
  }

  static bool is_realtime(clockid_t clock) {
    return clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE || clock == CLOCK_TAI ||
           clock == CLOCK_REALTIME_ALARM;
  }
  static bool is_monotonic(clockid_t clock) {
    return clock == CLOCK_MONOTONIC || clock == CLOCK_MONOTONIC_COARSE ||
           clock == CLOCK_MONOTONIC_RAW || clock == CLOCK_BOOTTIME || clock == CLOCK_BOOTTIME_ALARM;
  }

  // The clock as a controlled thread reads it.
  int64_t read(clockid_t clock) {
    if (++reads_ % kReadsPerTick == 0) advance_to(elapsed_ns_ + kTick_ns);
    return peek(clock);
  }
  void note_progress() { reads_ = 0; }

  // Converts an absolute time of `clock` into elapsed virtual time.
  int64_t deadline(clockid_t clock, const timespec& absolute) const {
    const int64_t at_ns = absolute.tv_sec * 1'000'000'000 + absolute.tv_nsec;
    return elapsed_ns_ + (at_ns - peek(clock));
  }

 private:
  int64_t peek(clockid_t clock) const {
    return (is_realtime(clock) ? realtime_start_ns_ : monotonic_start_ns_) + elapsed_ns_;
  }

  // Until file times tell what is written from now on from what was written before: at once but
  // after a restart, or a fork within a tick of the kernel (1 to 10 ms). Not in forks of a program,
  // which come by the thousand in a second.
  void await_tick() const {
    const bool forked_program = resumed_at_ns_ != 0 && parked_ns_ == 0;
    if (forked_program) return;
    const int64_t written_ns = parked_ns_ != 0 ? parked_ns_ : raw::now_ns(CLOCK_REALTIME);
    while (raw::now_ns(CLOCK_REALTIME_COARSE) <= written_ns) {
    }
  }

  // By the clock that file times are taken from, which moves by a tick of the kernel: what is
  // written within one before a step is told as after it. The last step takes the place of more.
  void note_step() {
    const int64_t kernel_ns = raw::now_ns(CLOCK_REALTIME_COARSE);
    const bool same_tick = step_count_ > 0 && steps_[step_count_ - 1].kernel_ns == kernel_ns;
    if (!same_tick && step_count_ < kMaxSteps) ++step_count_;
    steps_[step_count_ - 1] = {kernel_ns, elapsed_ns_};
  }

  int64_t base_ns_ = 0;
  int64_t booted_ns_ = 0;  // of the kernel's wall clock
  int64_t booted_monotonic_ns_ = 0;
  std::atomic<int64_t> offset_ns_{0};  // read by threads outside without the scheduler's lock
  int64_t monotonic_start_ns_ = 0;
  int64_t realtime_start_ns_ = 0;
  int64_t elapsed_ns_ = 0;
  uint32_t reads_ = 0;

  static constexpr uint32_t kMaxSteps = 64;
  struct Step {
    int64_t kernel_ns;
    int64_t elapsed_ns;  // from then on
  };
  Step steps_[kMaxSteps] = {};  // of this execution's clock; 0: there was none
  uint32_t step_count_ = 0;

  int64_t parked_ns_ = 0;  // when its template was, on the kernel's wall clock; 0: it has none
  int64_t monotonic_offset_ns_ = 0;
  int64_t resumed_at_ns_ = 0;  // own monotonic time at which executions start; 0: as it is
};

}  // namespace esox
