// SPDX-License-Identifier: Apache-2.0
// Schedules carried over to inputs with fewer or shorter requests.
#include "harness/findings/minimise/moved_schedule.h"

#include <gtest/gtest.h>

namespace esox {
namespace {

// A has requests of 10, 20 and 30 points, one between them; B one of 40.
const RequestSpans kSpans = {{{0, 10}, {11, 31}, {32, 62}}, {{0, 40}}};
// A's middle one is taken away.
const Origins kWithoutA2 = {{{0, 0}, {0, 2}}, {{1, 0}}};

TEST(MovedSchedule, RequestsMoveUpByWhatIsGone) {
  const RequestSpans expected = {{{0, 10}, {11, 41}}, {{0, 40}}};
  EXPECT_EQ(spans_left(kSpans, kWithoutA2), expected);
}

TEST(MovedSchedule, ASwitchInARequestStaysAtItsPlaceInIt) {
  const Schedule schedule = {{0, 37}, {1, 20}, {0, kToTheEnd}, {1, kToTheEnd}};
  const Schedule expected = {{0, 16}, {1, 20}, {0, kToTheEnd}, {1, kToTheEnd}};
  EXPECT_EQ(moved_schedule(schedule, kSpans, kWithoutA2, spans_left(kSpans, kWithoutA2),
                           Anchor::kBeginning),
            expected);
}

TEST(MovedSchedule, ASwitchInARequestThatIsGoneComesAtTheNextOnesBeginning) {
  const Schedule schedule = {{0, 20}, {1, kToTheEnd}, {0, kToTheEnd}};
  const Schedule expected = {{0, 11}, {1, kToTheEnd}, {0, kToTheEnd}};
  EXPECT_EQ(moved_schedule(schedule, kSpans, kWithoutA2, spans_left(kSpans, kWithoutA2),
                           Anchor::kBeginning),
            expected);
}

TEST(MovedSchedule, AfterTheLastRequestThereIsTheEnd) {
  const Origins only_first = {{{0, 0}}, {{1, 0}}};
  const Schedule schedule = {{0, 40}, {1, 30}, {0, kToTheEnd}, {1, kToTheEnd}};
  const Schedule expected = {{0, kToTheEnd}, {1, kToTheEnd}};
  EXPECT_EQ(moved_schedule(schedule, kSpans, only_first, spans_left(kSpans, only_first),
                           Anchor::kBeginning),
            expected);
}

TEST(MovedSchedule, AShorterRequestIsFollowedFromEitherSide) {
  const Origins all = {{{0, 0}, {0, 1}, {0, 2}}, {{1, 0}}};
  const RequestSpans shorter = {{{0, 10}, {11, 31}, {32, 62}}, {{0, 25}}};
  const Schedule schedule = {{1, 30}, {0, kToTheEnd}, {1, kToTheEnd}};
  EXPECT_EQ(moved_schedule(schedule, kSpans, all, shorter, Anchor::kBeginning).front().until, 30u);
  EXPECT_EQ(moved_schedule(schedule, kSpans, all, shorter, Anchor::kEnd).front().until, 15u);
}

TEST(MovedSchedule, AClientThatIsGoneHasNoSegments) {
  const Origins only_b = {{{1, 0}}};
  const Schedule schedule = {{0, 5}, {1, 30}, {0, kToTheEnd}, {1, kToTheEnd}};
  EXPECT_EQ(moved_schedule(schedule, kSpans, only_b, {{{0, 40}}}, Anchor::kBeginning),
            (Schedule{{0, kToTheEnd}}));
}

TEST(RequestSpans, AreReadFromStampsByEachThreadsOwnPoints) {
  ExecutionRecord record;
  record.choices = {{0, 0, 0}, {10, 1, 0}, {30, 0, 0}, {40, 1, 0}};
  record.stamps = {{{1, 8}, {9, 38}}, {{12, kNever}}};
  const RequestSpans expected = {{{1, 8}, {9, 18}}, {{2, 30}}};
  EXPECT_EQ(request_spans(record, 51), expected);
}

}  // namespace
}  // namespace esox
