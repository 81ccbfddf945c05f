// SPDX-License-Identifier: Apache-2.0
// Bounds against published and closed values.
#include "base/statistics/confidence.h"

#include <gtest/gtest.h>

#include <cmath>

namespace esox {
namespace {

TEST(Confidence, NoHitsFollowTheRuleOfThree) {
  EXPECT_NEAR(upper_bound_of_rate(0, 300), 3.0 / 300, 0.0001);
  EXPECT_DOUBLE_EQ(upper_bound_of_rate(0, 1), 0.95);
  EXPECT_NEAR(std::pow(1 - upper_bound_of_rate(0, 57), 57), 0.05, 1e-12);
}

// The 97.5 % bounds are the upper ends of the two-sided intervals in the tables.
TEST(Confidence, SomeHitsGiveTheExactBound) {
  EXPECT_NEAR(upper_bound_of_rate(1, 10, 0.975), 0.4450, 0.00005);
  EXPECT_NEAR(upper_bound_of_rate(5, 10, 0.975), 0.8129, 0.00005);
  EXPECT_NEAR(upper_bound_of_rate(10, 100, 0.975), 0.1762, 0.00005);
}

TEST(Confidence, NothingExecutedOrNothingButHitsBoundsNothing) {
  EXPECT_EQ(upper_bound_of_rate(0, 0), 1);
  EXPECT_EQ(upper_bound_of_rate(7, 7), 1);
}

// The lower ends of the same tables' intervals.
TEST(Confidence, TheLowerBoundIsThatOfTheMissesTurnedRound) {
  EXPECT_NEAR(lower_bound_of_rate(1, 10, 0.975), 0.0025, 0.00005);
  EXPECT_NEAR(lower_bound_of_rate(5, 10, 0.975), 0.1871, 0.00005);
  EXPECT_NEAR(lower_bound_of_rate(10, 100, 0.975), 0.0490, 0.00005);
  EXPECT_NEAR(lower_bound_of_rate(9, 9), std::pow(0.05, 1.0 / 9), 1e-12);
  EXPECT_EQ(lower_bound_of_rate(0, 100), 0);
  EXPECT_EQ(lower_bound_of_rate(0, 0), 0);
}

TEST(Confidence, WhatIsFrequentIsSeenSooner) {
  EXPECT_NEAR(seen_at_least_once(0.5, 3), 0.875, 1e-12);
  EXPECT_NEAR(seen_at_least_once(1e-9, 1000), 1e-6, 1e-11);
  EXPECT_EQ(seen_at_least_once(0, 1000), 0);
  EXPECT_EQ(seen_at_least_once(0.5, 0), 0);
}

TEST(Confidence, MoreExecutionsWithoutAHitSayMore) {
  double before = 1;
  for (uint64_t n = 1; n < 10'000'000; n *= 7) {
    EXPECT_LT(upper_bound_of_rate(0, n), before);
    before = upper_bound_of_rate(0, n);
  }
}

TEST(Confidence, SumsAllWaysToHaveSoFewHits) {
  EXPECT_NEAR(at_most(1, 3, 0.5), 0.5, 1e-12);
  EXPECT_EQ(at_most(3, 3, 0.5), 1);
  EXPECT_EQ(at_most(0, 3, 0), 1);
  EXPECT_EQ(at_most(0, 3, 1), 0);
}

}  // namespace
}  // namespace esox
