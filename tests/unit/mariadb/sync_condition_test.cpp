// SPDX-License-Identifier: Apache-2.0
// What of wrong answers a test can put as a condition.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "targets/mariadb/sync/condition.h"

namespace esox {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using Kind = SyncValue::Kind;

Output rows(const std::vector<std::string>& values) {
  Output output;
  output.answered = true;
  ResultSet result{{{"name", "string"}}, {}};
  for (const std::string& value : values) result.rows.push_back({value});
  output.results.push_back(result);
  return output;
}

Output done(uint64_t affected) {
  Output output;
  output.answered = true;
  output.affected_rows = affected;
  return output;
}

Output failed(uint32_t error) {
  Output output;
  output.answered = true;
  output.error = error;
  return output;
}

std::vector<std::vector<Answers>> orders(const Answers& one, const Answers& other) {
  return {{one, one}, {other, other}};
}

TEST(SyncCondition, OfAListingOfHalfARenameIsARowThatNoOrderHas) {
  const auto serial = orders({{"A1", rows({"t1", "t2"})}}, {{"A1", rows({"t1", "t3"})}});
  const auto found = conditions(serial, {{{"A1", rows({"t2", "t3"})}}}, {"A1"});
  ASSERT_FALSE(found.empty());
  EXPECT_THAT(found.front().values, ElementsAre(SyncValue{"A1", Kind::kCell, 1, "name"}));
  EXPECT_THAT(found.front().right, ElementsAre(ElementsAre("t1")));
}

TEST(SyncCondition, OfTwoRightValuesThatDoNotGoTogetherIsAPair) {
  const auto serial =
      orders({{"A1", done(1)}, {"B1", rows({"old"})}}, {{"A1", done(0)}, {"B1", rows({"new"})}});
  const Answers seen = {{"A1", done(1)}, {"B1", rows({"new"})}};
  const auto found = conditions(serial, {seen}, {"A1", "B1"});
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found.front().values.size(), 2u);
  EXPECT_TRUE(is_wrong(found.front(), seen));
  for (const auto& runs : serial) EXPECT_FALSE(is_wrong(found.front(), runs.front()));
}

TEST(SyncCondition, ThereIsNoneOfAnAnswerThatAnOrderGives) {
  const auto serial = orders({{"A1", done(1)}}, {{"A1", failed(1146)}});
  EXPECT_THAT(conditions(serial, {{{"A1", failed(1146)}}}, {"A1"}), IsEmpty());
}

TEST(SyncCondition, OfAnErrorThatNoOrderGivesIsItsNumber) {
  const auto serial = orders({{"A1", done(1)}}, {{"A1", done(1)}});
  const auto found = conditions(serial, {{{"A1", failed(1210)}}}, {"A1"});
  ASSERT_FALSE(found.empty());
  EXPECT_THAT(found.front().right, ElementsAre(ElementsAre("0")));
}

TEST(SyncCondition, WhatDiffersByItselfSaysNothing) {
  const Answers once = {{"A1", rows({"7"})}};
  const Answers again = {{"A1", rows({"8"})}};
  EXPECT_THAT(conditions({{once, again}}, {{{"A1", rows({"9"})}}}, {"A1"}), IsEmpty());
}

TEST(SyncCondition, WhatIsWrongInSomeRoundsOnlyIsNone) {
  const auto serial = orders({{"A1", done(1)}}, {{"A1", done(1)}});
  EXPECT_THAT(conditions(serial, {{{"A1", done(2)}}, {{"A1", done(1)}}}, {"A1"}), IsEmpty());
}

TEST(SyncCondition, OnlyComparedPartsCount) {
  const auto serial = orders({{"rows:t1", done(1)}}, {{"rows:t1", done(1)}});
  const std::vector<Answers> seen = {{{"rows:t1", done(2)}}};
  EXPECT_THAT(conditions(serial, seen, {"A1"}), IsEmpty());
  EXPECT_FALSE(conditions(serial, seen, {"rows"}).empty());
}

TEST(SyncCondition, WhatATestCannotHoldIsNoValue) {
  const Answers answers = {{"A1", rows({"two\nlines", "$x", "plain"})}};
  EXPECT_FALSE(value_in(answers, {"A1", Kind::kCell, 1, "name"}));
  EXPECT_FALSE(value_in(answers, {"A1", Kind::kCell, 2, "name"}));
  EXPECT_EQ(value_in(answers, {"A1", Kind::kCell, 3, "name"}), "plain");
  EXPECT_EQ(value_in(answers, {"A1", Kind::kCell, 4, "name"}), "No such row");
  EXPECT_FALSE(value_in(answers, {"A1", Kind::kCell, 1, "other"}));
}

}  // namespace
}  // namespace esox
