// SPDX-License-Identifier: Apache-2.0
// Which sync points are tried, and in which order.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "targets/mariadb/sync/points.h"

namespace esox {
namespace {

using testing::ElementsAre;

SyncPoint at(const char* name, unsigned hit = 1) {
  return {name, hit};
}

TEST(SyncPoints, OfATraceAreCountedByName) {
  EXPECT_THAT(points_in_trace("debug_sync_point: hit: 'one'\ndebug_sync_point: hit: 'two'\n"
                              "| debug_sync_point: hit: 'one'\nsomething else: 'three'\n"),
              ElementsAre(at("one"), at("two"), at("one", 2)));
}

TEST(SyncPoints, OfTheStatementsAroundARequestOnlyCountAsHits) {
  EXPECT_THAT(points_in_trace("hit: 'end' hit: 'before_do_command_net_read' hit: 'one' hit: 'end' "
                              "hit: 'before_do_command_net_read' hit: 'off'"),
              ElementsAre(at("one"), at("end", 2)));
}

TEST(SyncPoints, OfATraceWithoutAnyAreNone) {
  EXPECT_TRUE(points_in_trace("").empty());
}

TEST(SyncPoints, NearestToThePlaceComeFirst) {
  const std::vector<SyncPoint> points = {at("a"), at("b"), at("c"), at("d")};
  EXPECT_THAT(point_choices({{points, 2}}),
              ElementsAre(ElementsAre(at("b")), ElementsAre(at("c")), ElementsAre(at("a")),
                          ElementsAre(at("d"))));
  EXPECT_THAT(point_choices({{points, 0}}).front(), ElementsAre(at("a")));
  EXPECT_THAT(point_choices({{points, 4}}).front(), ElementsAre(at("d")));
}

TEST(SyncPoints, OfAnUnknownPlaceComeAsTheyArePassed) {
  EXPECT_THAT(point_choices({{{at("a"), at("b")}, {}}}),
              ElementsAre(ElementsAre(at("a")), ElementsAre(at("b"))));
}

TEST(SyncPoints, OfTwoHoldsArePairsBothNearFirst) {
  const std::vector<std::vector<SyncPoint>> choices =
      point_choices({{{at("a"), at("b")}, 1}, {{at("c"), at("d")}, 2}});
  EXPECT_THAT(choices, ElementsAre(ElementsAre(at("a"), at("d")), ElementsAre(at("a"), at("c")),
                                   ElementsAre(at("b"), at("d")), ElementsAre(at("b"), at("c"))));
}

TEST(SyncPoints, OfManyHoldsAreLimited) {
  const std::vector<SyncPoint> many(150, at("a"));
  EXPECT_EQ(point_choices({{many, 7}}).size(), 150u);
  EXPECT_LE(point_choices({{many, 7}, {many, 7}}).size(), 5000u);
  EXPECT_LE(point_choices({{many, 7}, {many, 7}, {many, 7}, {many, 7}}).size(), 5000u);
}

TEST(SyncPoints, WithoutAnyPassedThereIsNothingToTry) {
  EXPECT_TRUE(point_choices({{{}, 0}}).empty());
}

}  // namespace
}  // namespace esox
