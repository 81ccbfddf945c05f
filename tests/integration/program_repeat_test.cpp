// SPDX-License-Identifier: Apache-2.0
// Everything is repeatable: a seed means one execution, and so do the recorded choices.
#include "tests/integration/program_fixture.h"

namespace esox {
namespace {

constexpr uint64_t kSeeds = 50;

const auto kAllPrograms = testing::ValuesIn(std::vector<std::string>{
    "lock_order_deadlock", "two_stage_update", "lost_wakeup", "check_then_act",
    "bounded_queue_correct", "rwlock_correct", "sleepers_correct"});
const auto kBuggyPrograms = testing::ValuesIn(std::vector<std::string>{
    "lock_order_deadlock", "two_stage_update", "lost_wakeup", "check_then_act"});

std::string own_name(const testing::TestParamInfo<std::string>& test) {
  return test.param;
}

class RepeatedProgram : public ProgramTest, public testing::WithParamInterface<std::string> {};

TEST_P(RepeatedProgram, HasTheSameTraceUnderTheSameSeed) {
  for (uint64_t seed = 1; seed <= kSeeds; ++seed) {
    ProgramPlan plan = plan_for(GetParam(), seed % 2 == 0 ? "random:p=0.3" : "pct:d=3", seed);
    plan.spec.expected_points = 100;
    const ProgramResult first = run(plan);
    const ProgramResult second = run(plan);
    ASSERT_FALSE(first.record.trace.empty());
    ASSERT_TRUE(same_trace(first, second)) << "seed " << seed;
    ASSERT_TRUE(same_choices(first, second)) << "seed " << seed;
    ASSERT_TRUE(same_end(first, second)) << text_of(first) << text_of(second);
  }
}

TEST_P(RepeatedProgram, HasOtherTracesUnderOtherSeeds) {
  const ProgramResult first = run(GetParam(), "random:p=1", 1);
  bool any = false;
  for (uint64_t seed = 2; seed <= 20 && !any; ++seed) {
    any = !same_trace(first, run(GetParam(), "random:p=1", seed));
  }
  EXPECT_TRUE(any);
}

INSTANTIATE_TEST_SUITE_P(Programs, RepeatedProgram, kAllPrograms, own_name);

// Nobody decides anything because a thread is late: only where one waits for another.
TEST_F(ProgramTest, AThreadThatIsLateMakesNoOtherSchedule) {
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    const ProgramResult result = run("starved_correct", "random:p=1", seed);
    EXPECT_TRUE(clean(result.end)) << text_of(result);
    ASSERT_FALSE(result.record.trace.empty());
    for (const TraceEvent& event : result.record.trace)
      EXPECT_EQ(event.flags & kTraceExternal, 0) << "seed " << seed << ", point " << event.point;
  }
}

class ReplayedProgram : public ProgramTest, public testing::WithParamInterface<std::string> {};

TEST_P(ReplayedProgram, ShowsItsBugAgainWithTheIdenticalTrace) {
  constexpr uint32_t kHits = 50;
  uint32_t hits = 0;
  for (uint64_t seed = 1; hits < kHits; ++seed) {
    ASSERT_LT(seed, 5'000u) << "only " << hits << " hits";
    const ProgramPlan plan = plan_for(GetParam(), "random:p=1", seed);
    const ProgramResult found = run(plan);
    if (!hit(found.end)) continue;
    ++hits;
    const ProgramResult again = replay(plan, found);
    ASSERT_EQ(again.end.diverged, 0u) << "seed " << seed;
    ASSERT_EQ(again.end.degraded, 0u) << "seed " << seed;
    ASSERT_TRUE(same_trace(found, again)) << "seed " << seed;
    ASSERT_TRUE(same_choices(found, again)) << "seed " << seed;
    ASSERT_TRUE(same_end(found, again)) << text_of(found) << text_of(again);
  }
}

INSTANTIATE_TEST_SUITE_P(Programs, ReplayedProgram, kBuggyPrograms, own_name);

// A record is a list of switches by point: where only some releases are offered to the strategy,
// a replay still meets every switch at its place.
class ReplayWithRarePoints : public ProgramTest {};

TEST_F(ReplayWithRarePoints, IsIdenticalAsWell) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    ProgramPlan plan = plan_for("bounded_queue_correct", "random:p=0.5", seed);
    plan.target.control.release_point_odds = 8;
    const ProgramResult first = run(plan);
    const ProgramResult again = replay(plan, first);
    ASSERT_TRUE(same_choices(first, again)) << "seed " << seed;
    ASSERT_TRUE(clean(again.end)) << text_of(again);
  }
}

// When a thread comes back from a call outside control is not the schedule's to say: a replay
// follows the record, whenever it comes.
class ReplayOfThreadsThatWereAway : public ProgramTest {};

TEST_F(ReplayOfThreadsThatWereAway, NoticesTheirReturnWhereTheRecordDid) {
  for (const char* strategy : {"pct:d=3", "random:p=1", "random:p=0.2"}) {
    for (uint64_t seed = 1; seed <= 30; ++seed) {
      const ProgramPlan plan = plan_for("away_and_back", strategy, seed);
      const ProgramResult first = run(plan);
      ASSERT_TRUE(clean(first.end)) << text_of(first);
      const ProgramResult again = replay(plan, first);
      ASSERT_EQ(again.end.diverged, 0u) << strategy << ", seed " << seed;
      ASSERT_TRUE(same_trace(first, again)) << strategy << ", seed " << seed;
      ASSERT_TRUE(same_choices(first, again)) << strategy << ", seed " << seed;
      ASSERT_TRUE(same_end(first, again)) << text_of(first) << text_of(again);
    }
  }
}

}  // namespace
}  // namespace esox
