// SPDX-License-Identifier: Apache-2.0
// Which strategy an execution of a program has follows from the seed and from what whole rounds
// before it showed: never from which worker was faster.
#include "harness/programs/program_portfolio.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "preload/strategy/rng.h"

namespace esox {
namespace {

uint64_t seed_of(uint64_t number) {
  uint64_t state = number;
  return splitmix64(state);
}

size_t arm_of(const ProgramPortfolio& portfolio, uint64_t number) {
  return portfolio.arm_of(number, seed_of(number));
}

// Whoever has arm 2 fails.
ProgramShown shown_by(size_t arm) {
  return {arm == 2 ? "exit status 42" : "", 0};
}

// Executions are noted in an order that is shuffled as far as workers can be apart.
std::vector<size_t> arms_dealt(uint64_t executions, uint64_t luck) {
  ProgramPortfolio portfolio;
  Rng rng(luck);
  std::vector<size_t> arms;
  std::vector<uint64_t> under_way;
  while (arms.size() < executions || !under_way.empty()) {
    const uint64_t next = arms.size() + 1;
    const bool can_begin = next <= executions && portfolio.can_choose(next);
    if (can_begin && (under_way.empty() || rng.below(2) == 0)) {
      arms.push_back(arm_of(portfolio, next));
      under_way.push_back(next);
      continue;
    }
    std::swap(under_way[rng.below(under_way.size())], under_way.back());
    const uint64_t number = under_way.back();
    under_way.pop_back();
    portfolio.note(number, arms[number - 1], shown_by(arms[number - 1]));
  }
  return arms;
}

TEST(ProgramPortfolio, DealsTheSameArmsWhicheverExecutionEndsFirst) {
  const std::vector<size_t> arms = arms_dealt(2'000, 1);
  for (uint64_t luck = 2; luck < 12; ++luck) EXPECT_EQ(arms_dealt(2'000, luck), arms) << luck;
}

TEST(ProgramPortfolio, HasPriorsThatAddUpToOneAndStrategiesThatAreToldInFull) {
  double sum = 0;
  for (const PortfolioArm& arm : kProgramPortfolio) sum += arm.prior;
  EXPECT_NEAR(sum, 1, 1e-9);
  const ProgramPortfolio portfolio;
  ASSERT_EQ(portfolio.arms().size(), kProgramPortfolio.size());
  for (size_t i = 0; i < kProgramPortfolio.size(); ++i) {
    EXPECT_EQ(portfolio.arms()[i].strategy, kProgramPortfolio[i].strategy);
  }
}

TEST(ProgramPortfolio, WaitsForTheRoundBeforeTheLastOne) {
  ProgramPortfolio portfolio;
  EXPECT_TRUE(portfolio.can_choose(2 * kPortfolioRound));
  EXPECT_FALSE(portfolio.can_choose(2 * kPortfolioRound + 1));
  for (uint64_t n = 2; n <= 2 * kPortfolioRound; ++n) portfolio.note(n, 0, {});
  EXPECT_FALSE(portfolio.can_choose(2 * kPortfolioRound + 1)) << "the first one has not ended";
  portfolio.note(1, 0, {});
  EXPECT_TRUE(portfolio.can_choose(4 * kPortfolioRound));
}

TEST(ProgramPortfolio, DealsMoreToTheArmThatFindsFailures) {
  const std::vector<size_t> arms = arms_dealt(4'000, 1);
  const auto last = arms.end() - 1'000;
  const auto finders = static_cast<double>(std::count(last, arms.end(), size_t{2}));
  EXPECT_GT(finders / 1'000, 0.5);
}

// What the six strategies hit of lock_free_aba_stack alone (docs/programs.md): two hit often, and
// which of them hits first is chance.
TEST(ProgramPortfolio, HasHalfTheHitsOfTheBestStrategyThoughAnotherHitsFirst) {
  constexpr std::array<double, kProgramPortfolio.size()> kRates = {0.005, 0.005, 0.01,
                                                                   0,     0.083, 0.05};
  constexpr uint64_t kExecutions = 400;
  constexpr int kCampaigns = 200;
  Rng luck(1);
  uint64_t failed = 0;
  for (int i = 0; i < kCampaigns; ++i) {
    ProgramPortfolio portfolio;
    for (uint64_t n = 1; n <= kExecutions; ++n) {
      const size_t arm = portfolio.arm_of(n, luck.next());
      const bool fails = luck.unit() < kRates[arm];
      failed += fails ? 1 : 0;
      portfolio.note(n, arm, {fails ? "exit status 42" : "", luck.next()});
    }
  }
  const double rate = static_cast<double>(failed) / (kCampaigns * kExecutions);
  EXPECT_GT(rate, 0.083 / 2);
}

TEST(ProgramPortfolio, TellsWhatEachArmHadAndWhatFailedOfIt) {
  ProgramPortfolio portfolio;
  portfolio.note(1, 0, {"deadlock a", 1});
  portfolio.note(2, 0, {"", 2});
  portfolio.note(3, 1, {"", 0});
  EXPECT_EQ(portfolio.arms()[0].executions, 2u);
  EXPECT_EQ(portfolio.arms()[0].failed, 1u);
  EXPECT_EQ(portfolio.arms()[1].executions, 1u);
  EXPECT_EQ(portfolio.arms()[1].failed, 0u);
}

}  // namespace
}  // namespace esox
