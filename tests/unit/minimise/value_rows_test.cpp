// SPDX-License-Identifier: Apache-2.0
// Rows of an INSERT: found, and taken away.
#include "harness/findings/minimise/value_rows.h"

#include <gmock/gmock.h>

namespace esox {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

std::string kept(const std::string& text, const std::vector<size_t>& rows) {
  return with_rows(text, value_rows(text), rows);
}

TEST(ValueRows, OfAnInsertCanBeTakenAway) {
  const std::string text = "INSERT INTO t1 (a) VALUES (10),(11), (12)";
  EXPECT_THAT(value_rows(text), SizeIs(3));
  EXPECT_EQ(kept(text, {1}), "INSERT INTO t1 (a) VALUES (11)");
  EXPECT_EQ(kept(text, {0, 2}), "INSERT INTO t1 (a) VALUES (10),(12)");
}

TEST(ValueRows, WhatFollowsThemStays) {
  EXPECT_EQ(kept("replace t values (1,f(2)),(3,4) RETURNING a", {1}),
            "replace t values (3,4) RETURNING a");
  EXPECT_EQ(kept("insert t value (1),(2) on duplicate key update a=values(a)", {0}),
            "insert t value (1) on duplicate key update a=values(a)");
}

TEST(ValueRows, ParenthesesInTextsAndBeforeValuesAreNotRows) {
  EXPECT_THAT(value_rows("INSERT INTO t (`values`, b) VALUES (')', \"(\")"), SizeIs(1));
  EXPECT_THAT(value_rows("INSERT INTO t VALUES ('),('),((2))"), SizeIs(2));
}

TEST(ValueRows, OtherStatementsHaveNone) {
  for (const char* text :
       {"SELECT 1", "VALUES (1),(2)", "INSERT INTO t SELECT 1", "INSERT INTO t",
        "INSERT INTO t SET a=1", "INSERT INTO t VALUES", "", "INSERT INTO t VALUES (1,2"}) {
    EXPECT_THAT(value_rows(text), IsEmpty()) << text;
  }
}

}  // namespace
}  // namespace esox
