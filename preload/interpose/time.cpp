// SPDX-License-Identifier: Apache-2.0
// Clocks, sleeps and yields (see scheduler/virtual_clock.h for what time means here).
//
// Processor time is what has passed of the execution, from a constant on: operations take none.
#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/times.h>
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
ESOX_REAL(clock);
ESOX_REAL(times);
ESOX_REAL(getrusage);

constexpr int64_t kMicrosecond_ns = 1'000;

// Of a process or a thread, this or another (clock_getcpuclockid(3): a negative number).
bool is_processor_time(clockid_t clock) {
  return clock < 0 || clock == CLOCK_PROCESS_CPUTIME_ID || clock == CLOCK_THREAD_CPUTIME_ID;
}

// By a controlled thread.
int64_t processor_time_ns() {
  read_clock(CLOCK_MONOTONIC);  // who asks again and again waits for it to pass
  return kExecutionOffset_ns + g_scheduler.clock().elapsed_ns();
}

// Sleeps in virtual time. kNative: control is over, sleep for real. kInterrupted: not at all.
enum class Slept { kWhole, kInterrupted, kNative };

Slept sleep_controlled(ControlledThread& t, int64_t deadline_ns, uint64_t site) {
  if (g_scheduler.point(t, OpKind::kSleep, 0, site) == Proceed::kNative) return Slept::kNative;
  if (g_scheduler.interrupts(t, 0, site)) return Slept::kInterrupted;
  g_scheduler.begin_wait(t, OpKind::kSleep, 0, site, deadline_ns, 0, OpKind::kSleep, 0, false);
  const Proceed go = g_scheduler.finish_wait(t);
  // The server's own threads go on sleeping when the clients are served.
  const bool native = go == Proceed::kNative && block().mode == ControlMode::kClients;
  return native ? Slept::kNative : Slept::kWhole;
}

}  // namespace

int64_t read_clock(clockid_t clock) {
  ControlledThread* t = self();
  if (t != nullptr && execution_running() &&
      (VirtualClock::is_realtime(clock) || VirtualClock::is_monotonic(clock))) {
    g_scheduler.lock_clock();
    const int64_t now_ns = g_scheduler.clock().read(clock);
    t->passed_ns = 0;
    g_scheduler.unlock_clock();
    return now_ns;
  }
  timespec now{};
  real_clock_gettime(clock, &now);
  const int64_t kernel_ns = to_ns(now);
  return kernel_ns - g_start_up.behind_ns(clock, kernel_ns) + g_scheduler.clock().offset_ns(clock);
}

}  // namespace esox

using namespace esox;

ESOX_HOOK int clock_gettime(clockid_t clock, timespec* now) noexcept {
  if (self() == nullptr && g_scheduler.clock().offset_ns(clock) == 0) {
    return real_clock_gettime(clock, now);
  }
  if (self() != nullptr && is_processor_time(clock)) {
    *now = to_timespec(processor_time_ns());
    return 0;
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

ESOX_HOOK clock_t clock() noexcept {
  if (self() == nullptr) return real_clock();
  return processor_time_ns() / (1'000'000'000 / CLOCKS_PER_SEC);
}

ESOX_HOOK clock_t times(tms* used) noexcept {
  if (self() == nullptr) return real_times(used);
  const int64_t tick_ns = 1'000'000'000 / sysconf(_SC_CLK_TCK);
  if (used != nullptr) *used = {.tms_utime = processor_time_ns() / tick_ns};
  return processor_time_ns() / tick_ns;
}

// But for the time nothing is used; of ended children nothing at all.
ESOX_HOOK int getrusage(__rusage_who_t who, rusage* used) noexcept {
  if (self() == nullptr) return real_getrusage(who, used);
  memset(used, 0, sizeof *used);
  if (who == RUSAGE_CHILDREN) return 0;
  const int64_t ns = processor_time_ns();
  used->ru_utime = {ns / 1'000'000'000, ns % 1'000'000'000 / kMicrosecond_ns};
  return 0;
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
  if (!absolute && sleep_parked(to_ns(*time), site)) return 0;
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
  if (sleep_parked(to_ns(*duration), ESOX_SITE())) return 0;
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
  if (sleep_parked(int64_t{duration_us} * 1000, ESOX_SITE())) return 0;
  return real_usleep(duration_us);
}

ESOX_HOOK unsigned sleep(unsigned duration_s) {
  if (ControlledThread* t = self()) {
    const int64_t deadline_ns = virtual_deadline_after(int64_t{duration_s} * 1'000'000'000);
    const Slept slept = sleep_controlled(*t, deadline_ns, ESOX_SITE());
    if (slept != Slept::kNative) return slept == Slept::kWhole ? 0 : duration_s;
  }
  if (sleep_parked(int64_t{duration_s} * 1'000'000'000, ESOX_SITE())) return 0;
  return real_sleep(duration_s);
}

ESOX_HOOK int sched_yield() noexcept {
  return yield(ESOX_SITE());
}
