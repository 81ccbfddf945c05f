// SPDX-License-Identifier: Apache-2.0
#include "preload/scheduler/standstill.h"

#include <gtest/gtest.h>

namespace esox {
namespace {

constexpr int64_t kSecond_ns = 1'000'000'000;

// Thread `thread` waits and looks again, `operations` of them a round, a round each `period_ns`.
// In how many rounds it is noticed; 0: in none of `most`.
uint32_t rounds_until(Standstill& standstill, uint32_t operations, int64_t period_ns, uint32_t most,
                      ThreadId thread = 1) {
  int64_t now_ns = 0;
  for (uint32_t round = 1; round <= most; ++round) {
    now_ns += period_ns;
    standstill.timer_fired(now_ns);
    for (uint32_t i = 0; i < operations; ++i) {
      standstill.operation(thread, OpKind::kMutexLock, 0x7f0000001000 + uint64_t{i} * 64,
                           0x555500 + i);
    }
    if (standstill.lasts()) return round;
  }
  return 0;
}

TEST(Standstill, ASecondAtATimeIsNoticedAfterAThousand) {
  Standstill standstill;
  standstill.begin();
  const uint32_t rounds = rounds_until(standstill, 8, kSecond_ns, 5000);
  EXPECT_GT(rounds, Standstill::kMostFirings);
  EXPECT_LE(rounds, Standstill::kMostFirings + 5);
}

TEST(Standstill, ShortRoundsMustTakeTheirTimeAndLongOnesTheirNumber) {
  Standstill standstill;
  standstill.begin();
  EXPECT_EQ(rounds_until(standstill, 8, kSecond_ns / 100, 50'000), 0u) << "500 s";
  standstill.begin();
  EXPECT_EQ(rounds_until(standstill, 8, 3600 * kSecond_ns, 900), 0u) << "five weeks, few rounds";
}

TEST(Standstill, LooksOutsideSeldomWhileNothingIsNew) {
  Standstill standstill;
  standstill.begin();
  uint32_t skipped = 0;
  for (uint32_t round = 1; round <= 96; ++round) {
    rounds_until(standstill, 8, kSecond_ns, 1);
    skipped += standstill.may_skip_look() ? 1 : 0;
    EXPECT_TRUE(round > 17 || skipped == 0) << round;
  }
  EXPECT_EQ(skipped, 70u);  // of 80, one in eight
  standstill.operation(2, OpKind::kMutexLock, 0x7f0000001000, 0x555500);
  EXPECT_FALSE(standstill.may_skip_look());
}

TEST(Standstill, SomethingNewBeginsTheCountAnew) {
  Standstill standstill;
  standstill.begin();
  EXPECT_EQ(rounds_until(standstill, 8, kSecond_ns, 900), 0u);
  standstill.operation(2, OpKind::kMutexLock, 0x7f0000001000, 0x555500);  // of another thread
  EXPECT_EQ(rounds_until(standstill, 8, kSecond_ns, 900), 0u);
  EXPECT_GT(rounds_until(standstill, 8, 3 * kSecond_ns, 900), 0u);
}

TEST(Standstill, TellsWhatIsNew) {
  Standstill standstill;
  standstill.begin();
  EXPECT_TRUE(standstill.operation(1, OpKind::kMutexLock, 0x1000, 0x5000));
  EXPECT_TRUE(standstill.operation(1, OpKind::kMutexLock, 0x1000, 0x5000)) << "nobody looks yet";
  standstill.timer_fired(kSecond_ns);
  EXPECT_TRUE(standstill.operation(1, OpKind::kMutexLock, 0x1000, 0x5000));
  EXPECT_FALSE(standstill.operation(1, OpKind::kMutexLock, 0x1000, 0x5000));
  EXPECT_TRUE(standstill.operation(1, OpKind::kMutexLock, 0x1000, 0x5008));
}

TEST(Standstill, WhatIsDoneBeforeTheFirstTimerDoesNotFillTheTable) {
  Standstill standstill;
  standstill.begin();
  for (uint32_t i = 0; i < 100'000; ++i) standstill.operation(1, OpKind::kMutexLock, i, i);
  EXPECT_LE(rounds_until(standstill, 8, kSecond_ns, 5000), Standstill::kMostFirings + 5);
}

TEST(Standstill, ARoundOfMoreOperationsThanThereIsRoomForIsNotNoticed) {
  Standstill standstill;
  standstill.begin();
  EXPECT_EQ(rounds_until(standstill, Standstill::kEntries + 10, kSecond_ns, 5000), 0u);
  standstill.begin();
  EXPECT_GT(rounds_until(standstill, Standstill::kEntries - 2, kSecond_ns, 5000), 0u);
}

}  // namespace
}  // namespace esox
