// SPDX-License-Identifier: Apache-2.0
// RAPOS: what a batch may hold, and who comes into the next one.
#include "preload/strategy/rapos.h"

#include <gtest/gtest.h>

#include "tests/models/model.h"
#include "tests/unit/strategy/pending.h"

namespace esox::model {
namespace {

constexpr uint64_t kRaposSeeds = 40'000;

// Two independent events. Alone in the first batch (1/2), the first one's thread goes on alone: the
// other is not schedulable before it conflicts. Together in one batch (1/2), each runs once.
TEST(Rapos, LetsIndependentEventsJoinABatchWithProbabilityOneHalf) {
  const std::vector<Pending> two = {event(0, 1), event(1, 2)};
  uint64_t both = 0;
  for (uint64_t seed = 0; seed < kRaposSeeds; ++seed) {
    Holder rapos("rapos");
    rapos->begin({.seed = seed});
    const ThreadId first = rapos->choose(two, kNoThread);
    both += rapos->choose(two, first) != first;
  }
  EXPECT_NEAR(static_cast<double>(both) / kRaposSeeds, 0.5, four_sigma(0.5, kRaposSeeds));
}

// Conflicting events are never in one batch, and the loser is schedulable next, with the winner's
// next event, one of which is drawn.
TEST(Rapos, DrawsAmongConflictingEventsAnew) {
  const std::vector<Pending> two = {event(0, 1), event(1, 1)};
  uint64_t other = 0;
  for (uint64_t seed = 0; seed < kRaposSeeds; ++seed) {
    Holder rapos("rapos");
    rapos->begin({.seed = seed});
    const ThreadId first = rapos->choose(two, kNoThread);
    other += rapos->choose(two, first) != first;
  }
  EXPECT_NEAR(static_cast<double>(other) / kRaposSeeds, 0.5, four_sigma(0.5, kRaposSeeds));
}

TEST(Rapos, DoesNotScheduleWhatTheLastBatchHasNothingToDoWith) {
  const std::vector<Pending> two = {event(0, 1), event(1, 2)};
  for (uint64_t seed = 0; seed < 500; ++seed) {
    Holder rapos("rapos");
    rapos->begin({.seed = seed});
    const ThreadId first = rapos->choose(two, kNoThread);
    if (rapos->choose(two, first) != first) continue;
    for (int i = 0; i < 20; ++i) ASSERT_EQ(rapos->choose(two, first), first);
  }
}

TEST(Rapos, DrawsOneOfAllWhereNothingDepends) {
  const std::vector<Pending> first = {event(0, 1)};
  const std::vector<Pending> others = {event(1, 2), event(2, 3)};
  uint64_t second = 0;
  for (uint64_t seed = 0; seed < kRaposSeeds; ++seed) {
    Holder rapos("rapos");
    rapos->begin({.seed = seed});
    rapos->choose(first, kNoThread);  // and ends
    second += rapos->choose(others, 0) == 2;
  }
  EXPECT_NEAR(static_cast<double>(second) / kRaposSeeds, 0.5, four_sigma(0.5, kRaposSeeds));
}

TEST(Rapos, DropsAnEventOfTheBatchThatCannotRunAnyMore) {
  const std::vector<Pending> two = {event(0, 1), event(1, 2)};
  for (uint64_t seed = 0; seed < 500; ++seed) {
    Holder rapos("rapos");
    rapos->begin({.seed = seed});
    const ThreadId first = rapos->choose(two, kNoThread);
    const std::vector<Pending> alone = {event(first, 3)};
    EXPECT_EQ(rapos->choose(alone, first), first);
  }
}

// Figure 2.3 of Yuan's thesis, k = 2: x++ twice, then z = 1; z = 0 beside y++ twice, then a check
// that z is 0. At most 1/2^(k+2).
TEST(Rapos, IsBiasedAsTheThesisShows) {
  enum { x, y, z };
  const Program program{
      "figure 2.3",
      {{access(x, {}), access(x, {}), write(z, 1), write(z, 0)},
       {access(y, {}), access(y, {}), access(z, [](World& w) { w.bug |= w.cell[z] != 0; })}}};
  const double rate = hit_rate(program, "rapos", 2, longest(program), 40'000);
  EXPECT_LE(rate, 1.0 / 16 + four_sigma(1.0 / 16, 40'000));
  EXPECT_GT(rate, 0);
}

}  // namespace
}  // namespace esox::model
