// SPDX-License-Identifier: Apache-2.0
// Replay: follows a record to the letter, and counts whatever it cannot follow.
#include "preload/strategy/replay.h"

#include <gtest/gtest.h>

#include "tests/models/programs.h"
#include "tests/unit/strategy/pending.h"
#include "tests/unit/strategy/random_program.h"

namespace esox::model {
namespace {

TEST(Replay, ReproducesRecordedRunsOfRandomPrograms) {
  Rng rng(11);
  for (int round = 0; round < 500; ++round) {
    const Program program = random_program(rng);
    const ExecutionInfo info{.seed = rng.next(), .threads = 4, .expected_points = 20};
    for (const char* text : {"pct:d=4", "random:p=0.2", "random:p=1"}) {
      Holder strategy(text);
      const RunResult recorded = run(program, *strategy, info, Offer::kAsTheScheduler);
      Holder replay("replay", tape_of(recorded.choices));
      const RunResult replayed = run(program, *replay, {}, Offer::kAsTheScheduler);
      EXPECT_EQ(replayed.order, recorded.order);
      EXPECT_EQ(replayed.bug, recorded.bug);
      EXPECT_EQ(replayed.deadlock, recorded.deadlock);
      EXPECT_EQ(replay->diverged(), 0u);
    }
  }
}

TEST(Replay, ReproducesABugItWasRecordedFor) {
  Holder walk("random:p=1");
  uint32_t bugs = 0;
  for (uint64_t seed = 0; seed < 2'000; ++seed) {
    const RunResult recorded = run(figure_3_1(), *walk, {.seed = seed}, Offer::kAsTheScheduler);
    if (!recorded.bug) continue;
    ++bugs;
    Holder replay("replay", tape_of(recorded.choices));
    EXPECT_TRUE(run(figure_3_1(), *replay, {}, Offer::kAsTheScheduler).bug);
  }
  EXPECT_GT(bugs, 0u);
}

TEST(Replay, StaysWithTheRunningThreadBetweenRecords) {
  const std::vector<Choice> choices = {{0, 1, 0}, {3, 0, 0}};
  Holder replay("replay", tape_of(choices));
  replay->begin({});
  EXPECT_EQ(replay->choose(enabled({0, 1}), kNoThread), 1);
  EXPECT_EQ(replay->choose(enabled({0, 1}), 1), 1);
  EXPECT_EQ(replay->choose(enabled({0, 1}), 1), 1);
  EXPECT_EQ(replay->choose(enabled({0, 1}), 1), 0);
  EXPECT_EQ(replay->choose(enabled({0, 1}), 0), 0);
  replay->end({});
  EXPECT_EQ(replay->diverged(), 0u);
}

TEST(Replay, CountsARecordedThreadThatIsNotEnabled) {
  const std::vector<Choice> choices = {{0, 5, 0}};
  Holder replay("replay", tape_of(choices));
  replay->begin({});
  EXPECT_EQ(replay->choose(enabled({2, 3}), 3), 2);
  EXPECT_EQ(replay->diverged(), 1u);
}

TEST(Replay, CountsARunningThreadThatIsNotEnabledWithoutARecord) {
  Holder replay("replay");
  replay->begin({});
  EXPECT_EQ(replay->choose(enabled({2, 3}), 7), 2);
  EXPECT_EQ(replay->diverged(), 1u);
}

TEST(Replay, SkipsAndCountsRecordsOfPointsThatHavePassed) {
  const std::vector<Choice> choices = {{1, 1, 0}, {1, 0, 0}, {0, 0, 0}, {2, 1, 0}};
  Holder replay("replay", tape_of(choices));
  replay->begin({});
  EXPECT_EQ(replay->choose(enabled({0, 1}), 0), 0);
  EXPECT_EQ(replay->choose(enabled({0, 1}), 0), 1);
  EXPECT_EQ(replay->choose(enabled({0, 1}), 0), 1) << "the two passed ones do not hide this one";
  EXPECT_EQ(replay->diverged(), 2u);
}

TEST(Replay, CountsRecordsThatWereNeverReachedOnce) {
  const std::vector<Choice> choices = {{0, 1, 0}, {10, 0, 0}, {20, 1, 0}};
  Holder replay("replay", tape_of(choices));
  replay->begin({});
  replay->choose(enabled({0, 1}), kNoThread);
  replay->end({});
  replay->end({});
  EXPECT_EQ(replay->diverged(), 2u);
}

TEST(Replay, PlaysValuesBackAndCountsMissingAndOutOfRangeOnes) {
  const std::vector<uint64_t> values = {4, 9};
  Holder replay("replay", {.values = values.data(), .value_count = 2});
  replay->begin({});
  EXPECT_EQ(replay->value(5), 4u);
  EXPECT_EQ(replay->diverged(), 0u);
  EXPECT_EQ(replay->value(9), 0u) << "9 is not below 9";
  EXPECT_EQ(replay->diverged(), 1u);
  EXPECT_EQ(replay->value(3), 0u);
  EXPECT_EQ(replay->diverged(), 2u);
}

TEST(Replay, MustSeeEveryPointAndOthersNeedNot) {
  EXPECT_TRUE(Holder("replay")->sees_every_point());
  EXPECT_TRUE(Holder("serial")->sees_every_point());
  EXPECT_FALSE(Holder("pct")->sees_every_point());
  EXPECT_FALSE(Holder("random")->sees_every_point());
}

}  // namespace
}  // namespace esox::model
