// SPDX-License-Identifier: Apache-2.0
// What verify says of probability, held against 10,000 campaigns with known rates.
#include "harness/findings/verify/argument.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <utility>

#include "base/statistics/confidence.h"
#include "preload/strategy/rng.h"

namespace esox {
namespace {

constexpr int kCampaigns = 10'000;

class Campaigns : public testing::TestWithParam<double> {
 protected:
  // As verify draws from the old server: from hit to hit, or to the limit.
  DrawCounts draw_from_old(double rate, uint64_t most) {
    DrawCounts counts;
    while (counts.hits < kWantedHits) {
      const double misses = std::floor(std::log1p(-rng_.unit()) / std::log1p(-rate));
      if (static_cast<double>(counts.draws) + misses >= static_cast<double>(most)) {
        counts.draws = most;
        break;
      }
      counts.draws += static_cast<uint64_t>(misses) + 1;
      ++counts.hits;
    }
    return counts;
  }

  // Whether all of so many draws are without a hit.
  bool misses(double rate, uint64_t draws) {
    return rng_.unit() < 1 - seen_at_least_once(rate, draws);
  }

  Rng rng_{20'261'124};
};

// Going on to the 20th hit, or to a limit, the interval holds as often as it says.
TEST_P(Campaigns, TheIntervalCoversTheRateAsOftenAsItSays) {
  for (const double confidence : {0.95, 0.99}) {
    for (const uint64_t most : {uint64_t{300}, uint64_t{100'000}}) {
      int covered = 0;
      std::map<std::pair<uint64_t, uint64_t>, RateInterval> intervals;  // by what was counted
      for (int i = 0; i < kCampaigns; ++i) {
        const DrawCounts counts = draw_from_old(GetParam(), most);
        const auto [known, fresh] = intervals.try_emplace({counts.hits, counts.draws});
        if (fresh) known->second = interval_of_rate(counts.hits, counts.draws, confidence);
        const RateInterval& interval = known->second;
        covered += interval.low <= GetParam() && GetParam() <= interval.high ? 1 : 0;
      }
      const double share = static_cast<double>(covered) / kCampaigns;
      EXPECT_GE(share, confidence - 0.01) << most << " draws at most";
    }
  }
}

// A fixed number of draws, with hits enough for the steps between numbers not to matter.
TEST(Interval, CoversWithinOnePercentOfWhatItSays) {
  Rng rng(4);
  constexpr double kRate = 0.3;
  constexpr int kDraws = 500;
  for (const double confidence : {0.95, 0.99}) {
    int covered = 0;
    std::map<uint64_t, RateInterval> intervals;  // by hits
    for (int i = 0; i < kCampaigns; ++i) {
      uint64_t hits = 0;
      for (int n = 0; n < kDraws; ++n) hits += rng.unit() < kRate ? 1 : 0;
      const auto [known, fresh] = intervals.try_emplace(hits);
      if (fresh) known->second = interval_of_rate(hits, kDraws, confidence);
      const RateInterval& interval = known->second;
      covered += interval.low <= kRate && kRate <= interval.high ? 1 : 0;
    }
    EXPECT_NEAR(static_cast<double>(covered) / kCampaigns, confidence, 0.01);
  }
}

// The new server gives it so much more rarely, and "fixed" is said: as often as that may be.
TEST_P(Campaigns, WhatIsStillThereSurvivesAsRarelyAsItSays) {
  for (const double confidence : {0.9, 0.99}) {
    for (const double rarer : {1.0, kRarer}) {
      int missed = 0;
      std::map<uint64_t, uint64_t> wanted;  // of the new server, by the draws of the old one
      for (int i = 0; i < kCampaigns; ++i) {
        const DrawCounts old = draw_from_old(GetParam(), 100'000);
        const auto [known, fresh] = wanted.try_emplace(old.draws, 0);
        if (fresh) known->second = RateArgument(old, confidence).draws_wanted(rarer);
        missed += misses(GetParam() / rarer, known->second) ? 1 : 0;
      }
      const double share = static_cast<double>(missed) / kCampaigns;
      EXPECT_LE(share, 1 - confidence) << rarer << " times rarer";
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Rates, Campaigns, testing::Values(0.5, 0.1, 0.02));

TEST(RateArgument, SoManyDrawsAsAreWantedAreEnough) {
  const RateArgument argument({200, kWantedHits}, 0.99);
  for (const double rarer : {1.0, 3.0, kRarer}) {
    const uint64_t wanted = argument.draws_wanted(rarer);
    EXPECT_GE(argument.times_rarer(wanted), rarer * (1 - 1e-9));
    EXPECT_LT(argument.times_rarer(wanted - 1), rarer);
  }
}

TEST(RateArgument, WithoutHitsNothingIsKnownAndNoNumberIsEnough) {
  const RateArgument argument({1000, 0}, 0.99);
  EXPECT_EQ(argument.draws_wanted(1), UINT64_MAX);
  EXPECT_EQ(argument.times_rarer(1'000'000), 0);
}

}  // namespace
}  // namespace esox
