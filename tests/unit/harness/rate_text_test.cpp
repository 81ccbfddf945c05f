// SPDX-License-Identifier: Apache-2.0
// The words for how often something came, and what counts as a fresh draw.
#include "harness/records/rate_text.h"

#include <gtest/gtest.h>

#include "harness/search/portfolio.h"

namespace esox {
namespace {

TEST(RateText, SaysOfWhatItIsARate) {
  EXPECT_EQ(rate_text({.first = 4, .executions = 100, .draws = 81, .drawn_hits = 29}),
            "in 29 of 81 fresh draws: 36 % (95 %: 25 to 47 %); first in execution 4 of 100");
  EXPECT_EQ(rate_text({.first = 4, .executions = 100, .draws = 20, .drawn_hits = 0}),
            "in none of 20 fresh draws (95 %: at most 14 %); first in execution 4 of 100");
  EXPECT_EQ(rate_text({.first = 3, .executions = 36, .draws = 0, .drawn_hits = 0}),
            "in no fresh draws; first in execution 3 of 36");
}

TEST(RateText, TheConfidenceIsAsAsked) {
  EXPECT_EQ(draws_text(0, 3000, 0.99), "none of 3000 fresh draws (99 %: at most 0.15 %)");
  EXPECT_EQ(draws_text(50, 50, 0.999), "50 of 50 fresh draws: 100 % (99.9 %: 86 to 100 %)");
}

TEST(RateText, RepeatsAreSaidToBeAmongThem) {
  EXPECT_EQ(repeats_text(29, 100, 4),
            "in 29 of 100 executions, repeats of it among them, first in 4");
  EXPECT_EQ(repeats_text(29, 100), "in 29 of 100 executions, repeats of it among them");
}

TEST(FreshDraw, IsWhatAStrategyDrewAndNothingElse) {
  for (const PortfolioArm& arm : kPortfolio) {
    EXPECT_EQ(is_fresh_draw(arm.strategy), arm.strategy != std::string(kVariation)) << arm.strategy;
  }
  for (const char* other :
       {"predicted", "replay", "pct:d=3 (replayed)", "random:p=0.5 (re-aligned)",
        "exhaustive:preemptions=1", "iterative", "serial", ""}) {
    EXPECT_FALSE(is_fresh_draw(other)) << other;
  }
}

}  // namespace
}  // namespace esox
