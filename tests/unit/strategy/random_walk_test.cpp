// SPDX-License-Identifier: Apache-2.0
// The random walk: how often it redraws, and among whom.
#include "preload/strategy/random_walk.h"

#include <gtest/gtest.h>

#include <map>

#include "tests/models/model.h"
#include "tests/unit/strategy/statistics.h"

namespace esox::model {
namespace {

const std::vector<Pending> kThreeEnabled = {
    {2, OpKind::kMutexLock, 1, 1}, {5, OpKind::kMutexLock, 1, 1}, {9, OpKind::kMutexLock, 1, 1}};

std::vector<uint64_t> counts_of(std::map<ThreadId, uint64_t> chosen) {
  return {chosen[2], chosen[5], chosen[9]};
}

TEST(RandomWalk, WithProbabilityOneDrawsUniformly) {
  Holder walk("random:p=1");
  walk->begin({.seed = 1, .threads = 3});
  std::map<ThreadId, uint64_t> chosen;
  for (int i = 0; i < 60'000; ++i) ++chosen[walk->choose(kThreeEnabled, 5)];
  EXPECT_LT(chi_square_uniform(counts_of(chosen)), chi_square_limit(3));
}

// A redraw among three picks another thread with probability 2/3.
TEST(RandomWalk, SwitchesAsOftenAsItsProbabilitySays) {
  constexpr uint32_t kSamples = 200'000;
  for (const auto& [text, p] : {std::pair{"random:p=0.05", 0.05}, {"random:p=0.5", 0.5}}) {
    Holder walk(text);
    walk->begin({.seed = 2, .threads = 3});
    uint32_t switches = 0;
    for (uint32_t i = 0; i < kSamples; ++i) switches += walk->choose(kThreeEnabled, 5) != 5;
    const double expected = p * 2 / 3;
    EXPECT_NEAR(switches / static_cast<double>(kSamples), expected, four_sigma(expected, kSamples));
  }
}

TEST(RandomWalk, RedrawsUniformlyWhenTheRunningThreadIsNotEnabled) {
  Holder walk("random:p=0.001");
  walk->begin({.seed = 3, .threads = 3});
  std::map<ThreadId, uint64_t> chosen;
  for (int i = 0; i < 60'000; ++i) ++chosen[walk->choose(kThreeEnabled, 7)];
  EXPECT_LT(chi_square_uniform(counts_of(chosen)), chi_square_limit(3));
}

}  // namespace
}  // namespace esox::model
