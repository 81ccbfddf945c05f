// SPDX-License-Identifier: Apache-2.0
#include "harness/nights/night/night_clock.h"

#include <gtest/gtest.h>

namespace esox {
namespace {

const Moment kEvening{"one", 1'000, "2026-11-22T02:00:00Z"};

TEST(SecondsBetween, AreTheKernelsHoweverTheWallClockWasMoved) {
  EXPECT_EQ(seconds_between(kEvening, {"one", 1'060, "2026-12-24T02:00:00Z"}), 60);
  EXPECT_EQ(seconds_between(kEvening, {"one", 1'060, "2020-01-01T00:00:00Z"}), 60);
}

TEST(SecondsBetween, AreTheWallClocksOverAReboot) {
  EXPECT_EQ(seconds_between(kEvening, {"two", 5, "2026-11-22T02:10:00Z"}), 600);
  EXPECT_EQ(seconds_between({"", 1'000, kEvening.utc}, {"", 5, "2026-11-22T02:10:00Z"}), 600)
      << "where no boot is known, each is another one";
}

TEST(SecondsBetween, AreNeverLessThanNone) {
  EXPECT_EQ(seconds_between(kEvening, {"two", 5, "2026-11-21T02:00:00Z"}), 0);
  EXPECT_EQ(seconds_between(kEvening, {"one", 900, kEvening.utc}), 0);
  EXPECT_EQ(seconds_between({"one", 0, "no date"}, {"two", 0, kEvening.utc}), 0);
}

TEST(MomentNow, NamesTheBoot) {
  const Moment now = moment_now();
  EXPECT_EQ(now.boot.size(), 36u);
  EXPECT_EQ(now.boot, moment_now().boot);
  EXPECT_GT(now.boot_s, 0);
}

}  // namespace
}  // namespace esox
