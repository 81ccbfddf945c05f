// SPDX-License-Identifier: Apache-2.0
// Helpers of the blocking hooks: objects by number, native waits for holders outside control,
// releases, and clock conversions.
#pragma once

#include <errno.h>
#include <time.h>

#include "preload/core/inside.h"
#include "preload/scheduler/scheduler.h"
#include "preload/scheduler/start_up.h"

namespace esox {

// Beyond this a time does not fit into nanoseconds.
inline constexpr int64_t kMostSeconds = INT64_MAX / 1'000'000'000 - 1;

inline uint64_t id_of(const volatile void* object) {
  return reinterpret_cast<uint64_t>(object);
}

// How long a thread waits natively, keeping the baton, for a lock held outside control. Such
// holders run freely and release within microseconds; one that does not is itself waiting for
// somebody, perhaps for a controlled thread, so others must get a chance. Nobody but threads
// outside runs meanwhile, and they get so much of the processor's time, lest a busy machine make a
// difference; once they all sleep, at two looks, none of them will release it.
class PatienceWithHolder {
 public:
  explicit PatienceWithHolder(bool none)
      : none_(none),
        used_ns_(used_by_others_ns() + kOutsideWait_ns),
        limit_ns_(raw::now_ns(CLOCK_MONOTONIC) + kLimit_ns) {}

  timespec until() const {
    const int64_t slice_ns = none_ ? 0 : asleep_ > 0 ? kSecondLook_ns : kOutsideWait_ns;
    const int64_t until_ns = raw::now_ns(CLOCK_MONOTONIC) + slice_ns;
    return {until_ns / 1'000'000'000, until_ns % 1'000'000'000};
  }
  bool lasts() {
    asleep_ = g_scheduler.does_outside_act() ? 0 : asleep_ + 1;
    return !none_ && asleep_ < 2 && used_by_others_ns() < used_ns_ &&
           raw::now_ns(CLOCK_MONOTONIC) < limit_ns_;
  }

 private:
  static constexpr int64_t kOutsideWait_ns = 20'000'000;
  static constexpr int64_t kSecondLook_ns = 1'000'000;
  static constexpr int64_t kLimit_ns = 60'000'000'000;  // of one that never sleeps nor gets on

  // Looking costs time, too.
  static int64_t used_by_others_ns() {
    return raw::now_ns(CLOCK_PROCESS_CPUTIME_ID) - raw::now_ns(CLOCK_THREAD_CPUTIME_ID);
  }

  bool none_;
  int64_t used_ns_;
  int64_t limit_ns_;
  int asleep_ = 0;
};

int wait_outside(uint64_t object, auto timed_lock) {
  g_scheduler.let_outside_go();
  PatienceWithHolder patience(g_scheduler.left_for_good(object));
  int result;
  do {
    result = timed_lock(patience.until());
  } while (result == ETIMEDOUT && patience.lasts());
  return result;
}

// The real release of a lock, and the model's. No handler of a signal may come in between and lose
// the baton: another thread would take the lock and, releasing it, give back what this one has not
// given back yet; then the model takes it for the lock's owner, and its next acquisition for a
// deadlock. Gives unlock()'s result.
int release_as_one(ControlledThread& t, uint64_t object, auto unlock) {
  const Inside inside;
  const int result = unlock();
  if (result == 0) g_scheduler.released(t, object);
  return result;
}

// Absolute times computed from the process's own clocks, for threads outside control that wait
// natively: back to the kernel's clock.
inline timespec to_real_time(clockid_t clock, const timespec& until) {
  const bool moment = until.tv_nsec >= 0 && until.tv_nsec < 1'000'000'000;
  if (!moment || until.tv_sec > kMostSeconds) return until;
  const int64_t offset_ns = g_scheduler.clock().offset_ns(clock);
  const int64_t until_ns = until.tv_sec * 1'000'000'000 + until.tv_nsec - offset_ns;
  const int64_t hidden_ns = g_start_up.begin_wait(clock, until_ns);
  if (offset_ns == hidden_ns) return until;
  const int64_t ns = until_ns + hidden_ns;
  return ns < 0 ? timespec{0, 0} : timespec{ns / 1'000'000'000, ns % 1'000'000'000};
}

inline int64_t virtual_deadline(clockid_t clock, const timespec& until) {
  if (until.tv_sec > kMostSeconds) return kNoDeadline;  // "for ever", as some spell it
  const ControlledThread* t = self();
  g_scheduler.lock_clock();
  const int64_t passed_ns = t != nullptr ? t->passed_ns : 0;
  const int64_t deadline_ns = g_scheduler.clock().deadline(clock, until) + passed_ns;
  g_scheduler.unlock_clock();
  return deadline_ns;
}

inline int64_t virtual_deadline_after(int64_t duration_ns) {
  g_scheduler.lock_clock();
  const int64_t now_ns = g_scheduler.clock().elapsed_ns();
  g_scheduler.unlock_clock();
  return duration_ns > kNoDeadline - now_ns - 1 ? kNoDeadline - 1 : now_ns + duration_ns;
}

inline int64_t to_ns(const timespec& time) {
  if (time.tv_sec > kMostSeconds) return INT64_MAX;
  return time.tv_sec * 1'000'000'000 + time.tv_nsec;
}

inline timespec to_timespec(int64_t ns) {
  return {ns / 1'000'000'000, ns % 1'000'000'000};
}

}  // namespace esox
