// SPDX-License-Identifier: Apache-2.0
// Segments: who runs until when, told by each thread's own points; what cannot be followed is left
// out and counted.
#include "preload/strategy/segments.h"

#include <gtest/gtest.h>

#include "tests/models/programs.h"
#include "tests/unit/strategy/pending.h"
#include "tests/unit/strategy/random_program.h"

namespace esox::model {
namespace {

constexpr uint32_t kToTheEnd = UINT32_MAX;

// What a recorded list of switches means in segments.
std::vector<Choice> segments_of(const std::vector<Choice>& choices) {
  std::vector<Choice> segments;
  std::array<uint32_t, kMaxThreads> passed{};
  for (size_t i = 0; i < choices.size(); ++i) {
    const ThreadId thread = choices[i].thread;
    const bool last = i + 1 == choices.size();
    passed[thread] = last ? kToTheEnd : passed[thread] + choices[i + 1].point - choices[i].point;
    segments.push_back({passed[thread], thread, 0});
  }
  return segments;
}

TEST(Segments, ReproduceRecordedRunsOfRandomPrograms) {
  Rng rng(17);
  for (int round = 0; round < 500; ++round) {
    const Program program = random_program(rng);
    const ExecutionInfo info{.seed = rng.next(), .threads = 4, .expected_points = 20};
    for (const char* text : {"pct:d=4", "random:p=0.2"}) {
      Holder strategy(text);
      const RunResult recorded = run(program, *strategy, info, Offer::kEveryPoint);
      const std::vector<Choice> segments = segments_of(recorded.choices);
      Holder again("segments", tape_of(segments));
      EXPECT_EQ(run(program, *again, {}, Offer::kEveryPoint).order, recorded.order);
    }
  }
}

TEST(Segments, RunAThreadUntilItHasPassedSoManyPointsOfItsOwn) {
  const std::vector<Choice> tape = {{2, 1, 0}, {1, 0, 0}, {kToTheEnd, 1, 0}};
  Holder segments("segments", tape_of(tape));
  segments->begin({});
  EXPECT_EQ(segments->foreseen(kNoThread), 1);
  EXPECT_EQ(segments->choose(enabled({0, 1}), kNoThread), 1);
  EXPECT_EQ(segments->choose(enabled({0, 1}), 1), 1);
  EXPECT_EQ(segments->foreseen(1), 0);
  EXPECT_EQ(segments->choose(enabled({0, 1}), 1), 0);
  EXPECT_EQ(segments->choose(enabled({0, 1}), 0), 1);
  EXPECT_EQ(segments->choose(enabled({0, 1}), 1), 1);
  EXPECT_EQ(segments->diverged(), 0u);
}

TEST(Segments, LeaveOutASegmentWhoseThreadCannotRunAndCountIt) {
  const std::vector<Choice> tape = {{5, 1, 0}, {5, 0, 0}};
  Holder segments("segments", tape_of(tape));
  segments->begin({});
  EXPECT_EQ(segments->choose(enabled({0}), kNoThread), 0);
  EXPECT_EQ(segments->choose(enabled({0, 1}), 0), 0) << "what was left out is not made up for";
  EXPECT_EQ(segments->diverged(), 1u);
}

TEST(Segments, GoOnWithTheRunningThreadBeyondTheLastOne) {
  Holder segments("segments");
  segments->begin({});
  EXPECT_EQ(segments->choose(enabled({0, 2}), 2), 2);
  EXPECT_EQ(segments->choose(enabled({0, 1}), 2), 0);
}

TEST(Segments, LetOthersRunWhereAThreadRepeatsItself) {
  const std::vector<Choice> tape = {{kToTheEnd, 1, 0}};
  Holder segments("segments", tape_of(tape));
  segments->begin({});
  EXPECT_EQ(segments->choose(enabled({0, 1}), kNoThread), 1);
  segments->pass_over(1);
  EXPECT_EQ(segments->choose(enabled({0, 1}), 1), 0);
  EXPECT_EQ(segments->choose(enabled({0, 1}), 0), 0);
  segments->pass_over(0);
  EXPECT_EQ(segments->choose(enabled({0}), 0), 0) << "alone, it goes on";
}

TEST(Segments, GiveTheValuesOfTheTape) {
  const std::vector<uint64_t> values = {4, 9};
  Holder segments("segments", {.values = values.data(), .value_count = 2});
  segments->begin({});
  EXPECT_EQ(segments->value(5), 4u);
  EXPECT_EQ(segments->value(9), 0u) << "9 is not below 9";
  EXPECT_EQ(segments->value(3), 0u);
  EXPECT_EQ(segments->diverged(), 2u);
}

}  // namespace
}  // namespace esox::model
