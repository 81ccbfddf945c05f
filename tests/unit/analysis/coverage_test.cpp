// SPDX-License-Identifier: Apache-2.0
// When two executions count as one, and what the counts say of the next one.
#include "analysis/coverage.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/analysis/builders.h"
#include "tests/unit/analysis/traces.h"

namespace esox {
namespace {

using test::kMutex;
using test::TraceBuilder;

constexpr uint64_t kOther = 0x78;

uint64_t class_of(const TraceBuilder& trace) {
  return behaviour_of(trace.finish(), 2, {}).trace_class;
}

TEST(Behaviour, IsOneWhereOnlyOperationsOnDifferentObjectsChangedPlaces) {
  const auto one = TraceBuilder().locks(0, kMutex).locks(0, 0x91).locks(1, 0x93).locks(1, kMutex);
  const auto other = TraceBuilder().locks(1, 0x93).locks(0, kMutex).locks(1, kMutex).locks(0, 0x91);
  EXPECT_EQ(class_of(one), class_of(other));
}

TEST(Behaviour, IsAnotherWhereALockWasTakenInAnotherOrder) {
  EXPECT_NE(class_of(TraceBuilder().locks(0, kMutex).locks(1, kMutex)),
            class_of(TraceBuilder().locks(1, kMutex).locks(0, kMutex)));
}

TEST(Behaviour, DoesNotTellTheOrderOfReads) {
  const auto one = TraceBuilder().writes(0, 0x71).reads(0, 0x71).reads(1, 0x71);
  const auto other = TraceBuilder().writes(0, 0x71).reads(1, 0x71).reads(0, 0x71);
  EXPECT_EQ(class_of(one), class_of(other));
  const auto before = TraceBuilder().reads(1, 0x71).writes(0, 0x71).reads(0, 0x71);
  EXPECT_NE(class_of(one), class_of(before));
}

TEST(Behaviour, DoesNotTellWhereTheAllocatorPutALock) {
  EXPECT_EQ(class_of(TraceBuilder().locks(0, kMutex).locks(1, kMutex)),
            class_of(TraceBuilder().locks(0, kOther).locks(1, kOther)));
}

TEST(Behaviour, TellsOutcomesApartButForWhatDiffersBetweenEqualRuns) {
  const ExecutionRecord seen = test::StaleCache::execution();
  ExecutionRecord other = seen;
  other.outcome.outputs[1][0].affected_rows = 4;
  EXPECT_EQ(behaviour_of(seen, 2, {}).outcome, behaviour_of(seen, 2, {}).outcome);
  EXPECT_NE(behaviour_of(seen, 2, {}).outcome, behaviour_of(other, 2, {}).outcome);
  Masks masks;
  masks.outputs[{.client = 1, .request = 0, .part = OutputPart::kAffectedRows}] = 1;
  EXPECT_EQ(behaviour_of(seen, 2, masks).outcome, behaviour_of(other, 2, masks).outcome);
}

TEST(Coverage, CountsPairsOfPlacesSeenInBothOrders) {
  Coverage coverage;
  const auto add = [&](const TraceBuilder& trace) {
    coverage.add(behaviour_of(trace.finish(), 2, {}));
  };
  add(TraceBuilder().locks(0, kMutex, 0x10).locks(1, kMutex, 0x20));
  EXPECT_EQ(coverage.pairs(), 1u);
  EXPECT_EQ(coverage.pairs_both_ways(), 0u);
  add(TraceBuilder().locks(1, kMutex, 0x20).locks(0, kMutex, 0x10));
  EXPECT_EQ(coverage.pairs(), 1u);
  EXPECT_EQ(coverage.pairs_both_ways(), 1u);
}

TEST(Coverage, TellsBetweenWhichRequestsPlacesMetAndInWhichOrder) {
  Coverage coverage;
  const auto add = [&](const TraceBuilder& trace) {
    coverage.add(behaviour_of(trace.finish(), 2, {}));
  };
  add(TraceBuilder().begins(0).begins(1).locks(0, kMutex, 0x10).locks(1, kMutex, 0x20));
  add(TraceBuilder().begins(0).begins(0).begins(1).locks(1, kMutex, 0x20).locks(0, kMutex, 0x10));
  const RequestPair first{0, 0, 1, 0};
  const RequestPair second{0, 1, 1, 0};
  ASSERT_EQ(coverage.met.size(), 2u);
  ASSERT_EQ(coverage.met[first].size(), 1u);
  ASSERT_EQ(coverage.met[second].size(), 1u);
  EXPECT_EQ(*coverage.met[first].begin() ^ 1u, *coverage.met[second].begin());
}

TEST(Sightings, EstimateWhatIsUnseenByWhatWasSeenOnce) {
  Sightings sightings;
  EXPECT_EQ(sightings.unseen(), 1);
  for (const uint64_t thing : {1, 1, 1, 2, 2, 3, 4, 1}) sightings.add(thing);
  EXPECT_EQ(sightings.distinct(), 4u);
  EXPECT_EQ(sightings.once(), 2u);
  EXPECT_DOUBLE_EQ(sightings.unseen(), 2.0 / 8);
}

// Of a source whose rare values are known: the estimate is that of what is really left.
TEST(Sightings, EstimateTheUnseenShareOfASourceThatIsKnown) {
  test::RandomOutcomes random(7);
  constexpr size_t kValues = 300;
  Sightings sightings;
  std::vector<bool> seen(kValues, false);
  const auto draw = [&] { return std::min(random.below(kValues), random.below(kValues)); };
  for (int i = 0; i < 300; ++i) {
    const size_t value = draw();
    seen[value] = true;
    sightings.add(value + 1);
  }
  int fresh = 0;
  constexpr int kDraws = 20'000;
  for (int i = 0; i < kDraws; ++i) fresh += !seen[draw()];
  EXPECT_NEAR(sightings.unseen(), double(fresh) / kDraws, 0.08);
}

TEST(Sightings, AreTheSameAfterTheyWereKept) {
  Sightings sightings;
  for (const uint64_t thing : {1, 1, 2, 3, 3, 5}) sightings.add(thing);
  Sightings again = Sightings::restored(sightings.known(), sightings.total(), sightings.beyond());
  EXPECT_EQ(again.distinct(), sightings.distinct());
  EXPECT_EQ(again.once(), sightings.once());
  EXPECT_FALSE(again.add(5));
  EXPECT_EQ(again.once(), 1u);
}

TEST(Sightings, BeyondWhatIsRememberedAreCountedAsNew) {
  Sightings sightings;
  for (uint64_t thing = 0; thing < kMostKept + 10; ++thing) sightings.add(thing);
  EXPECT_EQ(sightings.distinct(), kMostKept + 10);
  EXPECT_EQ(sightings.known().size(), kMostKept);
}

}  // namespace
}  // namespace esox
