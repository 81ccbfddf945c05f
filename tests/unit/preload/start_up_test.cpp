// SPDX-License-Identifier: Apache-2.0
#include "preload/scheduler/start_up.h"

#include <gtest/gtest.h>

#include <thread>

namespace esox {
namespace {

constexpr int64_t kMillisecond_ns = 1'000'000;
constexpr int64_t kStart_ns = 1'700'000'000'000'000'000;

class StartUpTest : public testing::Test {
 protected:
  StartUpTest() {
    clock_.set_base(kStart_ns);
    clock_.fix_monotonic();
    start_.begin(clock_);
  }

  int64_t kernel_ns(clockid_t clock, int64_t lived_ns) const {
    return clock_.booted_ns(clock) + lived_ns;
  }
  // What a thread sees so long after the beginning.
  int64_t seen_ns(clockid_t clock, int64_t lived_ns) {
    const int64_t now_ns = kernel_ns(clock, lived_ns);
    return now_ns - start_.behind_ns(clock, now_ns) + clock_.offset_ns(clock);
  }

  VirtualClock clock_;
  StartUp start_;
};

// What is kept of the calling thread is new in each test's.
void in_a_new_thread(auto action) {
  std::thread(action).join();
}

TEST_F(StartUpTest, AThreadThatDoesNotWaitSeesTheFirstMoment) {
  in_a_new_thread([&] {
    EXPECT_EQ(seen_ns(CLOCK_REALTIME, 5 * kMillisecond_ns), kStart_ns);
    EXPECT_EQ(seen_ns(CLOCK_MONOTONIC, 900 * kMillisecond_ns), kMonotonicBase_ns);
  });
}

TEST_F(StartUpTest, WhatItWaitsForIsAsFarAwayAsItThinks) {
  in_a_new_thread([&] {
    const int64_t until_ns = kernel_ns(CLOCK_MONOTONIC, kMillisecond_ns);
    const int64_t before_ns = raw::now_ns(CLOCK_MONOTONIC);
    const int64_t later_ns = start_.begin_wait(CLOCK_MONOTONIC, until_ns);
    EXPECT_GE(until_ns + later_ns, before_ns + kMillisecond_ns);
    EXPECT_LE(until_ns + later_ns, raw::now_ns(CLOCK_MONOTONIC) + kMillisecond_ns);
    EXPECT_EQ(seen_ns(CLOCK_MONOTONIC, 2 * kMillisecond_ns), kMonotonicBase_ns);
  });
}

TEST_F(StartUpTest, TimePassesForWhoWaitsForIt) {
  in_a_new_thread([&] {
    for (int i = 0; i < 5; ++i) {
      start_.begin_wait(CLOCK_MONOTONIC, kernel_ns(CLOCK_MONOTONIC, 1000 * kMillisecond_ns));
    }
    EXPECT_EQ(seen_ns(CLOCK_MONOTONIC, 7), kMonotonicBase_ns + 7);
    EXPECT_EQ(start_.begin_wait(CLOCK_MONOTONIC, kernel_ns(CLOCK_MONOTONIC, 7)), 0);
  });
  in_a_new_thread([&] { EXPECT_EQ(seen_ns(CLOCK_MONOTONIC, 7), kMonotonicBase_ns); });
}

TEST_F(StartUpTest, AWaitWithoutEndIsNoSmallOne) {
  in_a_new_thread([&] {
    start_.begin_wait(CLOCK_REALTIME, INT64_MAX);
    EXPECT_EQ(seen_ns(CLOCK_REALTIME, 7), kStart_ns + 7);
  });
}

TEST_F(StartUpTest, TimePassesForWhoReadsAgainAndAgain) {
  in_a_new_thread([&] {
    int64_t readings = 0;
    while (seen_ns(CLOCK_MONOTONIC, 7) == kMonotonicBase_ns && readings < 1'000'000) ++readings;
    EXPECT_EQ(readings, 10'000);
  });
}

TEST_F(StartUpTest, TimePassesForAllOnceTheServerHasStarted) {
  in_a_new_thread([&] {
    start_.end();
    EXPECT_EQ(seen_ns(CLOCK_REALTIME, 7), kStart_ns + 7);
  });
}

TEST_F(StartUpTest, AStartTakesAMinuteAtMost) {
  in_a_new_thread([&] {
    EXPECT_EQ(seen_ns(CLOCK_MONOTONIC, kLongestStart_ns + 1),
              kMonotonicBase_ns + kLongestStart_ns + 1);
    EXPECT_EQ(seen_ns(CLOCK_REALTIME, 7), kStart_ns + 7) << "it is over for good";
  });
}

TEST_F(StartUpTest, OtherClocksAreAsTheyAre) {
  in_a_new_thread([&] { EXPECT_EQ(start_.behind_ns(CLOCK_BOOTTIME, INT64_MAX), 0); });
}

}  // namespace
}  // namespace esox
