// SPDX-License-Identifier: Apache-2.0
// What every strategy must keep, whatever it is asked: only enabled threads, values below their
// bound, and the same answers for the same seed.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/models/programs.h"
#include "tests/unit/strategy/random_program.h"

namespace esox::model {
namespace {

// Each that explores by its defaults, and some by others.
std::vector<std::string> seeded() {
  std::vector<std::string> texts = strategy_texts(true);
  for (const char* text : {"pct:d=1", "pct:d=32", "random:p=1", "random:p=0.5", "wrw:share=1",
                           "wrw:share=1000000", "surw:objects=0", "surw:objects=8"}) {
    texts.emplace_back(text);
  }
  return texts;
}

// Threads are mostly few and low, sometimes anything; kinds are any that matter.
std::vector<Pending> random_enabled(Rng& rng) {
  std::vector<Pending> result;
  const uint64_t limit = rng.below(8) == 0 ? kMaxThreads : 6;
  for (ThreadId id = 0; id < limit; ++id) {
    if (rng.below(2) == 0) continue;
    constexpr OpKind kKinds[] = {OpKind::kRequestBegin, OpKind::kRequestEnd, OpKind::kMutexLock,
                                 OpKind::kMutexUnlock,  OpKind::kReadLock,   OpKind::kFileRead,
                                 OpKind::kFileWrite,    OpKind::kCondWait};
    result.push_back({id, kKinds[rng.below(8)], rng.below(3), rng.below(9)});
  }
  if (result.empty()) result.push_back({3, OpKind::kMutexLock, 1, 1});
  return result;
}

ThreadId random_thread(Rng& rng) {
  return rng.below(10) == 0 ? kNoThread : static_cast<ThreadId>(rng.below(kMaxThreads));
}

// What earlier executions told, or seem to have told.
struct AnyTold {
  std::vector<uint32_t> points;
  std::vector<ObjectPoints> objects;
};

AnyTold any_told(Rng& rng) {
  AnyTold told;
  for (uint64_t i = rng.below(200); i > 0; --i) {
    told.points.push_back(static_cast<uint32_t>(rng.below(4) == 0 ? 0 : rng.next()));
  }
  for (uint64_t i = rng.below(20); i > 0; --i) {
    ObjectPoints& object = told.objects.emplace_back(ObjectPoints{rng.below(4), {}});
    for (uint32_t& count : object.of_thread) count = static_cast<uint32_t>(rng.below(5));
  }
  return told;
}

void ask_at_random(Strategy& strategy, Rng& rng) {
  const AnyTold told = any_told(rng);
  strategy.begin({.seed = rng.next(),
                  .threads = static_cast<uint32_t>(rng.below(9)),
                  .expected_points = rng.below(300),
                  .points_of_thread = told.points,
                  .objects = told.objects});
  ThreadId current = kNoThread;
  for (uint64_t calls = rng.below(300); calls > 0; --calls) {
    if (rng.below(20) == 0) strategy.pass_over(random_thread(rng));
    const uint64_t bound = 1 + rng.below(10);
    ASSERT_LT(strategy.value(bound), bound);
    const std::vector<Pending> enabled = random_enabled(rng);
    if (rng.below(9) == 0) current = random_thread(rng);
    current = strategy.choose(enabled, current);
    ASSERT_TRUE(std::any_of(enabled.begin(), enabled.end(),
                            [&](const Pending& pending) { return pending.thread == current; }));
  }
  strategy.end({});
}

TEST(EveryStrategy, ChoosesAmongTheEnabledWhateverItIsAsked) {
  Rng rng(21);
  for (int round = 0; round < 400; ++round) {
    std::vector<ThreadId> order(rng.below(10));
    for (ThreadId& thread : order) thread = static_cast<ThreadId>(rng.below(6));
    std::vector<Choice> choices(rng.below(30));
    for (Choice& choice : choices) {
      choice = {static_cast<uint32_t>(rng.below(300)), random_thread(rng), 0};
    }
    const std::vector<uint64_t> values = {rng.below(12), rng.next()};
    const StrategyTape tape{order.data(),   static_cast<uint32_t>(order.size()),
                            choices.data(), static_cast<uint32_t>(choices.size()),
                            values.data(),  static_cast<uint32_t>(values.size())};
    for (const std::string& text : strategy_texts(false)) {
      Holder strategy(text, tape);
      ask_at_random(*strategy, rng);
    }
    for (const std::string& text : seeded()) {
      Holder strategy(text, tape);
      ask_at_random(*strategy, rng);
    }
  }
}

TEST(EveryStrategy, RunsRandomProgramsToTheirEnd) {
  Rng rng(22);
  for (int round = 0; round < 300; ++round) {
    const Program program = random_program(rng);
    for (const std::string& text : seeded()) {
      Holder strategy(text);
      const ExecutionInfo info{.seed = rng.next(), .threads = 3, .expected_points = 15};
      const RunResult result = run(program, *strategy, info, Offer::kAsTheScheduler);
      ASSERT_FALSE(result.chose_disabled) << text;
      ASSERT_LT(result.points, kMaxSteps) << text;
      ASSERT_LE(result.offered, result.points);
    }
  }
}

TEST(EveryStrategy, GivesTheSameRunForTheSameSeed) {
  Rng rng(23);
  for (int round = 0; round < 200; ++round) {
    const Program program = random_program(rng);
    const ExecutionInfo info{.seed = rng.next(), .threads = 3, .expected_points = 15};
    for (const std::string& text : seeded()) {
      Holder one(text);
      Holder other(text);
      const RunResult first = run(program, *one, info, Offer::kAsTheScheduler);
      EXPECT_EQ(first.order, run(program, *other, info, Offer::kAsTheScheduler).order) << text;
      EXPECT_EQ(first.order, run(program, *one, info, Offer::kAsTheScheduler).order) << text;
      EXPECT_EQ(one->value(1 << 30), other->value(1 << 30)) << text;
    }
  }
}

// They choose so seldom on purpose.
constexpr std::string_view kFewSchedules[] = {"wrw:share=1", "pct:d=1"};

TEST(EveryStrategy, GivesDifferentRunsForNeighbouringSeeds) {
  const Program program = write_between_two_reads(20);
  for (const std::string& text : seeded()) {
    if (std::find(std::begin(kFewSchedules), std::end(kFewSchedules), text) !=
        std::end(kFewSchedules)) {
      continue;
    }
    Holder strategy(text);
    std::vector<std::vector<ThreadId>> orders;
    for (uint64_t seed = 0; seed < 200; ++seed) {
      const ExecutionInfo info{.seed = seed, .threads = 2, .expected_points = longest(program)};
      orders.push_back(run(program, *strategy, info, Offer::kEveryPoint).order);
    }
    std::sort(orders.begin(), orders.end());
    const auto distinct = std::unique(orders.begin(), orders.end()) - orders.begin();
    EXPECT_GT(distinct, 20) << text;
  }
}

}  // namespace
}  // namespace esox::model
