// SPDX-License-Identifier: Apache-2.0
#include "preload/scheduler/outside_waiters.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/socket.h>

#include <algorithm>

#include "preload/core/raw.h"
#include "preload/core/real.h"

namespace esox {
namespace {

constexpr int64_t kSecond_ns = 1'000'000'000;

ESOX_REAL_VERSION(pthread_cond_signal, "GLIBC_2.3.2");

// Of `count` waiters who came up to that moment: all three kinds of them are queues, so those who
// came later stay.
void make(const WakeUp& wake, uint32_t count, uint64_t until) {
  if (wake.futex_operation >= 0) {
    raw::call(SYS_futex, static_cast<long>(wake.object), wake.futex_operation,
              static_cast<long>(count), 0, 0, static_cast<long>(wake.bitset));
    return;
  }
  auto* cond = reinterpret_cast<pthread_cond_t*>(wake.object);
  for (uint32_t i = g_outside_waiters.wake(wake.object, count, until); i < count; ++i) {
    real_pthread_cond_signal(cond);
  }
}

thread_local uint32_t t_interruptions;

// Its word has changed.
void tell(WaitingPlace& place) {
  raw::futex_wake(&place.word, 1);
  place.tellers.fetch_add(1);
  const uint32_t poller = place.poller.load();
  if (poller != 0) raw::call(SYS_tgkill, raw::call(SYS_getpid), poller, kInterruptSignal);
  place.tellers.fetch_sub(1);
}

// No signal is left that would interrupt another call.
void end_polling(WaitingPlace& place, uint64_t interrupt) {
  place.poller.store(0);
  while (place.tellers.load() != 0) raw::call(SYS_sched_yield);
  const timespec at_once{};
  while (raw::call(SYS_rt_sigtimedwait, raw::address(&interrupt), 0, raw::address(&at_once), 8) >
         0) {
  }
}

}  // namespace

constinit OutsideWaiters g_outside_waiters;

void note_interruption() {
  ++t_interruptions;
}

WaitingPlace* OutsideWaiters::take_place(uint64_t* moment) {
  *moment = moment_.fetch_add(1) + 1;
  for (uint32_t i = 0; i < kPlaces; ++i) {
    WaitingPlace& place = places_[(*moment + i) % kPlaces];
    uint64_t free = 0;
    if (place.object.compare_exchange_strong(free, kTaken)) return &place;
  }
  return nullptr;
}

WaitingPlace* OutsideWaiters::enter(uint64_t object) {
  uint64_t moment;
  WaitingPlace* place = take_place(&moment);
  if (place == nullptr) {
    unplaced_.fetch_add(1);
    return nullptr;
  }
  place->since.store(moment);
  place->word.store(WaitingPlace::kInKernel);
  place->object.store(object);
  return place;
}

void OutsideWaiters::leave(WaitingPlace* place) {
  if (place != nullptr) {
    place->object.store(0);
  } else {
    unplaced_.fetch_sub(1);
  }
}

WaitingPlace* OutsideWaiters::park(const ParkedWait& wait) {
  uint64_t moment;
  WaitingPlace* place = take_place(&moment);
  if (place == nullptr) return nullptr;
  place->since.store(wait.since != 0 ? wait.since : moment);
  place->wait = wait;
  const uint32_t number = static_cast<uint32_t>(moment) * (WaitingPlace::kStates + 1);
  place->word.store(number | WaitingPlace::kParked);
  place->object.store(wait.object);
  return place;
}

uint32_t OutsideWaiters::sleep(WaitingPlace& place, clockid_t clock, const timespec* until) {
  place.limited.store(until != nullptr);
  if (until != nullptr) place.until = *until;
  place.clock = clock;
  place.sleeper.store(place.wait.tid);
  const uint32_t state = sleep_on(place, clock);
  place.sleeper.store(0);
  return state;
}

uint32_t OutsideWaiters::sleep_on(WaitingPlace& place, clockid_t clock) {
  timespec* const until = place.limited.load() ? &place.until : nullptr;
  const int operation = FUTEX_WAIT_BITSET | (clock == CLOCK_REALTIME ? FUTEX_CLOCK_REALTIME : 0);
  while (true) {
    uint32_t word = place.word.load();
    const uint32_t state = WaitingPlace::state_of(word);
    const bool parked = state == WaitingPlace::kParked;
    if (!parked && state != WaitingPlace::kAdopted) return state;
    const long result = raw::call(SYS_futex, raw::address(&place.word), operation, word,
                                  parked ? raw::address(until) : 0, 0, ~0u);
    if (result == -ETIMEDOUT && is_given_time(place, clock)) continue;
    const uint32_t timed_out = WaitingPlace::changed(word, WaitingPlace::kTimedOut);
    if (result == -ETIMEDOUT && place.word.compare_exchange_strong(word, timed_out)) {
      return WaitingPlace::kTimedOut;
    }
  }
}

// The signal that interrupts comes in the kernel's wait alone, not between a look at the state and
// the wait.
uint32_t OutsideWaiters::poll(WaitingPlace& place, pollfd* fds, uint32_t count, timespec left,
                              Withdraw withdraw) {
  const uint64_t interrupt = uint64_t{1} << (kInterruptSignal - 1);
  uint64_t before = 0;
  raw::call(SYS_rt_sigprocmask, SIG_BLOCK, raw::address(&interrupt), raw::address(&before), 8);
  place.poller.store(place.wait.tid);
  const uint32_t state = poll_on(place, fds, count, left, before & ~interrupt, withdraw);
  end_polling(place, interrupt);
  raw::call(SYS_rt_sigprocmask, SIG_SETMASK, raw::address(&before), 0, 8);
  return state;
}

// Of an adopted one no time passes here. The kernel says in `left` what is left of it.
uint32_t OutsideWaiters::poll_on(WaitingPlace& place, pollfd* fds, uint32_t count, timespec& left,
                                 uint64_t signals, Withdraw withdraw) {
  while (true) {
    uint32_t word = place.word.load();
    const uint32_t state = WaitingPlace::state_of(word);
    const bool parked = state == WaitingPlace::kParked;
    if (!parked && state != WaitingPlace::kAdopted) return state;
    const uint32_t interruptions = t_interruptions;
    const bool limited = parked && left.tv_sec >= 0;
    const long ready = raw::call(SYS_ppoll, raw::address(fds), count,
                                 limited ? raw::address(&left) : 0, raw::address(&signals), 8);
    if (ready == -EINTR && interruptions != t_interruptions) continue;
    if (ready == 0 && !parked) continue;
    if (const int64_t given_ns = given_time_ns(place); ready == 0 && given_ns > 0) {
      left = {given_ns / kSecond_ns, given_ns % kSecond_ns};
      continue;
    }
    const auto end = ready == 0        ? WaitingPlace::kTimedOut
                     : ready == -EINTR ? WaitingPlace::kInterrupted
                                       : WaitingPlace::kWoken;
    if (parked && place.word.compare_exchange_strong(word, WaitingPlace::changed(word, end))) {
      return end;
    }
    // Taken under control, perhaps just now.
    const bool adopted = place.state() == WaitingPlace::kAdopted;
    if (ready != 0 && adopted && !withdraw(place, end)) {
      raw::futex_wait(&place.word, WaitingPlace::changed(word, WaitingPlace::kAdopted));
    }
  }
}

void OutsideWaiters::give_time(int64_t ns) {
  given_moment_.store(moment());
  given_until_ns_.store(raw::now_ns(CLOCK_MONOTONIC) + ns);
}

int64_t OutsideWaiters::given_time_ns(const WaitingPlace& place) const {
  if (place.since.load() > given_moment_.load()) return 0;
  return given_until_ns_.load() - raw::now_ns(CLOCK_MONOTONIC);
}

bool OutsideWaiters::is_given_time(WaitingPlace& place, clockid_t clock) const {
  const int64_t left_ns = given_time_ns(place);
  if (left_ns <= 0) return false;
  const int64_t until_ns = raw::now_ns(clock) + left_ns;
  place.until = {until_ns / kSecond_ns, until_ns % kSecond_ns};
  return true;
}

uint32_t OutsideWaiters::wake(uint64_t object, uint32_t most, uint64_t until) {
  uint32_t woken = 0;
  while (woken < most) {
    WaitingPlace* first = nullptr;
    uint32_t first_word = 0;
    for (WaitingPlace& place : places_) {
      const uint32_t word = place.word.load();  // first, so that the rest is of this wait or fails
      const bool waits = place.object.load() == object &&
                         WaitingPlace::state_of(word) == WaitingPlace::kParked &&
                         place.since.load() <= until;
      if (!waits || (first != nullptr && place.since.load() > first->since.load())) continue;
      first = &place;
      first_word = word;
    }
    if (first == nullptr) break;
    const uint32_t next = WaitingPlace::changed(first_word, WaitingPlace::kWoken);
    if (!first->word.compare_exchange_strong(first_word, next)) continue;
    tell(*first);
    ++woken;
  }
  return woken;
}

void OutsideWaiters::wake_thread(uint64_t handle) {
  for (WaitingPlace& place : places_) {
    uint32_t word = place.word.load();
    const bool parked = place.object.load() > kTaken && place.wait.handle == handle &&
                        WaitingPlace::state_of(word) == WaitingPlace::kParked;
    const uint32_t woken = WaitingPlace::changed(word, WaitingPlace::kWoken);
    if (parked && place.word.compare_exchange_strong(word, woken)) tell(place);
  }
}

uint32_t OutsideWaiters::adopt(WaitingPlace** places, uint32_t most, Whom whom) {
  uint32_t count = 0;
  for (WaitingPlace& place : places_) {
    if (count == most) break;
    uint32_t word = place.word.load();
    const bool parked =
        place.object.load() > kTaken && WaitingPlace::state_of(word) == WaitingPlace::kParked;
    if (!parked) continue;
    const Whom other =
        place.wait.polls_without_limit() ? Whom::kAllButEndlessPolls : Whom::kEndlessPollsAlone;
    if (whom == other) continue;
    const uint32_t adopted = WaitingPlace::changed(word, WaitingPlace::kAdopted);
    if (place.word.compare_exchange_strong(word, adopted)) places[count++] = &place;
  }
  return count;
}

uint32_t OutsideWaiters::sleepers(uint32_t* tids, uint32_t most) const {
  uint32_t count = 0;
  for (const WaitingPlace& place : places_) {
    const uint32_t tid = place.sleeper.load();
    if (tid == 0 || place.state() != WaitingPlace::kParked || count == most) continue;
    const int64_t until_ns = place.until.tv_sec * 1'000'000'000 + place.until.tv_nsec;
    const bool in_time = !place.limited.load() || raw::now_ns(place.clock) < until_ns;
    if (in_time && place.sleeper.load() == tid) tids[count++] = tid;
  }
  return count;
}

void OutsideWaiters::end_what_is_due(const VirtualClock& process_clock) {
  for (WaitingPlace& place : places_) {
    uint32_t word = place.word.load();
    if (place.object.load() <= kTaken || WaitingPlace::state_of(word) != WaitingPlace::kParked) {
      continue;
    }
    const clockid_t clock = place.wait.clock;
    const timespec* until = place.wait.until;
    const int64_t now_ns = raw::now_ns(clock) + process_clock.offset_ns(clock);
    if (until == nullptr || until->tv_sec > now_ns / 1'000'000'000) continue;
    if (until->tv_sec * 1'000'000'000 + until->tv_nsec > now_ns) continue;
    const uint32_t timed_out = WaitingPlace::changed(word, WaitingPlace::kTimedOut);
    if (place.word.compare_exchange_strong(word, timed_out)) tell(place);
  }
}

void OutsideWaiters::wake_up(WaitingPlace& place, WaitingPlace::State state) {
  place.change(state);
  tell(place);
}

uint32_t OutsideWaiters::count(uint64_t object, uint64_t until) const {
  uint32_t count = 0;
  for (const WaitingPlace& place : places_) {
    const uint32_t state = place.state();
    const bool waits = state == WaitingPlace::kInKernel || state == WaitingPlace::kParked;
    count += waits && place.object.load() == object && place.since.load() <= until ? 1 : 0;
  }
  return count;
}

uint32_t KeptWakes::keep(const WakeUp& wake) {
  if (g_outside_waiters.overflows()) return 0;
  const uint64_t until = g_outside_waiters.moment();
  const uint32_t waiters = std::min(wake.most, g_outside_waiters.count(wake.object, until));
  if (waiters == 0) return 0;
  const uint32_t count = count_.load();
  for (uint32_t i = 0; i < count; ++i) {
    Kept& kept = kept_[i];
    if (kept.wake.object != wake.object || kept.wake.futex_operation != wake.futex_operation ||
        kept.wake.bitset != wake.bitset) {
      continue;
    }
    kept.until = until;
    kept.wake.most =
        wake.most > UINT32_MAX - kept.wake.most ? UINT32_MAX : kept.wake.most + wake.most;
    return waiters;
  }
  if (count == kMost) return 0;
  kept_[count] = {wake, until};
  count_.store(count + 1);
  return waiters;
}

bool KeptWakes::any_of(uint64_t object) const {
  const uint32_t count = count_.load();
  return std::any_of(kept_, kept_ + count,
                     [&](const Kept& kept) { return kept.wake.object == object; });
}

void KeptWakes::keep_hang_up(ThreadId client, int fd) {
  hang_ups_ |= 1u << client;
  descriptors_[client] = fd;
}

void KeptWakes::forget() {
  count_.store(0);
  if (hang_ups_ != 0) hang_ups_ = 0;  // a write costs a page's copy
}

bool KeptWakes::deliver() {
  for (ThreadId client = 0; client < kMaxClients && hang_ups_ != 0; ++client) {
    if ((hang_ups_ >> client & 1) != 0) raw::call(SYS_shutdown, descriptors_[client], SHUT_RDWR);
  }
  const bool hung_up = hang_ups_ != 0;
  if (hung_up) hang_ups_ = 0;
  const uint32_t count = count_.load();
  if (count == 0) return hung_up;
  count_.store(0);
  for (uint32_t i = 0; i < count; ++i) {
    const uint32_t waiters = g_outside_waiters.count(kept_[i].wake.object, kept_[i].until);
    if (waiters > 0) make(kept_[i].wake, std::min(kept_[i].wake.most, waiters), kept_[i].until);
  }
  return true;
}

}  // namespace esox
