// SPDX-License-Identifier: Apache-2.0
// Which indexes can be read beside the table, and what a disagreement looks like.
#include "targets/mysqld/state/indexes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace esox {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::string create(const std::string& keys, const std::string& engine = "Aria") {
  return "CREATE TABLE `t` (\n  `a` int(11) DEFAULT NULL,\n  `b` text" + keys +
         "\n) ENGINE=" + engine + " DEFAULT CHARSET=utf8mb4";
}

std::vector<std::string> names(const std::string& text) {
  std::vector<std::string> list;
  for (const Index& index : readable_indexes(text)) list.push_back(index.name);
  return list;
}

TEST(ReadableIndexes, AreWholeColumnsInAnyOrder) {
  const auto indexes = readable_indexes(
      create(",\n  PRIMARY KEY (`a`),\n  UNIQUE KEY `u` (`a`,`c` DESC),\n  KEY `od``d` (`x``y`) "
             "USING BTREE COMMENT ' USING HASH'"));
  EXPECT_THAT(indexes,
              ElementsAre(Index{"PRIMARY", {"a"}}, Index{"u", {"a", "c"}}, Index{"od`d", {"x`y"}}));
  EXPECT_EQ(scan_of("`test`.`t`", indexes[2]),
            "SELECT SQL_NO_CACHE `x``y` FROM `test`.`t` FORCE INDEX (`od``d`) LIMIT 10001");
}

TEST(ReadableIndexes, LeaveOutThoseThatAreNotReadAlone) {
  EXPECT_THAT(names(create(",\n  KEY `p` (`b`(10)),\n  FULLTEXT KEY `f` (`b`),\n  SPATIAL KEY `s` "
                           "(`g`),\n  UNIQUE KEY `h` (`b`) USING HASH,\n  KEY `i` (`a`) IGNORED")),
              IsEmpty());
  EXPECT_THAT(names(create(",\n  KEY `k` (`a`)", "MEMORY")), IsEmpty());
  EXPECT_THAT(names(create(",\n  PRIMARY KEY (`a`),\n  KEY `k` (`a`)", "InnoDB")),
              ElementsAre("k"));
  EXPECT_THAT(names("CREATE VIEW `v` AS select 1"), IsEmpty());
  EXPECT_THAT(names(""), IsEmpty());
}

Output reply(std::vector<Column> columns, std::vector<Row> rows) {
  Output output;
  output.answered = true;
  output.results.push_back(ResultSet{std::move(columns), std::move(rows)});
  return output;
}

class CompareIndexTest : public testing::Test {
 protected:
  Component compare(const std::vector<Row>& keys) {
    return compare_index("index:test.t.k", Index{"k", {"b"}}, rows_, reply({{"b", "INT"}}, keys));
  }
  Output rows_ = reply({{"a", "INT"}, {"b", "INT"}},
                       {{Cell("1"), Cell("7")}, {Cell("2"), Cell("7")}, {Cell("3"), std::nullopt}});
};

TEST_F(CompareIndexTest, AnIndexThatAgreesIsEmptyInWhateverOrder) {
  EXPECT_EQ(compare({{std::nullopt}, {Cell("7")}, {Cell("7")}}).count, 0U);
}

TEST_F(CompareIndexTest, AMissingKeyADanglingOneAndAWrongOneAreElements) {
  const Component missing = compare({{Cell("7")}, {std::nullopt}});
  EXPECT_THAT(missing.elements, ElementsAre(Element{"only in the table scan", "('7')"}));
  const Component dangling = compare({{Cell("7")}, {Cell("7")}, {Cell("9")}, {std::nullopt}});
  EXPECT_THAT(dangling.elements, ElementsAre(Element{"only in the index k", "('9')"}));
  EXPECT_EQ(compare({{Cell("7")}, {Cell("8")}, {std::nullopt}}).count, 2U);
}

TEST_F(CompareIndexTest, WithoutEitherScanNobodyCanSay) {
  Output lost;
  lost.message = "gone";
  const Index index{"k", {"b"}};
  EXPECT_EQ(compare_index("i", index, rows_, lost).unavailable, "gone");
  EXPECT_EQ(compare_index("i", index, lost, rows_).unavailable, "gone");
}

}  // namespace
}  // namespace esox
