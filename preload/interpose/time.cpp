// SPDX-License-Identifier: Apache-2.0
// Clocks, sleeps and yields (see scheduler/virtual_clock.h for what time means here).
#include <errno.h>
#include <sched.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "preload/core/real.h"
#include "preload/interpose/calls.h"
#include "preload/interpose/outside_lock.h"
#include "preload/scheduler/scheduler.h"

namespace esox {
namespace {

ESOX_REAL(clock_gettime);
ESOX_REAL(timespec_get);
ESOX_REAL(nanosleep);
ESOX_REAL(clock_nanosleep);
ESOX_REAL(usleep);
ESOX_REAL(sleep);
ESOX_REAL(sched_yield);

timespec to_timespec(int64_t ns) {
  return {ns / 1'000'000'000, ns % 1'000'000'000};
}

int64_t read_clock(clockid_t clock) {
  if (self() != nullptr && execution_running() &&
      (VirtualClock::is_realtime(clock) || VirtualClock::is_monotonic(clock))) {
    g_scheduler.lock_clock();
    const int64_t now_ns = g_scheduler.clock().read(clock);
    g_scheduler.unlock_clock();
    return now_ns;
  }
  timespec now{};
  real_clock_gettime(clock, &now);
  return to_ns(now) + g_scheduler.clock().offset_ns(clock);
}

// Sleeps in virtual time. kNative: control is over, sleep for real. kInterrupted: not at all.
enum class Slept { kWhole, kInterrupted, kNative };

Slept sleep_controlled(ControlledThread& t, int64_t deadline_ns, uint64_t site) {
  if (g_scheduler.point(t, OpKind::kSleep, 0, site) == Proceed::kNative) return Slept::kNative;
  if (g_scheduler.interrupts(t, 0, site)) return Slept::kInterrupted;
  g_scheduler.begin_wait(t, OpKind::kSleep, 0, site, deadline_ns, 0, OpKind::kSleep, 0, false);
  g_scheduler.finish_wait(t);
  return Slept::kWhole;
}

}  // namespace
}  // namespace esox

using namespace esox;

ESOX_HOOK int clock_gettime(clockid_t clock, timespec* now) noexcept {
  if (self() == nullptr && g_scheduler.clock().offset_ns(clock) == 0) {
    return real_clock_gettime(clock, now);
  }
  if (!VirtualClock::is_realtime(clock) && !VirtualClock::is_monotonic(clock)) {
    return real_clock_gettime(clock, now);
  }
  *now = to_timespec(read_clock(clock));
  return 0;
}

ESOX_HOOK int gettimeofday(timeval* now, void*) noexcept {
  const int64_t ns = read_clock(CLOCK_REALTIME);
  *now = {ns / 1'000'000'000, ns % 1'000'000'000 / 1000};
  return 0;
}

ESOX_HOOK int timespec_get(timespec* now, int base) noexcept {
  if (base != TIME_UTC) return real_timespec_get(now, base);
  *now = to_timespec(read_clock(CLOCK_REALTIME));
  return base;
}

ESOX_HOOK time_t time(time_t* result) noexcept {
  const time_t now = read_clock(CLOCK_REALTIME) / 1'000'000'000;
  if (result != nullptr) *result = now;
  return now;
}

int esox::sleep_on(clockid_t clock, int flags, const timespec* time, timespec* remaining,
                   uint64_t site) {
  const bool absolute = (flags & TIMER_ABSTIME) != 0;
  if (ControlledThread* t = self()) {
    const int64_t deadline_ns =
        absolute ? virtual_deadline(clock, *time) : virtual_deadline_after(to_ns(*time));
    const Slept slept = sleep_controlled(*t, deadline_ns, site);
    if (slept == Slept::kInterrupted && !absolute && remaining != nullptr) *remaining = *time;
    if (slept != Slept::kNative) return slept == Slept::kWhole ? 0 : EINTR;
  }
  const timespec real_time = absolute ? to_real_time(clock, *time) : *time;
  return real_clock_nanosleep(clock, flags, &real_time, remaining);
}

int esox::yield(uint64_t site) {
  if (ControlledThread* t = self()) {
    if (g_scheduler.point(*t, OpKind::kYield, 0, site) != Proceed::kNative) return 0;
  }
  return real_sched_yield();
}

ESOX_HOOK int nanosleep(const timespec* duration, timespec* remaining) {
  if (ControlledThread* t = self()) {
    switch (sleep_controlled(*t, virtual_deadline_after(to_ns(*duration)), ESOX_SITE())) {
      case Slept::kWhole:
        return 0;
      case Slept::kInterrupted:
        if (remaining != nullptr) *remaining = *duration;
        errno = EINTR;
        return -1;
      case Slept::kNative:
        break;
    }
  }
  return real_nanosleep(duration, remaining);
}

ESOX_HOOK int clock_nanosleep(clockid_t clock, int flags, const timespec* time,
                              timespec* remaining) {
  return sleep_on(clock, flags, time, remaining, ESOX_SITE());
}

ESOX_HOOK int usleep(useconds_t duration_us) {
  if (ControlledThread* t = self()) {
    const int64_t deadline_ns = virtual_deadline_after(int64_t{duration_us} * 1000);
    const Slept slept = sleep_controlled(*t, deadline_ns, ESOX_SITE());
    if (slept == Slept::kWhole) return 0;
    if (slept == Slept::kInterrupted) {
      errno = EINTR;
      return -1;
    }
  }
  return real_usleep(duration_us);
}

ESOX_HOOK unsigned sleep(unsigned duration_s) {
  if (ControlledThread* t = self()) {
    const int64_t deadline_ns = virtual_deadline_after(int64_t{duration_s} * 1'000'000'000);
    const Slept slept = sleep_controlled(*t, deadline_ns, ESOX_SITE());
    if (slept != Slept::kNative) return slept == Slept::kWhole ? 0 : duration_s;
  }
  return real_sleep(duration_s);
}

ESOX_HOOK int sched_yield() noexcept {
  return yield(ESOX_SITE());
}
