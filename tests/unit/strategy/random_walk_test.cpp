// SPDX-License-Identifier: Apache-2.0
// The random walk: how often it redraws, and among whom.
#include "preload/strategy/random_walk.h"

#include <gtest/gtest.h>

#include <map>

#include "tests/models/model.h"
#include "tests/unit/strategy/statistics.h"

namespace esox::model {
namespace {

const std::vector<Pending> kThree = {
    {2, OpKind::kMutexLock, 1, 1}, {5, OpKind::kMutexLock, 1, 1}, {9, OpKind::kMutexLock, 1, 1}};

std::vector<uint64_t> counts_of(std::map<ThreadId, uint64_t> chosen) {
  return {chosen[2], chosen[5], chosen[9]};
}

TEST(RandomWalk, WithProbabilityOneDrawsUniformly) {
  Holder walk("random:p=1");
  walk->begin({.seed = 1, .threads = 3});
  std::map<ThreadId, uint64_t> chosen;
  for (int i = 0; i < 60'000; ++i) ++chosen[walk->choose(kThree, 5)];
  EXPECT_LT(chi_square_uniform(counts_of(chosen)), chi_square_limit(3));
}

// A redraw among three picks another thread with probability 2/3.
TEST(RandomWalk, SwitchesAsOftenAsItsProbabilitySays) {
  constexpr uint32_t kSamples = 200'000;
  for (const auto& [text, p] : {std::pair{"random:p=0.05", 0.05}, {"random:p=0.5", 0.5}}) {
    Holder walk(text);
    walk->begin({.seed = 2, .threads = 3});
    uint32_t switches = 0;
    for (uint32_t i = 0; i < kSamples; ++i) switches += walk->choose(kThree, 5) != 5;
    const double expected = p * 2 / 3;
    EXPECT_NEAR(switches / static_cast<double>(kSamples), expected, four_sigma(expected, kSamples));
  }
}

TEST(RandomWalk, RedrawsUniformlyWhenTheRunningThreadIsNotEnabled) {
  Holder walk("random:p=0.001");
  walk->begin({.seed = 3, .threads = 3});
  std::map<ThreadId, uint64_t> chosen;
  for (int i = 0; i < 60'000; ++i) ++chosen[walk->choose(kThree, 7)];
  EXPECT_LT(chi_square_uniform(counts_of(chosen)), chi_square_limit(3));
}

TEST(RandomWalk, LeavesADemotedThreadForOneOfTheOthersUniformly) {
  Holder walk("random:p=0.001");
  for (const ThreadId demoted : {2, 5, 9}) {
    walk->begin({.seed = 4, .threads = 3});
    std::map<ThreadId, uint64_t> chosen;
    for (int i = 0; i < 40'000; ++i) {
      walk->demote(demoted);
      ++chosen[walk->choose(kThree, demoted)];
    }
    EXPECT_EQ(chosen.erase(demoted), 0u);
    ASSERT_EQ(chosen.size(), 2u);
    EXPECT_LT(chi_square_uniform({chosen.begin()->second, chosen.rbegin()->second}),
              chi_square_limit(2));
  }
}

TEST(RandomWalk, KeepsADemotionUntilThereIsAnotherThread) {
  Holder walk("random:p=0.000001");
  walk->begin({.seed = 5, .threads = 2});
  walk->demote(2);
  EXPECT_EQ(walk->choose({kThree.data(), 1}, 2), 2) << "nobody else";
  EXPECT_NE(walk->choose(kThree, 2), 2);
  EXPECT_EQ(walk->choose(kThree, 2), 2) << "the demotion is used up";
}

}  // namespace
}  // namespace esox::model
