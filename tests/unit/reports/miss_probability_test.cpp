// SPDX-License-Identifier: Apache-2.0
// What silence is worth: the figures against sums done by hand, and against playing it.
#include "harness/records/reports/miss_probability.h"

#include <gmock/gmock.h>

#include <random>

namespace esox {
namespace {

InputFigures figures(uint64_t executions, uint64_t violations, uint64_t degraded = 0) {
  InputFigures one;
  one.clients = 2;
  one.points = 100;
  one.executions = executions;
  one.violations = violations;
  one.degraded = degraded;
  return one;
}

TEST(MissProbability, IsThePowerOfMissingOnce) {
  EXPECT_DOUBLE_EQ(miss_probability(0.5, 3), 0.125);
  EXPECT_DOUBLE_EQ(miss_probability(0, 100), 1);
  EXPECT_DOUBLE_EQ(miss_probability(1, 1), 0);
  EXPECT_DOUBLE_EQ(miss_probability(0.3, 0), 1);
}

TEST(MissProbability, DoesNotLoseTinyChances) {
  // 1 - 1e-18 is 1 to a double; a quintillion runs miss it with 1/e.
  EXPECT_NEAR(miss_probability(1e-18, 1'000'000'000'000'000'000), 0.36788, 1e-4);
}

TEST(PctBound, IsOneOverNTimesKToTheDepthLessOne) {
  EXPECT_DOUBLE_EQ(pct_bound(2, 100, 1), 0.5);
  EXPECT_DOUBLE_EQ(pct_bound(2, 100, 3), 1 / 20000.0);
  EXPECT_DOUBLE_EQ(pct_bound(0, 100, 3), 0);
  EXPECT_DOUBLE_EQ(pct_bound(2, 0, 3), 0);
}

TEST(SmallestRate, IsMissedInOneOfTwentyHunts) {
  EXPECT_DOUBLE_EQ(smallest_rate(0), 1);
  EXPECT_NEAR(smallest_rate(1), 0.95, 1e-12);
  EXPECT_NEAR(smallest_rate(300), 3.0 / 300, 1e-4) << "the rule of three";
  std::mt19937_64 random(1);
  std::bernoulli_distribution hit(smallest_rate(50));
  int missed = 0;
  for (int hunt = 0; hunt < 20000; ++hunt) {
    bool any = false;
    for (int run = 0; run < 50; ++run) any = hit(random) || any;
    missed += any ? 0 : 1;
  }
  EXPECT_NEAR(missed / 20000.0, 0.05, 0.006);
}

TEST(MissFigures, OfPctHoldItsGuarantee) {
  const MissFigures miss = miss_figures(figures(300, 0), "pct:d=3");
  EXPECT_EQ(miss.depth, 3u);
  EXPECT_DOUBLE_EQ(miss.bound, 1 / 20000.0);
  EXPECT_NEAR(miss.missed_at_most, 0.98511, 1e-5);
  EXPECT_FALSE(miss.missed_again) << "nothing was hit";
}

TEST(MissFigures, OfAnotherStrategyClaimNoGuarantee) {
  const MissFigures miss = miss_figures(figures(300, 0), "random:p=0.05");
  EXPECT_FALSE(miss.depth);
  EXPECT_EQ(miss.bound, 0);
  EXPECT_EQ(miss.missed_at_most, 1);
  EXPECT_FALSE(miss_figures(figures(300, 0), "what is that").depth);
}

TEST(MissFigures, OfAPortfolioCountTheGuaranteeWherePctWasAndVariantsNotAsDrawn) {
  InputFigures mixed = figures(300, 0);
  mixed.arms = {{"variation", 120, 0}, {"wrw:share=12", 150, 0}, {"pct:d=3", 30, 0}};
  const MissFigures miss = miss_figures(mixed, "portfolio");
  EXPECT_EQ(miss.judged, 300u);
  EXPECT_EQ(miss.depth, 3u);
  EXPECT_EQ(miss.guaranteed, 30u);
  EXPECT_DOUBLE_EQ(miss.missed_at_most, miss_probability(1 / 20000.0, 30));
  EXPECT_EQ(miss.drawn, 180u);
  EXPECT_DOUBLE_EQ(miss.rate_found, smallest_rate(180));
}

TEST(MissFigures, OfAPortfolioWithoutPctClaimNoGuarantee) {
  InputFigures mixed = figures(300, 0);
  mixed.arms = {{"wrw:share=12", 300, 0}};
  EXPECT_FALSE(miss_figures(mixed, "portfolio").depth);
}

TEST(MissFigures, CountOnlyJudgedExecutions) {
  const MissFigures miss = miss_figures(figures(300, 0, 200), "pct:d=1");
  EXPECT_EQ(miss.judged, 100u);
  EXPECT_DOUBLE_EQ(miss.rate_found, smallest_rate(100));
  EXPECT_EQ(miss_figures(figures(3, 0, 5), "pct:d=1").judged, 0u);
}

TEST(MissFigures, OfAFindingSayHowOftenAnotherHuntMissesIt) {
  const MissFigures miss = miss_figures(figures(100, 2), "pct:d=3");
  EXPECT_DOUBLE_EQ(miss.hit_rate, 0.02);
  EXPECT_NEAR(*miss.missed_again, 0.13262, 1e-5);
}

TEST(ShareText, NeverRoundsToCertainty) {
  EXPECT_EQ(share_text(0.5), "50 %");
  EXPECT_EQ(share_text(0.0099), "0.99 %");
  EXPECT_EQ(share_text(0.99999), "99.9990 %");
  EXPECT_EQ(share_text(1 - 1e-9), "> 99.9999 %");
  EXPECT_EQ(share_text(1e-9), "< 0.0001 %");
  EXPECT_EQ(share_text(1), "100 %");
  EXPECT_EQ(share_text(0), "0 %");
}

TEST(ChanceText, IsOneInSoMany) {
  EXPECT_EQ(chance_text(0.5), "1 in 2");
  EXPECT_EQ(chance_text(1 / 6152000.0), "1 in 6 152 000");
  EXPECT_EQ(chance_text(1e-20), "1 in 1.0e+20");
}

}  // namespace
}  // namespace esox
