// SPDX-License-Identifier: Apache-2.0
// Schedules told by segments: read from choices, changed, and told apart by each thread's points.
#include "analysis/schedule.h"

#include <gtest/gtest.h>

namespace esox {
namespace {

// A runs points 1-10, B 11-30, A 31-40, B to the end at 50.
const std::vector<Choice> kChoices = {{0, 0, 0}, {10, 1, 0}, {30, 0, 0}, {40, 1, 0}};

TEST(Schedule, CountsEachThreadsOwnPoints) {
  const Schedule expected = {{0, 10}, {1, 20}, {0, kToTheEnd}, {1, kToTheEnd}};
  EXPECT_EQ(schedule_of(kChoices), expected);
  EXPECT_EQ(switch_count(expected), 3u);
  EXPECT_TRUE(schedule_of({}).empty());
}

TEST(Schedule, OfAnExecutionThatDidNotFinishTellsWhereEachThreadStoodInTheEnd) {
  const Schedule expected = {{0, 10}, {1, 20}, {0, 20}, {1, kToTheEnd}};
  EXPECT_EQ(schedule_of(kChoices, false), expected);
}

TEST(Schedule, IsCompletedByWhatItsThreadsStillHaveToDo) {
  EXPECT_EQ(completed({{1, 20}, {0, 10}, {1, kToTheEnd}}),
            (Schedule{{1, 20}, {0, 10}, {1, kToTheEnd}, {0, kToTheEnd}}));
  const Schedule whole = {{0, 10}, {1, kToTheEnd}, {0, kToTheEnd}};
  EXPECT_EQ(completed(whole), whole);
}

TEST(Schedule, WithoutASegmentItsWorkIsDoneWhenTheThreadComesOnNext) {
  const Schedule schedule = {{0, 10}, {1, 20}, {0, 30}, {1, kToTheEnd}};
  EXPECT_EQ(without(schedule, 1, 2), (Schedule{{0, 30}, {1, kToTheEnd}}));
  EXPECT_EQ(without(schedule, 0, 1), (Schedule{{1, 20}, {0, 30}, {1, kToTheEnd}}));
}

TEST(Schedule, ASegmentDoneEarlierJoinsTheOneBeforeOfItsThread) {
  const Schedule schedule = {{0, 10}, {1, 20}, {0, 30}, {1, kToTheEnd}};
  EXPECT_EQ(done_earlier(schedule, 2), (Schedule{{0, 30}, {1, kToTheEnd}}));
  EXPECT_EQ(done_earlier(schedule, 0), schedule);
}

TEST(Schedule, ASegmentThatEndsWhereItBeganIsGone) {
  const Schedule schedule = {{0, 10}, {1, 20}, {0, 30}};
  EXPECT_EQ(begin_of(schedule, 2), 10u);
  EXPECT_EQ(ending_at(schedule, 2, 10), (Schedule{{0, 10}, {1, 20}}));
}

TEST(Schedule, ComparesFromTheFirstSegment) {
  const Schedule a = {{0, 10}, {1, 20}, {0, 30}};
  EXPECT_EQ(equal_segments(a, a), SIZE_MAX);
  EXPECT_EQ(equal_segments(a, {{0, 10}, {1, 21}}), 1u);
}

TEST(OwnPoints, MapThePointsOfTheExecutionToThoseOfItsThreads) {
  const OwnPoints own(kChoices, 51);
  EXPECT_EQ(own.total(0), 20u);
  EXPECT_EQ(own.total(1), 30u);
  EXPECT_EQ(own.passed(0, 10), 10u);
  EXPECT_EQ(own.passed(0, 35), 15u);
  EXPECT_EQ(own.point_of(0, 15), 35u);
  EXPECT_EQ(own.point_of(1, 1), 11u);
  EXPECT_EQ(own.point_of(1, 31), kNever);
  EXPECT_EQ(own.point_of(1, 0), kNever);
}

}  // namespace
}  // namespace esox
