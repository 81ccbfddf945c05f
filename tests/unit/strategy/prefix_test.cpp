// SPDX-License-Identifier: Apache-2.0
// The prefix: followed to the letter, then the plainest way; sleepers wake up in time.
#include "preload/strategy/prefix.h"

#include <gtest/gtest.h>

#include "tests/models/model.h"
#include "tests/unit/strategy/pending.h"

namespace esox::model {
namespace {

const std::vector<Pending> kThree = {event(0, 1), event(1, 2), event(2, 2)};

TEST(Prefix, IsFollowedAndThenTheRunningThreadStays) {
  const std::vector<Choice> choices = {{0, 2, 0}, {1, 0, 0}, {2, 1, 0}};
  Holder prefix("prefix", tape_of(choices));
  prefix->begin({});
  EXPECT_EQ(prefix->choose(kThree, kNoThread), 2);
  EXPECT_EQ(prefix->choose(kThree, 2), 0);
  EXPECT_EQ(prefix->choose(kThree, 0), 1);
  EXPECT_EQ(prefix->choose(kThree, 1), 1) << "stays";
  EXPECT_EQ(prefix->choose(std::span(kThree).first(1), 1), 0);
  EXPECT_EQ(prefix->choose(std::span(kThree).subspan(1), 0), 1) << "the lowest";
  EXPECT_EQ(prefix->diverged(), 0u);
}

TEST(Prefix, CountsAThreadThatCannotRun) {
  const std::vector<Choice> choices = {{0, 5, 0}};
  Holder prefix("prefix", tape_of(choices));
  prefix->begin({});
  EXPECT_EQ(prefix->choose(kThree, 1), 1);
  EXPECT_EQ(prefix->diverged(), 1u);
}

TEST(Prefix, PassesSleepersOverUntilADependentOperationWasExecuted) {
  const std::vector<Choice> choices = {{0, 0, 0}, {Prefix::kAsleep, 0, 0}, {Prefix::kAsleep, 2, 0}};
  Holder prefix("prefix", tape_of(choices));
  prefix->begin({});
  EXPECT_EQ(prefix->choose(kThree, kNoThread), 0);
  EXPECT_EQ(prefix->choose(kThree, 0), 1) << "0 and 2 are asleep";
  EXPECT_EQ(prefix->choose({{event(0, 1), event(2, 2)}}, 1), 2) << "awake: 1 used its object";
}

TEST(Prefix, RunsOnWhereAllAreAsleep) {
  const std::vector<Choice> choices = {{Prefix::kAsleep, 0, 0}, {Prefix::kAsleep, 1, 0}};
  Holder prefix("prefix", tape_of(choices));
  prefix->begin({});
  EXPECT_EQ(prefix->choose(std::span(kThree).first(2), kNoThread), 0);
  EXPECT_EQ(prefix->diverged(), 0u);
}

TEST(Prefix, PassesOverWhomItIsToldTo) {
  Holder prefix("prefix");
  prefix->begin({});
  prefix->pass_over(1);
  EXPECT_EQ(prefix->choose(kThree, 1), 0);
  EXPECT_EQ(prefix->choose(kThree, 0), 0);
}

TEST(Prefix, FollowsItsBeginningAllTheSame) {
  const std::vector<Choice> choices = {{0, 1, 0}};
  Holder prefix("prefix", tape_of(choices));
  prefix->begin({});
  prefix->pass_over(1);
  EXPECT_EQ(prefix->choose(kThree, 1), 1);
  EXPECT_EQ(prefix->choose(kThree, 1), 1);
}

TEST(Prefix, GivesTheTapesValuesAndThenZero) {
  const std::vector<uint64_t> values = {3, 9};
  StrategyTape tape;
  tape.values = values.data();
  tape.value_count = 2;
  Holder prefix("prefix", tape);
  prefix->begin({});
  EXPECT_EQ(prefix->value(5), 3u);
  EXPECT_EQ(prefix->value(5), 0u) << "too large";
  EXPECT_EQ(prefix->value(5), 0u);
}

}  // namespace
}  // namespace esox::model
