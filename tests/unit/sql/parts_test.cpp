// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "inputs/input.h"
#include "targets/mariadb/language.h"

namespace esox {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<RequestPart> table_parts(const std::string& text) {
  return mariadb_language().parts(text, "tables");
}

std::vector<RequestPart> read_and_write(const std::string& text) {
  return mariadb_language().parts(text, "read-then-write");
}

bool calls_several_statements(const std::string& text, const std::vector<std::string>& setup) {
  return !mariadb_language().is_one_step(text, setup);
}

std::vector<std::string> statements(const std::string& text) {
  std::vector<std::string> all;
  for (const RequestPart& part : table_parts(text)) all.push_back(part.text);
  return all;
}

TEST(TableParts, AreOneStatementForEachTableWithTheOptionsOfAll) {
  EXPECT_THAT(statements("check table t1, `db`.`t 2` extended"),
              ElementsAre("check table t1 extended", "check table `db`.`t 2` extended"));
  EXPECT_EQ(table_parts("check table t1, `db`.`t 2`").back().subject, "db.t 2");
  EXPECT_THAT(statements("OPTIMIZE LOCAL TABLES a, b"),
              ElementsAre("OPTIMIZE LOCAL TABLES a", "OPTIMIZE LOCAL TABLES b"));
}

TEST(TableParts, OfAnalyzeHaveEachItsOwnOptions) {
  EXPECT_THAT(
      statements("ANALYZE TABLE a PERSISTENT FOR COLUMNS (x, y) INDEXES (), b"),
      ElementsAre("ANALYZE TABLE a PERSISTENT FOR COLUMNS (x, y) INDEXES ()", "ANALYZE TABLE b"));
}

TEST(TableParts, AreNoneOfOneTableOfOneNamedTwiceAndOfOtherStatements) {
  EXPECT_THAT(statements("CHECK TABLE t1"), IsEmpty());
  EXPECT_THAT(statements("CHECK TABLE t1, t1"), IsEmpty());
  EXPECT_THAT(statements("CHECK TABLE"), IsEmpty());
  EXPECT_THAT(statements("CHECK TABLE t1,"), IsEmpty());
  EXPECT_THAT(statements("DROP TABLE t1, t2"), IsEmpty());
}

TEST(ReadAndWrite, KeepsWhatIsReadAndWritesItFromThere) {
  const auto both = read_and_write("insert into t2 (a, b) select a, 'select' from t1 order by a");
  ASSERT_EQ(both.size(), 3u);
  EXPECT_EQ(both[0].text, "CREATE TEMPORARY TABLE esox_read select a, 'select' from t1 order by a");
  EXPECT_EQ(both[1].text, "insert into t2 (a, b) SELECT * FROM esox_read");
  EXPECT_EQ(both[2].text, "DROP TEMPORARY TABLE esox_read");
}

TEST(ReadAndWrite, IsNothingThatDoesMoreOrLess) {
  for (const char* text :
       {"INSERT INTO t VALUES (1)", "INSERT INTO t VALUES ((SELECT 1))",
        "INSERT INTO t SELECT a FROM u ON DUPLICATE KEY UPDATE a = 1",
        "INSERT INTO t SELECT a FROM u RETURNING a", "INSERT DELAYED INTO t SELECT a FROM u",
        "INSERT INTO t SELECT @a := a FROM u", "SELECT a FROM t", "CREATE TABLE t SELECT 1"}) {
    EXPECT_THAT(read_and_write(text), IsEmpty()) << text;
  }
}

TEST(CallsSeveralStatements, OfAProcedureThatHasThem) {
  const std::vector<std::string> setup = {
      "CREATE PROCEDURE two() BEGIN INSERT INTO t VALUES (1); INSERT INTO u VALUES (2); END",
      "CREATE PROCEDURE one() INSERT INTO t VALUES (1)",
      "CREATE PROCEDURE test.declares() BEGIN DECLARE x INT; INSERT INTO t VALUES (1); END",
      "CREATE PROCEDURE IF NOT EXISTS loops() FOR i IN 1..2 DO INSERT INTO t VALUES (i); END FOR",
      "CREATE PROCEDURE holds() BEGIN START TRANSACTION; DELETE FROM t; DELETE FROM u; COMMIT; END",
  };
  EXPECT_TRUE(calls_several_statements("call two()", setup));
  EXPECT_TRUE(calls_several_statements("CALL test.TWO", setup));
  EXPECT_TRUE(calls_several_statements("CALL loops()", setup));
  EXPECT_FALSE(calls_several_statements("CALL one()", setup));
  EXPECT_FALSE(calls_several_statements("CALL declares()", setup));
  EXPECT_FALSE(calls_several_statements("CALL holds()", setup));
  EXPECT_FALSE(calls_several_statements("CALL unknown()", setup));
  EXPECT_FALSE(calls_several_statements("SELECT two()", setup));
}

}  // namespace
}  // namespace esox
