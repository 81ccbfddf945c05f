// SPDX-License-Identifier: Apache-2.0
#include "preload/scheduler/outside_waiters.h"

#include <gtest/gtest.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <set>
#include <thread>
#include <vector>

#include "preload/core/raw.h"

namespace esox {
namespace {

uint64_t id_of(const void* object) {
  return reinterpret_cast<uint64_t>(object);
}

// Threads that wait once, without a loop, as those do whom a wake-up for nothing would harm.
class Waiters {
 public:
  ~Waiters() {
    pthread_mutex_lock(&mutex_);
    pthread_cond_broadcast(&cond_);
    pthread_mutex_unlock(&mutex_);
    for (std::thread& thread : threads_) thread.join();
  }

  // Returns when it waits.
  void add() {
    const uint32_t before = waiting();
    threads_.emplace_back([this] {
      pthread_mutex_lock(&mutex_);
      {
        const OutsideWait waits(&cond_);
        pthread_cond_wait(&cond_, &mutex_);
      }
      ++awake_;
      pthread_mutex_unlock(&mutex_);
    });
    while (waiting() == before) std::this_thread::yield();
    pthread_mutex_lock(&mutex_);  // free only when the wait has begun
    pthread_mutex_unlock(&mutex_);
  }

  uint32_t waiting() const { return g_outside_waiters.count(object(), UINT64_MAX); }
  uint64_t object() const { return id_of(&cond_); }

  // Until so many woke: a wake-up that never comes ends the test by its time-out.
  void await(uint32_t count) {
    while (awake() < count) std::this_thread::yield();
  }
  uint32_t awake() {
    pthread_mutex_lock(&mutex_);
    const uint32_t count = awake_;
    pthread_mutex_unlock(&mutex_);
    return count;
  }

 private:
  pthread_mutex_t mutex_ = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t cond_ = PTHREAD_COND_INITIALIZER;
  uint32_t awake_ = 0;
  std::vector<std::thread> threads_;
};

TEST(KeptWakes, OneThatFindsNobodyWaitingIsNotKept) {
  KeptWakes kept;
  const pthread_cond_t nobody = PTHREAD_COND_INITIALIZER;
  EXPECT_EQ(kept.keep({id_of(&nobody), 1}), 0U);
  EXPECT_FALSE(kept.any());
  EXPECT_FALSE(kept.deliver());
}

TEST(KeptWakes, WakeNobodyBeforeTheyAreDelivered) {
  KeptWakes kept;
  Waiters waiters;
  waiters.add();
  EXPECT_EQ(kept.keep({waiters.object(), 1}), 1U);
  EXPECT_TRUE(kept.any());
  EXPECT_TRUE(kept.any_of(waiters.object()));
  EXPECT_FALSE(kept.any_of(waiters.object() + 1));
  EXPECT_EQ(waiters.awake(), 0U);
  EXPECT_TRUE(kept.deliver());
  waiters.await(1);
  EXPECT_FALSE(kept.any());
  EXPECT_EQ(waiters.waiting(), 0U);
}

TEST(KeptWakes, AreForThoseWhoWaitedWhenTheyWereMade) {
  KeptWakes kept;
  Waiters waiters;
  waiters.add();
  EXPECT_EQ(kept.keep({waiters.object(), UINT32_MAX}), 1U);
  waiters.add();
  EXPECT_TRUE(kept.deliver());
  waiters.await(1);
  EXPECT_EQ(waiters.waiting(), 1U);
}

TEST(KeptWakes, OfOneObjectAddUp) {
  KeptWakes kept;
  Waiters waiters;
  for (int i = 0; i < 3; ++i) waiters.add();
  EXPECT_EQ(kept.keep({waiters.object(), 1}), 1U);
  EXPECT_EQ(kept.keep({waiters.object(), 1}), 1U);
  EXPECT_TRUE(kept.deliver());
  waiters.await(2);
  EXPECT_EQ(waiters.waiting(), 1U);
}

TEST(KeptWakes, WhoHasGivenUpIsNotWoken) {
  KeptWakes kept;
  // Freed when it is delivered, as a variable of a thread that waited no longer.
  auto cond = std::make_unique<pthread_cond_t>();
  {
    const OutsideWait waits(cond.get());
    EXPECT_EQ(kept.keep({id_of(cond.get()), 1}), 1U);
  }
  cond.reset();
  EXPECT_TRUE(kept.deliver());
}

TEST(KeptWakes, OfAFutexAreTheKernels) {
  KeptWakes kept;
  uint32_t word = 0;
  std::thread thread([&] {
    const OutsideWait waits(&word);
    while (__atomic_load_n(&word, __ATOMIC_SEQ_CST) == 0) {
      syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, nullptr, nullptr, 0);
    }
  });
  while (g_outside_waiters.count(id_of(&word), UINT64_MAX) == 0) std::this_thread::yield();
  EXPECT_EQ(kept.keep({id_of(&word), 1, FUTEX_WAKE_PRIVATE}), 1U);
  __atomic_store_n(&word, 1, __ATOMIC_SEQ_CST);
  EXPECT_TRUE(kept.deliver());
  thread.join();
}

TEST(KeptWakes, AreNotKeptWhereThereIsNoRoom) {
  KeptWakes kept;
  std::vector<char> objects(1000);
  std::vector<std::unique_ptr<OutsideWait>> waits;
  uint32_t held = 0;
  for (; held < OutsideWaiters::kPlaces; ++held) {
    waits.push_back(std::make_unique<OutsideWait>(&objects[held]));
    if (kept.keep({id_of(&objects[held]), 1}) == 0) break;
  }
  EXPECT_GT(held, 0U);
  EXPECT_LT(held, OutsideWaiters::kPlaces);
}

TEST(OutsideWaiters, WhereNotAllFindAPlaceNothingIsKept) {
  KeptWakes kept;
  std::vector<char> objects(OutsideWaiters::kPlaces + 1);
  std::vector<std::unique_ptr<OutsideWait>> waits;
  for (const char& object : objects) waits.push_back(std::make_unique<OutsideWait>(&object));
  EXPECT_TRUE(g_outside_waiters.overflows());
  EXPECT_EQ(kept.keep({id_of(objects.data()), 1}), 0U);
  waits.clear();
  EXPECT_FALSE(g_outside_waiters.overflows());
}

// A thread that is parked until it goes on, and the state by which it did.
class Parked {
 public:
  explicit Parked(uint64_t object, int64_t limit_ns = -1, uint32_t tid = 0)
      : place_(g_outside_waiters.park({.object = object, .tid = tid})) {
    if (limit_ns >= 0) {
      const int64_t ns = raw::now_ns(CLOCK_MONOTONIC) + limit_ns;
      until_ = {ns / 1'000'000'000, ns % 1'000'000'000};
    }
    thread_ = std::thread([this, timed = limit_ns >= 0] {
      state_ = g_outside_waiters.sleep(*place_, CLOCK_MONOTONIC, timed ? &until_ : nullptr);
      g_outside_waiters.leave(place_);
    });
  }
  ~Parked() {
    if (thread_.joinable()) join();
  }
  Parked(const Parked&) = delete;
  Parked& operator=(const Parked&) = delete;

  uint32_t join() {
    thread_.join();
    return state_;
  }
  WaitingPlace& place() { return *place_; }

 private:
  WaitingPlace* place_;
  timespec until_{};
  uint32_t state_ = 0;
  std::thread thread_;
};

TEST(ParkedThreads, AreWokenOneByOneInTheOrderOfTheirComing) {
  const char object = 0;
  Parked first(id_of(&object));
  Parked second(id_of(&object));
  EXPECT_EQ(g_outside_waiters.count(id_of(&object), UINT64_MAX), 2U);
  EXPECT_EQ(g_outside_waiters.wake(id_of(&object), 1), 1U);
  EXPECT_EQ(first.join(), WaitingPlace::kWoken);
  EXPECT_EQ(second.place().state(), WaitingPlace::kParked);
  EXPECT_EQ(g_outside_waiters.wake(id_of(&object), UINT32_MAX), 1U);
  EXPECT_EQ(second.join(), WaitingPlace::kWoken);
  EXPECT_EQ(g_outside_waiters.wake(id_of(&object), 1), 0U);
}

TEST(ParkedThreads, WhoCameLaterThanTheWakeUpIsNotMeant) {
  const char object = 0;
  const uint64_t until = g_outside_waiters.moment();
  Parked late(id_of(&object));
  EXPECT_EQ(g_outside_waiters.wake(id_of(&object), 1, until), 0U);
  EXPECT_EQ(g_outside_waiters.wake(id_of(&object), 1), 1U);
}

TEST(ParkedThreads, GoOnByThemselvesWhenTheirTimeIsOver) {
  const char object = 0;
  EXPECT_EQ(Parked(id_of(&object), 1'000'000).join(), WaitingPlace::kTimedOut);
  EXPECT_EQ(g_outside_waiters.count(id_of(&object), UINT64_MAX), 0U);
}

TEST(ParkedThreads, SleepUntilTheyAreWokenOrTheirTimeIsOver) {
  constexpr int64_t kHour_ns = 3'600'000'000'000;
  const char object = 0;
  const auto sleepers = [] {
    uint32_t tids[OutsideWaiters::kPlaces];
    const uint32_t count = g_outside_waiters.sleepers(tids, OutsideWaiters::kPlaces);
    return std::set<uint32_t>(tids, tids + count);
  };
  Parked endless(id_of(&object), -1, 7);
  Parked limited(id_of(&object), kHour_ns, 8);
  while (sleepers().size() < 2) std::this_thread::yield();
  EXPECT_EQ(sleepers(), (std::set<uint32_t>{7, 8}));
  limited.place().until = {};
  EXPECT_EQ(sleepers(), (std::set<uint32_t>{7})) << "one whose time is over may act at any moment";
  EXPECT_EQ(g_outside_waiters.wake(id_of(&object), 2), 2U);
  EXPECT_TRUE(sleepers().empty());
}

TEST(ParkedThreads, UnderControlAreFoundByNoWakeUpAndTheirTimeStandsStill) {
  const char object = 0;
  Parked waits(id_of(&object), 1'000'000);
  WaitingPlace* places[OutsideWaiters::kPlaces];
  // Unless the machine was so busy that its time was over first.
  if (g_outside_waiters.adopt(places, OutsideWaiters::kPlaces) == 1) {
    ASSERT_EQ(places[0], &waits.place());
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    EXPECT_EQ(waits.place().state(), WaitingPlace::kAdopted);
    EXPECT_EQ(g_outside_waiters.wake(id_of(&object), 1), 0U);
    EXPECT_EQ(g_outside_waiters.count(id_of(&object), UINT64_MAX), 0U);
    OutsideWaiters::wake_up(waits.place(), WaitingPlace::kParked);  // given back
  }
  EXPECT_EQ(waits.join(), WaitingPlace::kTimedOut);
}

TEST(ParkedThreads, ThatAreChosenGoOnUnderControl) {
  const char object = 0;
  Parked waits(id_of(&object));
  WaitingPlace* places[OutsideWaiters::kPlaces];
  ASSERT_EQ(g_outside_waiters.adopt(places, OutsideWaiters::kPlaces), 1U);
  OutsideWaiters::wake_up(*places[0], WaitingPlace::kChosen);
  EXPECT_EQ(waits.join(), WaitingPlace::kChosen);
}

// Signals are neither lost nor given twice, whoever comes and goes.
TEST(ParkedThreads, AreAsManyAsTheWakeUpsThatFoundOne) {
  const char object = 0;
  constexpr uint32_t kThreads = 4;
  constexpr uint32_t kRounds = 2000;
  std::atomic<uint32_t> woken{0};
  std::atomic<uint32_t> over{0};
  std::vector<std::thread> threads;
  for (uint32_t i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      for (uint32_t round = 0; round < kRounds; ++round) {
        WaitingPlace* place = g_outside_waiters.park({.object = id_of(&object)});
        const int64_t ns = raw::now_ns(CLOCK_MONOTONIC) + 50'000;
        timespec until{ns / 1'000'000'000, ns % 1'000'000'000};
        const uint32_t end = g_outside_waiters.sleep(*place, CLOCK_MONOTONIC, &until);
        woken += end == WaitingPlace::kWoken ? 1 : 0;
        g_outside_waiters.leave(place);
      }
      ++over;
    });
  }
  uint32_t found = 0;
  while (over < kThreads) found += g_outside_waiters.wake(id_of(&object), 1);
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(found, woken);
}

TEST(ParkedThreads, WhoAreGivenTimeHaveItAndThoseWhoComeLaterHaveNot) {
  const char object = 0;
  const auto sleep_at = [](WaitingPlace& place, clockid_t clock) {
    const int64_t ns = raw::now_ns(clock) + 1'000'000;
    const timespec until{ns / 1'000'000'000, ns % 1'000'000'000};
    const uint32_t end = g_outside_waiters.sleep(place, clock, &until);
    g_outside_waiters.leave(&place);
    return end;
  };
  constexpr int64_t kGiven_ns = 50'000'000;
  for (const clockid_t clock : {CLOCK_MONOTONIC, CLOCK_REALTIME}) {
    WaitingPlace* early = g_outside_waiters.park({.object = id_of(&object)});
    const int64_t begin_ns = raw::now_ns(CLOCK_MONOTONIC);
    g_outside_waiters.give_time(kGiven_ns);
    EXPECT_EQ(sleep_at(*early, clock), WaitingPlace::kTimedOut);
    EXPECT_GE(raw::now_ns(CLOCK_MONOTONIC) - begin_ns, kGiven_ns);
  }
  constexpr int64_t kHour_ns = 3'600'000'000'000;
  g_outside_waiters.give_time(kHour_ns);
  WaitingPlace* late = g_outside_waiters.park({.object = id_of(&object)});
  EXPECT_EQ(sleep_at(*late, CLOCK_MONOTONIC), WaitingPlace::kTimedOut);
  g_outside_waiters.give_time(0);
}

// A thread that is parked as the server's own are, for a minute of a clock.
class ParkedForAMinute {
 public:
  explicit ParkedForAMinute(clockid_t clock) {
    until_.tv_sec = raw::now_ns(clock) / 1'000'000'000 + 60;
    thread_ = std::thread([this, clock] {
      WaitingPlace* place = g_outside_waiters.park(
          {.object = id_of(this), .clock = clock, .until = &until_, .handle = pthread_self()});
      timespec real_until = until_;
      end_ = g_outside_waiters.sleep(*place, clock, &real_until);
      g_outside_waiters.leave(place);
    });
    while (g_outside_waiters.count(id_of(this), UINT64_MAX) == 0) std::this_thread::yield();
  }
  ~ParkedForAMinute() {
    g_outside_waiters.wake(id_of(this), 1);
    if (thread_.joinable()) thread_.join();
  }
  uint64_t handle() { return thread_.native_handle(); }
  uint32_t end() {
    thread_.join();
    return end_;
  }

 private:
  timespec until_{};
  std::thread thread_;
  uint32_t end_ = WaitingPlace::kInKernel;
};

TEST(ParkedThreads, WhoseTimeIsOverByALeapOfTheClockGoesOn) {
  for (const clockid_t clock : {CLOCK_MONOTONIC, CLOCK_REALTIME}) {
    VirtualClock process_clock;
    ParkedForAMinute parked(clock);
    g_outside_waiters.end_what_is_due(process_clock);
    process_clock.leap(30'000'000'000);
    g_outside_waiters.end_what_is_due(process_clock);
    EXPECT_EQ(g_outside_waiters.count(id_of(&parked), UINT64_MAX), 1U);
    process_clock.leap(31'000'000'000);
    g_outside_waiters.end_what_is_due(process_clock);
    EXPECT_EQ(parked.end(), WaitingPlace::kTimedOut);
  }
}

TEST(ParkedThreads, WhoIsToBeCancelledGoesOn) {
  ParkedForAMinute parked(CLOCK_MONOTONIC);
  ParkedForAMinute other(CLOCK_MONOTONIC);
  g_outside_waiters.wake_thread(parked.handle());
  EXPECT_EQ(parked.end(), WaitingPlace::kWoken);
  EXPECT_EQ(g_outside_waiters.count(id_of(&other), UINT64_MAX), 1U);
}

// The C library's own: the thread sanitizer's sigaction() puts a handler off until the thread calls
// something that it knows, and a handler that has not run cannot tell whose signal interrupted.
extern "C" int __sigaction(int signal, const struct sigaction* action, struct sigaction* before);

// A thread that polls a pipe in its place, with a limit of an hour or what is given, and the state
// by which it went on.
class Polling {
 public:
  explicit Polling(int64_t limit_ns = 3'600'000'000'000) {
    EXPECT_EQ(pipe(pipe_), 0);
    struct sigaction nothing {};
    nothing.sa_handler = [](int) { note_interruption(); };
    __sigaction(kInterruptSignal, &nothing, nullptr);
    nothing.sa_handler = [](int) {};
    sigaction(SIGUSR1, &nothing, nullptr);
    thread_ = std::thread([this, limit_ns] {
      pollfd ready{pipe_[0], POLLIN, 0};
      const timespec until{};  // only that there is one counts here
      WaitingPlace* place = g_outside_waiters.park({.object = id_of(this),
                                                    .until = limit_ns < 0 ? nullptr : &until,
                                                    .tid = raw::thread_id(),
                                                    .fds = &ready,
                                                    .fd_count = 1});
      const timespec left = limit_ns < 0
                                ? timespec{-1, 0}
                                : timespec{limit_ns / 1'000'000'000, limit_ns % 1'000'000'000};
      place_ = place;
      end_ = g_outside_waiters.poll(*place, &ready, 1, left,
                                    [](WaitingPlace& one, WaitingPlace::State state) {
                                      one.change(state);
                                      return true;
                                    });
      g_outside_waiters.leave(place);
      const timespec moment{0, 100'000};
      interrupted_later_ = clock_nanosleep(CLOCK_MONOTONIC, 0, &moment, nullptr) == EINTR;
    });
    // Until it polls, or is through.
    while (place_ == nullptr || (place().poller == 0 && end_ == WaitingPlace::kInKernel)) {
      std::this_thread::yield();
    }
  }
  ~Polling() {
    if (thread_.joinable()) end();
    close(pipe_[0]);
    close(pipe_[1]);
  }
  Polling(const Polling&) = delete;
  Polling& operator=(const Polling&) = delete;

  WaitingPlace& place() { return *place_.load(); }
  pthread_t handle() { return thread_.native_handle(); }
  void make_ready() const { EXPECT_EQ(write(pipe_[1], "x", 1), 1); }
  void adopt() const {
    WaitingPlace* places[OutsideWaiters::kPlaces];
    ASSERT_EQ(g_outside_waiters.adopt(places, OutsideWaiters::kPlaces), 1U);
    ASSERT_EQ(places[0], place_.load());
  }
  uint32_t end() {
    thread_.join();
    return end_;
  }
  bool was_interrupted_later() const { return interrupted_later_; }

 private:
  std::atomic<bool> interrupted_later_{false};
  int pipe_[2]{};
  std::atomic<WaitingPlace*> place_{nullptr};
  std::atomic<uint32_t> end_{WaitingPlace::kInKernel};
  std::thread thread_;
};

// A wake-up that looked who waits before control was given up, and comes to wake after that.
TEST(ParkedThreads, WhoBeganToWaitUnderControlIsFoundByThoseWhoWakeSinceThen) {
  for (const bool under_control : {true, false}) {
    const uint64_t object = id_of(&under_control);
    g_outside_waiters.leave(g_outside_waiters.park({.object = object}));  // so that one is past
    const uint64_t began = g_outside_waiters.moment();
    const uint64_t wake_until = g_outside_waiters.moment();
    WaitingPlace* place =
        g_outside_waiters.park({.object = object, .since = under_control ? began : 0});
    EXPECT_EQ(g_outside_waiters.wake(object, 1, wake_until), under_control ? 1U : 0U);
    g_outside_waiters.leave(place);
  }
}

TEST(PollingThreads, GoOnWhenADescriptorIsReadyOrTheirTimeIsOver) {
  Polling ready;
  ready.make_ready();
  EXPECT_EQ(ready.end(), WaitingPlace::kWoken);
  EXPECT_EQ(Polling(50'000'000).end(), WaitingPlace::kTimedOut);
}

// The caller's own call says why: EFAULT.
TEST(PollingThreads, GoOnWhenTheirCallIsWrong) {
  WaitingPlace* place = g_outside_waiters.park({.object = id_of(&place), .tid = raw::thread_id()});
  EXPECT_EQ(g_outside_waiters.poll(*place, nullptr, 1, {10, 0}, nullptr), WaitingPlace::kWoken);
  g_outside_waiters.leave(place);
}

TEST(PollingThreads, AreInterruptedByTheServersOwnSignals) {
  Polling polling;
  while (polling.place().poller != 0) {
    pthread_kill(polling.handle(), SIGUSR1);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  EXPECT_EQ(polling.end(), WaitingPlace::kInterrupted);
}

TEST(PollingThreads, ThatAreChosenGoOnUnderControl) {
  for (int i = 0; i < 200; ++i) {
    Polling polling;
    polling.adopt();
    OutsideWaiters::wake_up(polling.place(), WaitingPlace::kChosen);
    EXPECT_EQ(polling.end(), WaitingPlace::kChosen);
  }
}

TEST(PollingThreads, WithoutLimitAreTakenOnlyWhereTheyAreAskedFor) {
  using Whom = OutsideWaiters::Whom;
  Polling polling(-1);
  WaitingPlace* places[OutsideWaiters::kPlaces];
  EXPECT_EQ(g_outside_waiters.adopt(places, OutsideWaiters::kPlaces), 0U);
  ASSERT_EQ(g_outside_waiters.adopt(places, OutsideWaiters::kPlaces, Whom::kEndlessPollsAlone), 1U);
  OutsideWaiters::wake_up(polling.place(), WaitingPlace::kParked);  // given back
  {
    Polling limited;
    EXPECT_EQ(g_outside_waiters.adopt(places, OutsideWaiters::kPlaces, Whom::kAll), 2U);
    OutsideWaiters::wake_up(limited.place(), WaitingPlace::kChosen);
    EXPECT_EQ(limited.end(), WaitingPlace::kChosen);
  }
  OutsideWaiters::wake_up(polling.place(), WaitingPlace::kParked);
  polling.make_ready();
  EXPECT_EQ(polling.end(), WaitingPlace::kWoken);
}

TEST(PollingThreads, UnderControlHaveNoTimeThatPasses) {
  Polling polling(50'000'000);
  WaitingPlace* places[OutsideWaiters::kPlaces];
  if (g_outside_waiters.adopt(places, OutsideWaiters::kPlaces) == 1) {
    std::this_thread::sleep_for(std::chrono::milliseconds(60));
    EXPECT_EQ(polling.place().state(), WaitingPlace::kAdopted);
    OutsideWaiters::wake_up(polling.place(), WaitingPlace::kParked);  // given back
  }
  EXPECT_EQ(polling.end(), WaitingPlace::kTimedOut);
}

TEST(PollingThreads, HaveTheTimeThatTheyAreGiven) {
  Polling polling(20'000'000);
  const int64_t begin_ns = raw::now_ns(CLOCK_MONOTONIC);
  g_outside_waiters.give_time(50'000'000);
  const bool in_time = polling.place().state() == WaitingPlace::kParked;
  EXPECT_EQ(polling.end(), WaitingPlace::kTimedOut);
  EXPECT_GE(raw::now_ns(CLOCK_MONOTONIC) - begin_ns, in_time ? 50'000'000 : 0);
  g_outside_waiters.give_time(0);
}

TEST(PollingThreads, LeaveControlForTheServersOwnSignals) {
  Polling polling;
  polling.adopt();
  while (polling.place().poller != 0) {
    pthread_kill(polling.handle(), SIGUSR1);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  EXPECT_EQ(polling.end(), WaitingPlace::kInterrupted);
}

// A signal that comes too late must not interrupt what the thread does next.
TEST(PollingThreads, LeaveNoSignalBehind) {
  for (int i = 0; i < 300; ++i) {
    Polling polling(2'000'000);
    WaitingPlace* places[OutsideWaiters::kPlaces];
    if (g_outside_waiters.adopt(places, OutsideWaiters::kPlaces) == 1) {
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
      OutsideWaiters::wake_up(polling.place(), WaitingPlace::kParked);
    }
    EXPECT_EQ(polling.end(), WaitingPlace::kTimedOut);
    EXPECT_FALSE(polling.was_interrupted_later());
  }
}

TEST(PollingThreads, LeaveControlForWhatTheyPollFor) {
  Polling polling;
  polling.adopt();
  polling.make_ready();
  EXPECT_EQ(polling.end(), WaitingPlace::kWoken);
}

}  // namespace
}  // namespace esox
