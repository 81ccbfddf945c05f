// SPDX-License-Identifier: Apache-2.0
#include "harness/search/plan.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <set>
#include <vector>

namespace esox {
namespace {

using testing::ElementsAre;

// Takes batches one at a time until none is left.
std::vector<Batch> all_batches(Plan& plan) {
  std::vector<Batch> batches;
  while (const auto batch = plan.next()) {
    batches.push_back(*batch);
    plan.finished(*batch);
  }
  return batches;
}

TEST(Plan, NothingToExploreIsExhaustedAtOnce) {
  Plan plan(0, 300);
  EXPECT_TRUE(plan.exhausted());
  EXPECT_FALSE(plan.next());
}

TEST(Plan, KeepsTheUsersOrderInTheFirstRound) {
  Plan plan(3, 300);
  std::vector<size_t> order;
  for (int i = 0; i < 3; ++i) order.push_back(plan.next()->exploration);
  EXPECT_THAT(order, ElementsAre(0, 1, 2));
}

TEST(Plan, GivesEachExplorationExactlyItsExecutionsInBatches) {
  Plan plan(90, 60);
  std::map<size_t, std::vector<uint64_t>> numbers;
  for (const Batch& batch : all_batches(plan)) {
    EXPECT_LE(batch.count, kBatchExecutions);
    for (uint64_t i = 0; i < batch.count; ++i)
      numbers[batch.exploration].push_back(batch.first + i);
  }
  ASSERT_EQ(numbers.size(), 90u);
  for (const auto& [exploration, list] : numbers) {
    ASSERT_EQ(list.size(), 60u);
    for (size_t i = 0; i < list.size(); ++i) EXPECT_EQ(list[i], i + 1);
  }
  EXPECT_TRUE(plan.exhausted());
}

TEST(Plan, FewerExecutionsThanABatchAreOneBatch) {
  Plan plan(1, 7);
  const Batch batch = plan.next().value();
  EXPECT_EQ(batch.first, 1u);
  EXPECT_EQ(batch.count, 7u);
  plan.finished(batch);
  EXPECT_TRUE(plan.exhausted());
}

TEST(Plan, GivesEachItsFirstBatchBeforeAnyItsSecond) {
  for (const Share share : {Share::kEqual, Share::kByYield}) {
    Plan plan(3000, 300, share);
    for (const uint64_t end : {kBatchEnds[0], kBatchEnds[1], kBatchEnds[2]}) {
      for (size_t i = 0; i < 3000; ++i) {
        const Batch batch = plan.next().value();
        EXPECT_EQ(batch.exploration, i);
        EXPECT_EQ(batch.first + batch.count - 1, end);
        plan.finished(batch);
      }
    }
  }
}

// One that shows much is taken a round sooner, and never before all others have had a glance.
TEST(Plan, LooksAtAllBeforeItStaysWithWhatShowsMuch) {
  Plan plan(500, 300, Share::kByYield);
  std::set<size_t> seen;
  while (seen.size() < 500) {
    const Batch batch = plan.next().value();
    EXPECT_EQ(batch.first, 1U);
    seen.insert(batch.exploration);
    plan.finished(batch, {Yield::kMuch});
  }
}

TEST(Plan, OfVeryManyTheNextWaveComesARoundLater) {
  Plan plan(120, 300, Share::kEqual, 40);
  for (size_t i = 0; i < 40; ++i) {
    const Batch batch = plan.next().value();
    EXPECT_EQ(batch.exploration, i);
    plan.finished(batch);
  }
  for (size_t i = 0; i < 40; ++i) {
    const Batch newcomer = plan.next().value();
    EXPECT_EQ(newcomer.exploration, 40 + i);
    EXPECT_EQ(newcomer.first, 1u);
    plan.finished(newcomer);
    const Batch deeper = plan.next().value();
    EXPECT_EQ(deeper.exploration, i);
    EXPECT_EQ(deeper.first, kBatchEnds[0] + 1);
    EXPECT_EQ(deeper.first + deeper.count - 1, kBatchEnds[1]);
    plan.finished(deeper);
  }
}

TEST(Plan, NeverHandsOutOneExplorationTwiceAtATime) {
  Plan plan(2, 300);
  const Batch first = plan.next().value();
  const Batch second = plan.next().value();
  EXPECT_NE(first.exploration, second.exploration);
  EXPECT_FALSE(plan.next());
  EXPECT_FALSE(plan.exhausted()) << "there is more to do once these are finished";
  plan.finished(first);
  EXPECT_EQ(plan.next()->exploration, first.exploration);
}

TEST(Plan, IsExhaustedOnlyWhenTheLastBatchIsFinished) {
  Plan plan(1, 8);
  const Batch batch = plan.next().value();
  EXPECT_FALSE(plan.exhausted());
  plan.finished(batch);
  EXPECT_TRUE(plan.exhausted());
}

TEST(Plan, GivingUpAnExplorationSaysHowMuchIsLeftOut) {
  Plan plan(2, 300);
  const Batch batch = plan.next().value();
  plan.given_up(batch);
  EXPECT_EQ(plan.planned(), 600u - 292u);
  for (const Batch& other : all_batches(plan)) EXPECT_NE(other.exploration, batch.exploration);
  EXPECT_TRUE(plan.exhausted());
}

TEST(Plan, TakesAGlanceFirstAndLongerAndLongerLooksThen) {
  Plan plan(1, 530);
  std::vector<uint64_t> ends;
  for (const Batch& batch : all_batches(plan)) ends.push_back(batch.first + batch.count - 1);
  EXPECT_THAT(ends, ElementsAre(8, 25, 100, 300, 500, 530));
}

TEST(Plan, GoesOnWhereAnEarlierLaunchEndedAsIfItNeverHad) {
  Plan undisturbed(90, 260);
  Plan first(90, 260);
  std::map<size_t, uint64_t> executions;
  for (int i = 0; i < 100; ++i) {
    const Batch batch = first.next().value();
    EXPECT_EQ(batch.exploration, undisturbed.next()->exploration);
    undisturbed.finished(batch);
    first.finished(batch);
    executions[batch.exploration] += batch.count;
  }
  Plan second(90, 260);
  for (const auto& [exploration, count] : executions) {
    second.restore(exploration, count, {Yield::kSome}, false);
  }
  while (const auto batch = undisturbed.next()) {
    const auto same = second.next();
    ASSERT_TRUE(same);
    EXPECT_EQ(same->exploration, batch->exploration);
    EXPECT_EQ(same->first, batch->first);
    EXPECT_EQ(same->count, batch->count);
    undisturbed.finished(*batch);
    second.finished(*same);
  }
  EXPECT_TRUE(second.exhausted());
}

TEST(Plan, WhatWasGivenUpInAnEarlierLaunchStaysSo) {
  Plan plan(2, 300);
  plan.restore(0, 100, {Yield::kSome}, true);
  EXPECT_EQ(plan.planned(), 300u + 100u);
  for (const Batch& batch : all_batches(plan)) EXPECT_EQ(batch.exploration, 1u);
}

// Executions of each exploration, if all batches yield as said.
std::map<size_t, uint64_t> shared_out(Plan& plan, const std::vector<Yield>& yields) {
  std::map<size_t, uint64_t> executions;
  while (const auto batch = plan.next()) {
    EXPECT_EQ(batch->first, executions[batch->exploration] + 1);
    executions[batch->exploration] += batch->count;
    plan.finished(*batch, {yields[batch->exploration]});
  }
  EXPECT_TRUE(plan.exhausted());
  return executions;
}

TEST(Plan, GivesEachItsOwnWhateverTheyYieldWhereExecutionsAreGiven) {
  Plan plan(3, 60);
  for (const auto& [index, count] :
       shared_out(plan, {Yield::kNothing, Yield::kMuch, Yield::kSome})) {
    EXPECT_EQ(count, 60u) << index;
  }
}

TEST(Plan, HandsTheExecutionsOfSaturatedOnesToFertileOnes) {
  Plan plan(3, 250, Share::kByYield);
  const auto executions = shared_out(plan, {Yield::kNothing, Yield::kMuch, Yield::kSome});
  EXPECT_EQ(executions.at(0), 8u);
  EXPECT_EQ(executions.at(1), 250u + 200u) << "whole batches only: 242 were left";
  EXPECT_EQ(executions.at(2), 250u);
}

TEST(Plan, LetsWhatNobodyWantsLapse) {
  Plan plan(2, 300, Share::kByYield);
  const auto executions = shared_out(plan, {Yield::kNothing, Yield::kSome});
  EXPECT_EQ(executions.at(0), 8u);
  EXPECT_EQ(executions.at(1), 300u);
  EXPECT_EQ(plan.planned(), 308u);
}

TEST(Plan, TakesFertileOnesSooner) {
  Plan plan(2, 1000, Share::kByYield);
  std::map<size_t, int> turns;
  for (int i = 0; i < 9; ++i) {
    const Batch batch = plan.next().value();
    ++turns[batch.exploration];
    plan.finished(batch, {batch.exploration == 1 ? Yield::kMuch : Yield::kSome});
  }
  EXPECT_GT(turns[1], turns[0]);
}

// The explorations of the second round, whose executions end in as many ways as their number says,
// 4 and 5 being as the others were in an earlier launch.
std::vector<size_t> second_round(Share share) {
  Plan plan(6, 300, share);
  for (const size_t i : {4, 5}) {
    plan.restore(i, kBatchEnds[0], {Yield::kSome, static_cast<double>(i) / 8}, false);
  }
  std::vector<size_t> order;
  while (order.size() < 6) {
    const Batch batch = plan.next().value();
    if (batch.first > 1) order.push_back(batch.exploration);
    plan.finished(batch, {Yield::kSome, static_cast<double>(batch.exploration) / 8});
  }
  return order;
}

TEST(Plan, GoesOnWithWhatEndsInTheMostWaysWhereTimeIsGiven) {
  EXPECT_THAT(second_round(Share::kByYield), ElementsAre(5, 4, 3, 2, 1, 0));
  EXPECT_THAT(second_round(Share::kEqual), ElementsAre(0, 1, 2, 3, 4, 5));
}

TEST(Plan, KnowsOfWhatWasGrantedInAnEarlierLaunch) {
  Plan plan(2, 300, Share::kByYield);
  plan.restore(0, 100, {Yield::kNothing}, false);
  plan.restore(1, 500, {Yield::kMuch}, false);
  EXPECT_TRUE(plan.exhausted()) << "the 200 that the first had left went to the second";
  EXPECT_EQ(plan.planned(), 600u);
}

}  // namespace
}  // namespace esox
