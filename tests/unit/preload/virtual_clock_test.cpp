// SPDX-License-Identifier: Apache-2.0
// The clock of an execution, for controlled threads and for those outside.
#include "preload/scheduler/virtual_clock.h"

#include <gtest/gtest.h>

namespace esox {
namespace {

constexpr int64_t kBase_ns = 1'750'000'000'000'000'000;
constexpr int64_t kOneSecond_ns = 1'000'000'000;

int64_t real_ns() {
  return raw::now_ns(CLOCK_REALTIME);
}

TEST(VirtualClock, StartsEveryExecutionAtTheSameInstantOfItsBase) {
  for (int i = 0; i < 2; ++i) {
    VirtualClock clock;
    clock.set_base(kBase_ns);
    clock.begin();
    EXPECT_EQ(clock.read(CLOCK_REALTIME), kBase_ns + kExecutionOffset_ns);
  }
}

TEST(VirtualClock, IsOneWithTheClockOutsideWhenAnExecutionStarts) {
  VirtualClock clock;
  clock.set_base(kBase_ns);
  const int64_t before_ns = real_ns();
  clock.begin();
  const int64_t after_ns = real_ns();
  const int64_t controlled_ns = clock.read(CLOCK_REALTIME);
  EXPECT_LE(before_ns + clock.offset_ns(), controlled_ns);
  EXPECT_GE(after_ns + clock.offset_ns(), controlled_ns);
}

TEST(VirtualClock, LeavesTheRealDateAloneWithoutABase) {
  VirtualClock clock;
  clock.set_base(0);
  EXPECT_EQ(clock.offset_ns(), 0);
  clock.begin();
  EXPECT_EQ(clock.offset_ns(), 0);
}

TEST(VirtualClock, TurnsAnAbsoluteTimeOfEitherClockIntoTheTimeThatIsLeft) {
  VirtualClock clock;
  clock.set_base(kBase_ns);
  clock.begin();
  clock.advance_to(3 * kOneSecond_ns);
  for (const clockid_t id : {CLOCK_REALTIME, CLOCK_MONOTONIC}) {
    const int64_t until_ns = clock.read(id) + 5 * kOneSecond_ns;
    const timespec until{until_ns / kOneSecond_ns, until_ns % kOneSecond_ns};
    EXPECT_EQ(clock.deadline(id, until), 8 * kOneSecond_ns);
  }
}

TEST(VirtualClock, StandsStillButForWhoeverOnlyReadsIt) {
  VirtualClock clock;
  clock.begin();
  const int64_t start_ns = clock.read(CLOCK_MONOTONIC);
  for (uint32_t i = 2; i < kReadsPerTick; ++i) {
    ASSERT_EQ(clock.read(CLOCK_MONOTONIC), start_ns);
  }
  EXPECT_EQ(clock.read(CLOCK_MONOTONIC), start_ns + kTick_ns);
}

int64_t noted_now_ns(const VirtualClock& clock) {
  return clock.noted_ns(raw::now_ns(CLOCK_REALTIME_COARSE));
}

TEST(VirtualClock, TellsFileTimesOfAnExecutionInItsOwnTime) {
  VirtualClock clock;
  clock.set_base(kBase_ns);
  clock.begin();
  for (const int64_t elapsed_ns : {int64_t{0}, kOneSecond_ns, 7 * kOneSecond_ns}) {
    clock.advance_to(elapsed_ns);
    EXPECT_EQ(noted_now_ns(clock), kBase_ns + kExecutionOffset_ns + elapsed_ns);
  }
  for (int i = 0; i < 1000; ++i) clock.advance_to(clock.elapsed_ns() + kTick_ns);
  EXPECT_EQ(noted_now_ns(clock), clock.read(CLOCK_REALTIME));
}

TEST(VirtualClock, TellsNoFileTimeOfASetupButTheBeginningOfItsDate) {
  const int64_t before_ns = real_ns();
  VirtualClock clock;
  clock.set_base(kBase_ns);
  for (int i = 0; i < 2; ++i) {
    for (const int64_t age_ns : {int64_t{0}, kOneSecond_ns, 60 * kOneSecond_ns}) {
      EXPECT_EQ(clock.noted_ns(before_ns - age_ns), kBase_ns);
    }
    clock.begin();
  }
}

TEST(VirtualClock, KeepsAFileTimeThatAProgramHasSet) {
  VirtualClock clock;
  clock.set_base(kBase_ns);
  clock.begin();
  const int64_t day_ns = 86'400 * kOneSecond_ns;
  for (const int64_t set_ns : {int64_t{0}, kBase_ns - day_ns, kBase_ns + day_ns}) {
    EXPECT_EQ(clock.noted_ns(set_ns - clock.offset_ns()), set_ns);
  }
}

TEST(VirtualClock, LeavesFileTimesAloneWithoutABase) {
  VirtualClock clock;
  clock.begin();
  EXPECT_EQ(clock.noted_ns(12), 12);
}

TEST(VirtualClock, IsNeverSetBack) {
  VirtualClock clock;
  clock.begin();
  clock.advance_to(7);
  clock.advance_to(5);
  EXPECT_EQ(clock.elapsed_ns(), 7);
}

}  // namespace
}  // namespace esox
