// SPDX-License-Identifier: Apache-2.0
// Rows of an INSERT are found.
#include <gmock/gmock.h>

#include "inputs/input.h"
#include "targets/mariadb/language.h"

namespace esox {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

// What of the text is rows, and where they end.
std::vector<std::string> rows_of(const std::string& text) {
  std::vector<std::string> rows;
  for (const TextSpan& row : mariadb_language().removable(text)) {
    rows.push_back(text.substr(row.begin, row.end - row.begin));
  }
  return rows;
}

TEST(ValueRows, AreThoseOfAnInsertWithWhatIsInTheirParentheses) {
  EXPECT_THAT(rows_of("INSERT INTO t1 (a) VALUES (10),(11), (12)"),
              ElementsAre("(10)", "(11)", "(12)"));
  EXPECT_THAT(rows_of("replace t values (1,f(2)),(3,4) RETURNING a"),
              ElementsAre("(1,f(2))", "(3,4)"));
  EXPECT_THAT(rows_of("insert t value (1),(2) on duplicate key update a=values(a)"),
              ElementsAre("(1)", "(2)"));
}

TEST(ValueRows, ParenthesesInTextsAndBeforeValuesAreNotRows) {
  EXPECT_THAT(mariadb_language().removable("INSERT INTO t (`values`, b) VALUES (')', \"(\")"),
              SizeIs(1));
  EXPECT_THAT(mariadb_language().removable("INSERT INTO t VALUES ('),('),((2))"), SizeIs(2));
}

TEST(ValueRows, OtherStatementsHaveNone) {
  for (const char* text :
       {"SELECT 1", "VALUES (1),(2)", "INSERT INTO t SELECT 1", "INSERT INTO t",
        "INSERT INTO t SET a=1", "INSERT INTO t VALUES", "", "INSERT INTO t VALUES (1,2"}) {
    EXPECT_THAT(mariadb_language().removable(text), IsEmpty()) << text;
  }
}

}  // namespace
}  // namespace esox
