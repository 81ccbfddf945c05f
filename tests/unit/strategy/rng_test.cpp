// SPDX-License-Identifier: Apache-2.0
// The generator gives the published sequences, and draws without bias.
#include "preload/strategy/rng.h"

#include <gtest/gtest.h>

#include "tests/unit/strategy/statistics.h"

namespace esox {
namespace {

TEST(Rng, SplitmixGivesThePublishedSequence) {
  uint64_t state = 1234567;
  EXPECT_EQ(splitmix64(state), 6457827717110365317u);
  EXPECT_EQ(splitmix64(state), 3203168211198807973u);
  EXPECT_EQ(splitmix64(state), 9817491932198370423u);
}

TEST(Rng, XoshiroGivesThePublishedSequence) {
  Rng rng(0);
  EXPECT_EQ(rng.next(), 0x99ec5f36cb75f2b4u);
  EXPECT_EQ(rng.next(), 0xbf6e1f784956452au);
  EXPECT_EQ(rng.next(), 0x1a5f849d4933e6e0u);
}

TEST(Rng, BelowIsUniform) {
  for (const uint64_t bound : {2u, 3u, 10u, 129u}) {
    Rng rng(bound);
    std::vector<uint64_t> counts(bound);
    for (int i = 0; i < 200'000; ++i) ++counts.at(rng.below(bound));
    EXPECT_LT(model::chi_square_uniform(counts), model::chi_square_limit(bound)) << bound;
  }
}

// Without rejection the lower half of this range would come up twice as often as the upper one.
TEST(Rng, BelowIsUnbiasedForBoundsNearTheWordSize) {
  constexpr uint64_t kBound = 0xc000000000000000u;
  Rng rng(1);
  std::vector<uint64_t> thirds(3);
  for (int i = 0; i < 200'000; ++i) ++thirds.at(rng.below(kBound) >> 62);
  EXPECT_LT(model::chi_square_uniform(thirds), model::chi_square_limit(3));
}

TEST(Rng, BelowOfSmallBoundsIsZero) {
  Rng rng(1);
  EXPECT_EQ(rng.below(0), 0u);
  EXPECT_EQ(rng.below(1), 0u);
}

TEST(Rng, UnitIsUniformAndBelowOne) {
  Rng rng(7);
  std::vector<uint64_t> counts(20);
  for (int i = 0; i < 200'000; ++i) {
    const double unit = rng.unit();
    ASSERT_GE(unit, 0);
    ASSERT_LT(unit, 1);
    ++counts.at(static_cast<size_t>(unit * 20));
  }
  EXPECT_LT(model::chi_square_uniform(counts), model::chi_square_limit(20));
}

}  // namespace
}  // namespace esox
