// SPDX-License-Identifier: Apache-2.0
#include "analysis/nondeterminism.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/comparison.h"
#include "tests/unit/analysis/builders.h"

namespace esox {
namespace {

using test::bag;
using test::map;
using test::ok;
using test::outcome;
using test::rows_reply;
using test::sequence;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> names(const Masks& masks) {
  std::vector<std::string> list;
  for (const NamedMask& mask : mask_names(masks)) list.push_back(mask.name);
  return list;
}

std::vector<std::string> differing(const Output& a, const Output& b) {
  return names(differing_places(outcome({a}, {}), outcome({b}, {})));
}

std::vector<std::string> differing(const Component& a, const Component& b) {
  return names(differing_places(outcome({}, {a}), outcome({}, {b})));
}

TEST(Nondeterminism, EqualRunsGiveNoMask) {
  const Outcome value = outcome({rows_reply({{"1"}, {"2"}})}, {bag("rows", {"a"})});
  EXPECT_TRUE(differing_places(value, value).empty());
}

TEST(Nondeterminism, RowsInAnotherOrderGiveNoMaskUnlessTheStatementOrdersThem) {
  EXPECT_THAT(differing(rows_reply({{"1"}, {"2"}}), rows_reply({{"2"}, {"1"}})), IsEmpty());
  EXPECT_THAT(differing(rows_reply({{"1"}, {"2"}}, true), rows_reply({{"2"}, {"1"}}, true)),
              ElementsAre("A1: result 1, order of rows"));
}

TEST(Nondeterminism, AClockInOneColumnMasksThatColumnOnly) {
  EXPECT_THAT(differing(rows_reply({{"t1", "10:00"}, {"t2", "10:00"}}),
                        rows_reply({{"t2", "10:01"}, {"t1", "10:02"}})),
              ElementsAre("A1: result 1, column 2"));
}

TEST(Nondeterminism, TwoColumnsThatDifferAreBothMasked) {
  EXPECT_THAT(differing(rows_reply({{"t1", "10:00", "7"}}), rows_reply({{"t1", "10:01", "8"}})),
              ElementsAre("A1: result 1, column 2", "A1: result 1, column 3"));
}

TEST(Nondeterminism, AnotherNumberOfRowsMasksTheResult) {
  EXPECT_THAT(differing(rows_reply({{"1"}}), rows_reply({{"1"}, {"2"}})),
              ElementsAre("A1: result 1, rows", "A1: affected rows"));
}

TEST(Nondeterminism, AResultWithoutAStableColumnIsMaskedWhole) {
  EXPECT_THAT(differing(rows_reply({{"1"}}), rows_reply({{"2"}})),
              ElementsAre("A1: result 1, rows"));
}

TEST(Nondeterminism, FieldsAreMaskedByName) {
  Output a = ok(1);
  Output b = ok(2);
  b.info = "other";
  b.insert_id = 3;
  EXPECT_THAT(differing(a, b), ElementsAre("A1: affected rows", "A1: insert id", "A1: info"));
}

TEST(Nondeterminism, WarningTextsAreUnknownWhereOneSideHasNone) {
  Output with = ok();
  with.warning_count = 1;
  with.warnings = {{"Note", 1051, "Unknown table"}};
  Output without = with;
  without.warnings.clear();
  Output other = with;
  other.warnings[0].message = "Unknown table 'test.t7'";
  EXPECT_THAT(differing(with, without), IsEmpty());
  EXPECT_THAT(differing(with, other), ElementsAre("A1: warnings"));
}

TEST(Nondeterminism, AKeyOfAMapIsMaskedAloneAndOtherComponentsWhole) {
  EXPECT_THAT(differing(map("status", {{"Uptime", "1"}, {"Tables", "2"}}),
                        map("status", {{"Uptime", "7"}, {"Tables", "2"}})),
              ElementsAre("component status, key Uptime"));
  EXPECT_THAT(differing(bag("rows", {"1"}), bag("rows", {"2"})), ElementsAre("component rows"));
  EXPECT_THAT(differing(sequence("log", {"1", "2"}), sequence("log", {"2", "1"})),
              ElementsAre("component log"));
}

TEST(Nondeterminism, AnUnavailableComponentIsNotMasked) {
  const auto gone = unavailable_component("rows", ComponentKind::kMultiset, "lost connection");
  EXPECT_THAT(differing(gone, bag("rows", {"1"})), IsEmpty());
  EXPECT_THAT(differing(gone, gone), IsEmpty());
}

TEST(Nondeterminism, IsTheUnionOverAllOrdersWithTheirNumber) {
  const Outcome a = outcome({rows_reply({{"x", "1"}}), ok(1)}, {});
  const Outcome b = outcome({rows_reply({{"x", "2"}}), ok(1)}, {});
  const Outcome c = outcome({rows_reply({{"x", "3"}}), ok(9)}, {});
  const std::vector<SerialRun> runs = {{{0, 1}, a, b, ""},
                                       {{1, 0}, a, c, ""},
                                       {{1, 0}, a, outcome({}, {}), "could not be executed"}};
  const auto found = mask_names(find_nondeterminism(runs));
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].name, "A1: result 1, column 2");
  EXPECT_EQ(found[0].orders, 2u);
  EXPECT_EQ(found[1].name, "B1: affected rows");
  EXPECT_EQ(found[1].orders, 1u);
}

// What was masked because two runs differ must make just these two runs equal.
TEST(Nondeterminism, MasksMakeTheRunsTheyCameFromEqual) {
  test::RandomOutcomes random(7);
  size_t differing_pairs = 0;
  for (int round = 0; round < 2000; ++round) {
    const Outcome a = random.any();
    Outcome b = random.any();
    b.outputs.resize(a.outputs.size());
    for (size_t i = 0; i < b.outputs.size(); ++i) {
      b.outputs[i].resize(a.outputs[i].size());
      for (size_t j = 0; j < b.outputs[i].size(); ++j) {
        b.outputs[i][j].ordered = a.outputs[i][j].ordered;  // a property of the request
      }
    }
    const Masks masks = differing_places(a, b);
    differing_pairs += !masks.empty();
    ASSERT_TRUE(compare(a, b, masks).fully_matches()) << round;
    ASSERT_TRUE(compare(b, a, masks).fully_matches()) << round;
  }
  EXPECT_GT(differing_pairs, 1500u);
}

}  // namespace
}  // namespace esox
