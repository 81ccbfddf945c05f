// SPDX-License-Identifier: Apache-2.0
// The portfolio's shares, and what it loses against the best of its arms.
#include "harness/search/portfolio.h"

#include <gtest/gtest.h>

#include <numeric>

#include "harness/search/strategy_text.h"
#include "preload/strategy/rng.h"

namespace esox {
namespace {

using Rates = std::array<double, kPortfolio.size()>;

// Executions of which an arm hits at its rate, always the same cause; gives the hits.
uint64_t hits_of(const Rates& rates, uint64_t executions, uint64_t seed) {
  PortfolioRecord record;
  Rng luck(seed);
  uint64_t hits = 0;
  for (uint64_t n = 0; n < executions; ++n) {
    const size_t arm = portfolio_arm(record, true, luck.next());
    Earned earned;
    earned.violation = luck.unit() < rates[arm];
    earned.new_cause = earned.violation && hits == 0;
    if (earned.violation) ++hits;
    note_earned(record.arms[arm], earned);
  }
  return hits;
}

TEST(Portfolio, HasOnlyStrategiesThatExistAndPriorsThatAddUpToOne) {
  double sum = 0;
  for (size_t i = 0; i < kPortfolio.size(); ++i) {
    const PortfolioArm& arm = kPortfolio[i];
    sum += arm.prior;
    if (is_variation(i)) continue;
    EXPECT_EQ(strategy_text(strategy_from_text(arm.strategy)), arm.strategy)
        << "the arms are told in full";
  }
  EXPECT_NEAR(sum, 1, 1e-9);
}

TEST(Portfolio, BeginsWithThePriors) {
  const auto shares = portfolio_shares({}, true);
  for (size_t i = 0; i < shares.size(); ++i) EXPECT_NEAR(shares[i], kPortfolio[i].prior, 1e-9);
}

TEST(Portfolio, SharesAddUpToOneAndNoArmFallsBelowItsFloor) {
  Rng rng(1);
  PortfolioRecord record;
  for (int n = 0; n < 20'000; ++n) {
    const bool hit = rng.below(10) == 0;
    note_earned(record.arms[rng.below(kPortfolio.size())],
                {hit && rng.below(50) == 0, hit, hit, false});
    const auto shares = portfolio_shares(record, true);
    ASSERT_NEAR(std::accumulate(shares.begin(), shares.end(), 0.0), 1, 1e-9);
    for (size_t i = 0; i < shares.size(); ++i) {
      ASSERT_GE(shares[i], kPortfolioFloor * kPortfolio[i].prior - 1e-9);
    }
  }
}

TEST(Portfolio, VariesNothingWhileThereIsNothingToVary) {
  PortfolioRecord record;
  note_earned(record.arms[0], {true, true, true, true});
  double sum = 0;
  const auto shares = portfolio_shares(record, false);
  for (size_t i = 0; i < shares.size(); ++i) {
    EXPECT_EQ(shares[i] == 0, is_variation(i));
    sum += shares[i];
  }
  EXPECT_NEAR(sum, 1, 1e-9);
  for (uint64_t seed = 0; seed < 1'000; ++seed) {
    EXPECT_FALSE(is_variation(portfolio_arm(record, false, seed)));
  }
}

TEST(Portfolio, TheSameRecordAndSeedGiveTheSameArm) {
  PortfolioRecord record;
  note_earned(record.arms[2], {true, true, true, true});
  for (uint64_t seed = 0; seed < 100; ++seed) {
    EXPECT_EQ(portfolio_arm(record, true, seed), portfolio_arm(record, true, seed));
  }
}

TEST(Portfolio, DealsOutArmsAsTheirSharesSay) {
  PortfolioRecord record;
  note_earned(record.arms[3], {true, true, false, false});
  const auto shares = portfolio_shares(record, true);
  std::array<double, kPortfolio.size()> dealt{};
  constexpr int kSeeds = 40'000;
  for (int seed = 0; seed < kSeeds; ++seed) {
    dealt[portfolio_arm(record, true, static_cast<uint64_t>(seed))] += 1.0 / kSeeds;
  }
  for (size_t i = 0; i < shares.size(); ++i) EXPECT_NEAR(dealt[i], shares[i], 0.012) << i;
}

// Whichever arm is the only one that finds anything: the least likely one as well.
TEST(Portfolio, IsNeverMuchWorseThanItsBestArm) {
  for (size_t best = 0; best < kPortfolio.size(); ++best) {
    Rates rates{};
    rates[best] = 0.05;
    uint64_t hits = 0;
    constexpr uint64_t kExecutions = 2000;
    constexpr uint64_t kTimes = 20;
    for (uint64_t seed = 1; seed <= kTimes; ++seed) hits += hits_of(rates, kExecutions, seed);
    const double alone = rates[best] * kExecutions * kTimes;
    EXPECT_GE(static_cast<double>(hits), 0.45 * alone) << kPortfolio[best].strategy;
  }
}

TEST(Portfolio, IsAsGoodAsItsArmsWhereTheyAreAlike) {
  Rates rates;
  rates.fill(0.05);
  EXPECT_NEAR(static_cast<double>(hits_of(rates, 20'000, 7)), 1000, 125);  // 4 sigma
}

// All that a seed decides comes beside it.
TEST(Portfolio, GivesTheSystematicPassHalfOfTheExecutionsAfterTheFirstEightAndThenASixth) {
  uint64_t first = 0;
  uint64_t later = 0;
  uint64_t with_two = 0;
  uint64_t when_found = 0;
  for (uint64_t number = 1; number <= kBeginsSystematically + 240; ++number) {
    const bool turn = is_turn_of_pass(number, 1, 1'000, false);
    const bool is_later = number > kBeginsSystematically;
    (is_later ? later : first) += turn ? 1 : 0;
    if (!is_later) continue;
    with_two += is_turn_of_pass(number, 2, 1'000, false) ? 1 : 0;
    when_found += is_turn_of_pass(number, 1, 1'000, true) ? 1 : 0;
  }
  EXPECT_EQ(first, (kBeginsSystematically - kBeginsByChance) / 2);
  EXPECT_EQ(later, 40U);
  EXPECT_EQ(with_two, 15U);
  EXPECT_EQ(when_found, 10U);
}

TEST(Portfolio, GivesTheSystematicPassHalfWhileLittleIsLeftOfIt) {
  for (const bool found : {false, true}) {
    EXPECT_FALSE(is_turn_of_pass(kBeginsByChance - 1, 0, 0, found));
    EXPECT_TRUE(is_turn_of_pass(kBeginsByChance + 1, 0, 0, found));
    EXPECT_TRUE(is_turn_of_pass(101, 1, kFewSchedules, found));
    EXPECT_FALSE(is_turn_of_pass(101, 1, kFewSchedules + 1, found));
  }
}

// The longer an input has been executed, the more may be left: an execution in two, to its end.
TEST(Portfolio, BringsTheSystematicPassToItsEndWhereThereAreManyExecutions) {
  for (const bool found : {false, true}) {
    uint64_t left = 700;
    uint64_t number = 0;
    while (left > 0 && number < 10'000) left -= is_turn_of_pass(++number, 1, left, found) ? 1 : 0;
    EXPECT_EQ(left, 0U);
    EXPECT_LT(number, 2'700U);
    EXPECT_GT(number, 1'400U);
  }
}

}  // namespace
}  // namespace esox
