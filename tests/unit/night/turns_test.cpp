// SPDX-License-Identifier: Apache-2.0
#include "harness/nights/night/turns.h"

#include <gmock/gmock.h>

#include <random>

namespace esox {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

constexpr TurnHistory kNever{};
TurnHistory at(uint64_t night, TurnYield yield = TurnYield::kSome) {
  return {night, yield};
}
TurnRules tonight(uint64_t night, uint64_t rest = 0) {
  TurnRules rules;
  rules.night = night;
  rules.rest_nights = rest;
  return rules;
}

TEST(Turns, TheFirstNightGoesByRank) {
  EXPECT_THAT(plan_turns({kNever, kNever, kNever}, tonight(1)).ranking, ElementsAre(0, 1, 2));
}

TEST(Turns, TheLongestNotReachedComesFirstAndTheNeverReachedBeforeIt) {
  EXPECT_THAT(plan_turns({at(4), at(2), kNever, at(3)}, tonight(5)).ranking,
              ElementsAre(2, 1, 3, 0));
}

TEST(Turns, AmongEqualsTheFertileComesBeforeTheBetterRanked) {
  EXPECT_THAT(plan_turns({at(4), at(4, TurnYield::kFertile), at(4)}, tonight(5)).ranking,
              ElementsAre(1, 0, 2));
}

TEST(Turns, ASaturatedOneRestsForTheNightsStated) {
  const std::vector<TurnHistory> history = {at(4, TurnYield::kSaturated), at(4)};
  EXPECT_THAT(plan_turns(history, tonight(5, 3)).resting, ElementsAre(0));
  EXPECT_THAT(plan_turns(history, tonight(7, 3)).resting, ElementsAre(0));
  const TurnPlan back = plan_turns(history, tonight(8, 3));
  EXPECT_THAT(back.resting, IsEmpty());
  EXPECT_THAT(back.ranking, SizeIs(2));
}

TEST(Turns, EveryFourthPlaceIsAFertileOnes) {
  std::vector<TurnHistory> history(8, at(1));
  history[6] = at(4, TurnYield::kFertile);
  history[7] = at(4, TurnYield::kFertile);
  EXPECT_THAT(plan_turns(history, tonight(5)).ranking, ElementsAre(0, 1, 2, 6, 3, 4, 5, 7));
}

TEST(Turns, ABudgetOfExecutionsTakesTheFirstAndLeavesTheRestForLater) {
  TurnRules rules = tonight(1);
  rules.most = 2;
  const TurnPlan plan = plan_turns(std::vector<TurnHistory>(5), rules);
  EXPECT_THAT(plan.ranking, ElementsAre(0, 1));
  EXPECT_THAT(plan.later, ElementsAre(2, 3, 4));
  EXPECT_EQ(plan.nights_until_all, 3U);
}

TEST(Turns, WithoutAPastTheNumberOfNightsIsNotKnown) {
  EXPECT_EQ(plan_turns(std::vector<TurnHistory>(5), tonight(1, 3)).nights_until_all, 0U);
}

TEST(Turns, AskedForANumberOfNightsItSaysHowManyMustBeReached) {
  TurnRules rules = tonight(1, 3);
  rules.within = 7;
  const TurnPlan plan = plan_turns(std::vector<TurnHistory>(400), rules);
  // 400 in the 4 nights that are no rest: 100 of the queue each night.
  EXPECT_GE(queue_places(plan.must_reach), 100U);
  EXPECT_LT(queue_places(plan.must_reach - 1), 100U);
  rules.reach = plan.must_reach;
  EXPECT_LE(plan_turns(std::vector<TurnHistory>(400), rules).nights_until_all, 7U);
}

// Whatever the nights bring, each input has its turn within the number of nights stated.
TEST(Turns, EachInputHasItsTurnWithinTheStatedNumberOfNights) {
  std::mt19937 random(1);
  for (int round = 0; round < 60; ++round) {
    const size_t inputs = 1 + random() % 120;
    const uint64_t reach = 1 + random() % 60;
    const uint64_t rest = random() % 4;
    std::vector<TurnHistory> history(inputs);
    std::vector<uint64_t> waiting(inputs, 0);
    for (uint64_t night = 1; night <= 150; ++night) {
      TurnRules rules = tonight(night, rest);
      rules.reach = reach;
      const TurnPlan plan = plan_turns(history, rules);
      ASSERT_EQ(plan.ranking.size() + plan.resting.size(), inputs);
      const uint64_t reached = reach + random() % 5;
      for (uint64_t& nights : waiting) ++nights;
      for (uint64_t i = 0; i < plan.ranking.size() && i < reached; ++i) {
        const auto yield = static_cast<TurnYield>(1 + random() % 3);
        history[plan.ranking[i]] = at(night, yield);
        waiting[plan.ranking[i]] = 0;
      }
      for (const uint64_t nights : waiting) {
        ASSERT_LT(nights, plan.nights_until_all)
            << inputs << " inputs, reach " << reach << ", rest " << rest << ", night " << night;
      }
    }
  }
}

}  // namespace
}  // namespace esox
