// SPDX-License-Identifier: Apache-2.0
// The weighted walk and SURW: how often they draw, and that interleavings are equally likely.
#include <gtest/gtest.h>

#include <map>

#include "preload/strategy/surw.h"
#include "preload/strategy/weighted_walk.h"
#include "tests/models/programs.h"
#include "tests/unit/strategy/statistics.h"

namespace esox::model {
namespace {

// `counts[i]` accesses to cell i of its own by thread i.
Program private_steps(const std::vector<int>& counts) {
  Program program{"private steps", {}};
  for (size_t i = 0; i < counts.size(); ++i) {
    program.threads.emplace_back(counts[i], access(static_cast<int>(i), {}));
  }
  return program;
}

ExecutionInfo told(const std::vector<uint32_t>& points, const std::vector<ObjectPoints>& objects) {
  ExecutionInfo info;
  info.points_of_thread = points;
  info.objects = objects;
  for (const uint32_t count : points) info.expected_points += count;
  return info;
}

// How often each order of threads comes, counting only steps on `object` (0: all).
std::vector<uint64_t> counts_of_orders(const Program& program, const char* text, uint64_t object,
                                       uint64_t samples) {
  const std::vector<uint32_t> points = points_of_threads(program);
  const std::vector<ObjectPoints> objects = shared_objects(program);
  Holder strategy(text);
  std::map<std::vector<ThreadId>, uint64_t> seen;
  for (uint64_t seed = 0; seed < samples; ++seed) {
    ExecutionInfo info = told(points, objects);
    info.seed = seed;
    std::vector<ThreadId> order;
    std::vector<size_t> next(program.threads.size());
    for (const ThreadId thread : run(program, *strategy, info, Offer::kEveryPoint).order) {
      const Operation& operation = program.threads[thread][next[thread]++];
      if (object == 0 || operation.object == object) order.push_back(thread);
    }
    ++seen[order];
  }
  std::vector<uint64_t> counts;
  for (const auto& [order, count] : seen) counts.push_back(count);
  return counts;
}

// 3 and 5 steps: 56 interleavings. 1, 2 and 3: 60.
TEST(WeightedWalk, DrawingAtEveryPointMakesAllInterleavingsEquallyLikely) {
  for (const char* text : {"wrw:share=1000", "surw:objects=0"}) {
    const auto two = counts_of_orders(private_steps({3, 5}), text, 0, 30'000);
    ASSERT_EQ(two.size(), 56u);
    EXPECT_LT(chi_square_uniform(two), chi_square_limit(56)) << text;
    const auto three = counts_of_orders(private_steps({1, 2, 3}), text, 0, 30'000);
    ASSERT_EQ(three.size(), 60u);
    EXPECT_LT(chi_square_uniform(three), chi_square_limit(60)) << text;
  }
}

// The test can tell: a walk without weights is far from it.
TEST(WeightedWalk, IsNotWhatAWalkWithoutWeightsDoes) {
  const auto counts = counts_of_orders(private_steps({3, 5}), "random:p=1", 0, 30'000);
  EXPECT_GT(chi_square_uniform(counts), 4 * chi_square_limit(56));
}

uint64_t switches_in(const char* text, uint64_t points, uint64_t expected) {
  const std::vector<Pending> two = {{0, OpKind::kMutexLock, 1, 1}, {1, OpKind::kMutexLock, 2, 1}};
  Holder walk(text);
  walk->begin({.seed = 11, .threads = 2, .expected_points = expected});
  uint64_t switches = 0;
  ThreadId current = 0;
  for (uint64_t i = 0; i < points; ++i) {
    const ThreadId next = walk->choose(two, current);
    switches += next != current;
    current = next;
  }
  return switches;
}

// Half the draws among two equals are switches.
TEST(WeightedWalk, DrawsAsOftenAsItsShareSays) {
  constexpr uint64_t kPoints = 200'000;
  for (const auto& [text, expected, p] : {std::tuple{"wrw", 1'200, 0.01},
                                          {"wrw", 120, 0.1},
                                          {"wrw:share=60", 120, 0.5},
                                          {"wrw", 6, 1.0},
                                          {"wrw", 0, WeightedWalk::kUnknownSwitchProbability}}) {
    const auto switches = static_cast<double>(switches_in(text, kPoints, expected));
    EXPECT_NEAR(switches / kPoints, p / 2, four_sigma(p / 2, kPoints)) << text << expected;
  }
}

TEST(WeightedWalk, DrawsThreadsInProportionToWhatTheyHaveLeft) {
  const std::vector<uint32_t> points = {100, 300, 0};
  const std::vector<Pending> all = {
      {0, OpKind::kMutexLock, 1, 1}, {1, OpKind::kMutexLock, 2, 1}, {2, OpKind::kMutexLock, 3, 1}};
  constexpr uint64_t kSeeds = 60'000;
  std::map<ThreadId, double> drawn;
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    Holder walk("wrw");
    walk->begin({.seed = seed, .expected_points = 400, .points_of_thread = points});
    // Thread 1 passes 250 of its 300 points without anybody else there.
    for (int i = 0; i < 250; ++i) walk->choose(std::span(all).subspan(1, 1), 1);
    ++drawn[walk->choose(all, kNoThread)];
  }
  // Not known counts as the mean of the others, 200.
  for (const auto& [thread, left] : {std::pair{0, 100.0}, {1, 50.0}, {2, 200.0}}) {
    const double expected = left / 350;
    EXPECT_NEAR(drawn[thread] / kSeeds, expected, four_sigma(expected, kSeeds)) << thread;
  }
}

TEST(WeightedWalk, StillDrawsAThreadThatRunsLongerThanExpected) {
  const std::vector<uint32_t> points = {3, 100};
  const std::vector<Pending> two = {{0, OpKind::kMutexLock, 1, 1}, {1, OpKind::kMutexLock, 2, 1}};
  uint64_t drawn = 0;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    Holder walk("wrw:share=1000");
    walk->begin({.seed = seed, .expected_points = 103, .points_of_thread = points});
    for (int i = 0; i < 50; ++i) walk->choose(std::span(two).first(1), 0);
    for (int i = 0; i < 50; ++i) drawn += walk->choose(two, kNoThread) == 0;
  }
  // It weighs 1, the other one 100 at first and 50 at last: 138 of the 10,000 draws.
  EXPECT_NEAR(static_cast<double>(drawn), 138, 4 * 11.7);
}

// Two threads with 3 and 2 accesses to a shared cell, at uneven distances among others.
Program shared_among_private() {
  constexpr int kShared = 9;
  const Operation shared = access(kShared, {});
  const Operation own = access(0, {});
  const Operation other = access(1, {});
  return {"shared among private",
          {{own, own, own, own, shared, shared, own, own, shared}, {shared, other, shared, other}}};
}

TEST(Surw, MakesAllInterleavingsOfTheDrawnObjectEquallyLikely) {
  const Program program = shared_among_private();
  ASSERT_EQ(shared_objects(program).size(), 1u);
  const uint64_t object = shared_objects(program).front().object;
  const auto counts = counts_of_orders(program, "surw", object, 20'000);
  ASSERT_EQ(counts.size(), 10u);  // 5 over 2
  EXPECT_LT(chi_square_uniform(counts), chi_square_limit(10));
  const auto without = counts_of_orders(program, "random:p=1", object, 20'000);
  EXPECT_GT(chi_square_uniform(without), 4 * chi_square_limit(10));
}

TEST(Surw, LeavesAllInterleavingsOfTheRestPossible) {
  constexpr uint64_t kInterleavings = 715;  // 13 over 4
  const auto counts = counts_of_orders(shared_among_private(), "surw", 0, 200'000);
  EXPECT_EQ(counts.size(), kInterleavings);
}

// The next interesting operation is drawn again after each; who waits for its turn stands still.
TEST(Surw, LetsOnlyTheDrawnThreadPassTheDrawnObject) {
  const std::vector<ObjectPoints> objects = {{1, {1, 1}}};
  const std::vector<Pending> two = {{0, OpKind::kMutexLock, 1, 1}, {1, OpKind::kMutexLock, 7, 1}};
  const std::vector<Pending> both_there = {{0, OpKind::kMutexLock, 1, 1},
                                           {1, OpKind::kMutexLock, 1, 1}};
  uint64_t waited = 0;
  for (uint64_t seed = 0; seed < 1'000; ++seed) {
    Holder surw("surw");
    surw->begin({.seed = seed, .objects = objects});
    int passed = 0;
    while (passed < 50 && surw->choose(two, 1) == 1) ++passed;
    if (passed < 50) continue;
    ++waited;  // thread 1 is the one drawn: 0 waits for it
    EXPECT_EQ(surw->choose(both_there, 1), 1);
    EXPECT_EQ(surw->choose(both_there, 1), 0) << "1 has none left";
  }
  EXPECT_NEAR(waited / 1'000.0, 0.5, four_sigma(0.5, 1'000));
}

TEST(Surw, DrawsEverySetOfObjectsEquallyOften) {
  // Object i alone holds thread 0 back from i; told apart by who can pass.
  std::vector<ObjectPoints> objects;
  for (uint64_t i = 1; i <= 5; ++i) objects.push_back({i, {0, 1}});
  std::map<std::vector<bool>, uint64_t> seen;
  for (uint64_t seed = 0; seed < 20'000; ++seed) {
    std::vector<bool> drawn;
    for (uint64_t i = 1; i <= 5; ++i) {
      Holder surw("surw:objects=2");
      surw->begin({.seed = seed, .objects = objects});
      const std::vector<Pending> two = {{0, OpKind::kMutexLock, i, 1},
                                        {1, OpKind::kMutexLock, 77, 1}};
      bool held_back = true;
      for (int point = 0; point < 30; ++point) held_back &= surw->choose(two, 1) == 1;
      drawn.push_back(held_back);
    }
    ++seen[drawn];
  }
  std::vector<uint64_t> counts;
  for (const auto& [drawn, count] : seen) counts.push_back(count);
  ASSERT_EQ(counts.size(), 10u);
  EXPECT_LT(chi_square_uniform(counts), chi_square_limit(10));
}

}  // namespace
}  // namespace esox::model
