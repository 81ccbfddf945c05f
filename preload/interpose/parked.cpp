// SPDX-License-Identifier: Apache-2.0
#include <pthread.h>

#include "preload/interpose/calls.h"
#include "preload/interpose/outside_lock.h"
#include "preload/request/boundary.h"
#include "preload/scheduler/scheduler.h"

namespace esox {
namespace {

constexpr int64_t kLongestParked_ns = 60'000'000'000;

// Its time-out is for the harness, or for a client, to see.
bool serves_somebody(int fd) {
  return is_client(fd) || fd == block().connection_fd[kOwnConnection - 1].load();
}

// The state by which it ended; kInKernel: it is not done here. `until`: null is without limit.
uint32_t wait_parked(ParkedWait parked, auto wait) {
  parked.handle = pthread_self();
  parked.tid = raw::thread_id();
  WaitingPlace* place = g_outside_waiters.park(parked);
  if (place == nullptr) return WaitingPlace::kInKernel;
  uint32_t end = wait(*place);
  ControlledThread* t = end == WaitingPlace::kChosen ? place->thread : nullptr;
  g_outside_waiters.leave(place);
  if (t != nullptr && t->poll_interrupted) end = WaitingPlace::kInterrupted;
  if (t != nullptr && g_scheduler.go_on_under_control(*t) != Proceed::kNative) watch_end(*t);
  pthread_testcancel();
  return end;
}

bool is_parked_for(int64_t duration_ns) {
  return parks_waits() && duration_ns > 0 && duration_ns <= kLongestParked_ns;
}

}  // namespace

bool parks_waits() {
  return attended() && block().mode == ControlMode::kClients;
}

bool sleep_parked(int64_t duration_ns, uint64_t site) {
  if (!is_parked_for(duration_ns)) return false;
  const timespec until = to_timespec(read_clock(CLOCK_MONOTONIC) + duration_ns);
  const uint32_t end = wait_parked(
      {.object = id_of(&until), .site = site, .until = &until}, [&](WaitingPlace& place) {
        const timespec real_until = to_real_time(CLOCK_MONOTONIC, until);
        return g_outside_waiters.sleep(place, CLOCK_MONOTONIC, &real_until);
      });
  return end != WaitingPlace::kInKernel;
}

PolledParked poll_parked(pollfd* fds, nfds_t count, int64_t limit_ns, uint64_t site) {
  const bool limited = limit_ns >= 0;
  if (limited && !is_parked_for(limit_ns)) return PolledParked::kNot;
  for (nfds_t i = 0; i < count; ++i) {
    if (serves_somebody(fds[i].fd)) return PolledParked::kNot;
  }
  const auto polled = static_cast<uint32_t>(count);
  const timespec until = limited ? to_timespec(read_clock(CLOCK_MONOTONIC) + limit_ns) : timespec{};
  const uint32_t end =
      wait_parked({.object = id_of(&until),
                   .site = site,
                   .until = limited ? &until : nullptr,
                   .fds = fds,
                   .fd_count = polled},
                  [&](WaitingPlace& place) {
                    return g_outside_waiters.poll(place, fds, polled,
                                                  limited ? to_timespec(limit_ns) : timespec{-1, 0},
                                                  [](WaitingPlace& one, WaitingPlace::State state) {
                                                    return g_scheduler.withdraw(one, state);
                                                  });
                  });
  if (end == WaitingPlace::kInKernel) return PolledParked::kNot;
  if (end == WaitingPlace::kInterrupted) return PolledParked::kInterrupted;
  const bool is_over = limited && end != WaitingPlace::kWoken;
  return is_over ? PolledParked::kOver : PolledParked::kReady;
}

}  // namespace esox
