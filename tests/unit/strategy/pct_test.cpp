// SPDX-License-Identifier: Apache-2.0
// PCT: its guarantee, and the distributions that the guarantee rests on.
#include "preload/strategy/pct.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "tests/models/programs.h"
#include "tests/unit/strategy/pending.h"
#include "tests/unit/strategy/statistics.h"

namespace esox::model {
namespace {

using Ids = std::vector<ThreadId>;

// Threads in the order in which PCT runs them if each ends as soon as it is chosen: by priority.
Ids by_priority(Strategy& strategy, Ids left) {
  Ids order;
  while (!left.empty()) {
    order.push_back(strategy.choose(enabled(left), kNoThread));
    left.erase(std::find(left.begin(), left.end(), order.back()));
  }
  return order;
}

struct Known {
  Program program;
  uint32_t depth;
};

TEST(Pct, HitsBugsOfKnownDepthAtLeastAsOftenAsGuaranteed) {
  constexpr uint32_t kSamples = 100'000;
  for (const auto& [program, depth] :
       {Known{use_before_init(), 1}, Known{write_between_two_reads(0), 2},
        Known{write_between_two_reads(3), 2}, Known{gap_then_late_write(), 3}, Known{two_gaps(), 4},
        Known{deadlock01(), 2}, Known{carter01(), 2}, Known{twostage(), 2},
        Known{check_then_act(), 2}, Known{lost_wakeup(), 1}}) {
    const auto n = static_cast<uint32_t>(program.threads.size());
    const uint64_t k = longest(program);
    const double bound = 1 / (n * std::pow(k, depth - 1));
    const std::string strategy = "pct:d=" + std::to_string(depth);
    const double rate = hit_rate(program, strategy.c_str(), n, k, kSamples);
    EXPECT_GE(exact_pct(program, k, depth), bound * (1 - 1e-12)) << program.name;
    EXPECT_GE(rate, bound - four_sigma(bound, kSamples)) << program.name;
  }
}

// The guarantee is exact where nothing but the bug's own schedule hits.
TEST(Pct, MeetsTheGuaranteeExactlyOnTheWorstProgram) {
  const double rate = hit_rate(gap_then_late_write(), "pct:d=3", 2, 5, 200'000);
  EXPECT_NEAR(rate, 1.0 / 50, four_sigma(1.0 / 50, 200'000));
}

TEST(Pct, MissesBugsDeeperThanItsDepth) {
  EXPECT_EQ(hit_rate(gap_then_late_write(), "pct:d=2", 2, 5, 20'000), 0);
  EXPECT_EQ(hit_rate(write_between_two_reads(2), "pct:d=1", 2, 8, 20'000), 0);
}

TEST(Pct, OfDepthOneSwitchesOnlyWhenTheRunningThreadCannotGoOn) {
  for (uint64_t seed = 0; seed < 500; ++seed) {
    Holder pct("pct:d=1");
    pct->begin({.seed = seed, .threads = 3, .expected_points = 20});
    ThreadId current = pct->choose(enabled({0, 1, 2}), kNoThread);
    for (int point = 0; point < 20; ++point) {
      ASSERT_EQ(pct->choose(enabled({0, 1, 2}), current), current);
    }
    Ids others = {0, 1, 2};
    others.erase(others.begin() + current);
    const ThreadId next = pct->choose(enabled(others), current);
    EXPECT_NE(next, current);
    EXPECT_EQ(pct->choose(enabled({0, 1, 2}), next), current) << "the blocked one comes back";
  }
}

TEST(Pct, DrawsPrioritiesUniformlyOverPermutations) {
  std::map<Ids, uint64_t> seen;
  Holder pct("pct:d=1");
  for (uint64_t seed = 0; seed < 48'000; ++seed) {
    pct->begin({.seed = seed, .threads = 4, .expected_points = 10});
    ++seen[by_priority(*pct, {0, 1, 2, 3})];
  }
  std::vector<uint64_t> counts;
  for (const auto& [order, count] : seen) counts.push_back(count);
  ASSERT_EQ(counts.size(), 24u);
  EXPECT_LT(chi_square_uniform(counts), chi_square_limit(24));
}

// All ids at once: a shuffle that is only nearly uniform shows in the rank of a single thread.
TEST(Pct, GivesAThreadEveryRankEquallyOften) {
  constexpr ThreadId kThread = 5;
  Ids all(kMaxThreads);
  std::iota(all.begin(), all.end(), ThreadId{0});
  std::vector<uint64_t> counts(kMaxThreads);
  Holder pct("pct:d=1");
  for (uint64_t seed = 0; seed < 6'400; ++seed) {
    pct->begin({.seed = seed, .threads = kMaxThreads, .expected_points = 10});
    const Ids order = by_priority(*pct, all);
    ++counts.at(std::find(order.begin(), order.end(), kThread) - order.begin());
  }
  EXPECT_LT(chi_square_uniform(counts), chi_square_limit(kMaxThreads));
}

TEST(Pct, PlacesThreadsItWasNotToldOfAtRandomAmongTheOthers) {
  std::map<ThreadId, uint64_t> highest;
  Holder pct("pct:d=1");
  for (uint64_t seed = 0; seed < 30'000; ++seed) {
    pct->begin({.seed = seed, .threads = 2, .expected_points = 10});
    ++highest[by_priority(*pct, {0, 1, 77}).front()];
  }
  EXPECT_LT(chi_square_uniform({highest[0], highest[1], highest[77]}), chi_square_limit(3));
}

// With d = 2 and both threads always enabled the first switch comes right after the change point.
TEST(Pct, DrawsChangePointsUniformlyFromOneToK) {
  constexpr uint64_t k = 16;
  std::vector<uint64_t> counts(k);
  Holder pct("pct:d=2");
  for (uint64_t seed = 0; seed < 64'000; ++seed) {
    pct->begin({.seed = seed, .threads = 2, .expected_points = k});
    const ThreadId first = pct->choose(enabled({0, 1}), kNoThread);
    uint64_t stayed = 1;
    while (stayed <= k && pct->choose(enabled({0, 1}), first) == first) ++stayed;
    ++counts.at(stayed - 1);
  }
  EXPECT_LT(chi_square_uniform(counts), chi_square_limit(k));
}

// Three threads, always enabled, d = 3: a pair of change points that differ gives two switches, and
// all pairs are equally likely: 12 of the 16 pairs on 1..4, each switch pair from two of them.
TEST(Pct, DrawsChangePointsIndependently) {
  std::map<std::pair<uint64_t, uint64_t>, uint64_t> seen;
  uint64_t equal = 0;
  constexpr uint64_t kSamples = 64'000;
  Holder pct("pct:d=3");
  for (uint64_t seed = 0; seed < kSamples; ++seed) {
    pct->begin({.seed = seed, .threads = 3, .expected_points = 4});
    std::vector<uint64_t> switches;
    ThreadId current = pct->choose(enabled({0, 1, 2}), kNoThread);
    for (uint64_t point = 1; point <= 4; ++point) {
      const ThreadId next = pct->choose(enabled({0, 1, 2}), current);
      if (next != current) switches.push_back(point);
      current = next;
    }
    if (switches.size() == 2) ++seen[{switches[0], switches[1]}];
    equal += switches.size() == 1;
  }
  EXPECT_NEAR(equal / static_cast<double>(kSamples), 0.25, four_sigma(0.25, kSamples));
  std::vector<uint64_t> counts;
  for (const auto& [pair, count] : seen) counts.push_back(count);
  ASSERT_EQ(counts.size(), 6u);
  EXPECT_LT(chi_square_uniform(counts), chi_square_limit(6));
}

TEST(Pct, AssumesALengthWhereNoneIsKnown) {
  uint64_t longest_stay = 0;
  Holder pct("pct:d=2");
  for (uint64_t seed = 0; seed < 2'000; ++seed) {
    pct->begin({.seed = seed, .threads = 2});
    const ThreadId first = pct->choose(enabled({0, 1}), kNoThread);
    uint64_t stayed = 1;
    while (stayed <= 1000 && pct->choose(enabled({0, 1}), first) == first) ++stayed;
    longest_stay = std::max(longest_stay, stayed);
  }
  EXPECT_LE(longest_stay, Pct::kUnknownPoints);
  EXPECT_GT(longest_stay, Pct::kUnknownPoints * 95 / 100);
}

TEST(Pct, IdsBeyondTheLimitAreServedLast) {
  Holder pct("pct:d=3");
  pct->begin({.seed = 1, .threads = 2, .expected_points = 3});
  EXPECT_EQ(pct->choose(enabled({0, kMaxThreads}), 0), 0);
  EXPECT_EQ(pct->choose(enabled({kMaxThreads}), 0), kMaxThreads);
}

TEST(Pct, ForgetsTheLastExecution) {
  Holder pct("pct:d=4");
  const auto play = [&] {
    Ids order;
    pct->begin({.seed = 9, .threads = 3, .expected_points = 12});
    for (int point = 0; point < 12; ++point) {
      order.push_back(pct->choose(enabled({0, 1, 2}), kNoThread));
    }
    return order;
  };
  EXPECT_EQ(play(), play());
}

}  // namespace
}  // namespace esox::model
