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

// The state by which it ended; kInKernel: it is not done here.
uint32_t wait_parked(int64_t duration_ns, uint64_t site, auto wait) {
  if (!parks_waits() || duration_ns <= 0 || duration_ns > kLongestParked_ns) {
    return WaitingPlace::kInKernel;
  }
  const timespec until = to_timespec(read_clock(CLOCK_MONOTONIC) + duration_ns);
  WaitingPlace* place = g_outside_waiters.park({.object = id_of(&until),
                                                .site = site,
                                                .until = &until,
                                                .handle = pthread_self(),
                                                .tid = raw::thread_id()});
  if (place == nullptr) return WaitingPlace::kInKernel;
  const uint32_t end = wait(*place, to_real_time(CLOCK_MONOTONIC, until));
  ControlledThread* t = end == WaitingPlace::kChosen ? place->thread : nullptr;
  g_outside_waiters.leave(place);
  if (t != nullptr && g_scheduler.go_on_under_control(*t) != Proceed::kNative) watch_end(*t);
  pthread_testcancel();
  return end;
}

}  // namespace

bool parks_waits() {
  return attended() && block().mode == ControlMode::kClients;
}

bool sleep_parked(int64_t duration_ns, uint64_t site) {
  return wait_parked(duration_ns, site, [](WaitingPlace& place, const timespec& until) {
           return g_outside_waiters.sleep(place, CLOCK_MONOTONIC, &until);
         }) != WaitingPlace::kInKernel;
}

PolledParked poll_parked(pollfd* fds, nfds_t count, int64_t limit_ns, uint64_t site) {
  for (nfds_t i = 0; i < count; ++i) {
    if (serves_somebody(fds[i].fd)) return PolledParked::kNot;
  }
  const uint32_t end = wait_parked(limit_ns, site, [&](WaitingPlace& place, const timespec&) {
    return g_outside_waiters.poll(place, fds, static_cast<uint32_t>(count), to_timespec(limit_ns),
                                  [](WaitingPlace& one, WaitingPlace::State state) {
                                    return g_scheduler.withdraw(one, state);
                                  });
  });
  if (end == WaitingPlace::kInKernel) return PolledParked::kNot;
  if (end == WaitingPlace::kInterrupted) return PolledParked::kInterrupted;
  return end == WaitingPlace::kWoken ? PolledParked::kReady : PolledParked::kOver;
}

}  // namespace esox
