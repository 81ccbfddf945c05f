// SPDX-License-Identifier: Apache-2.0
// The answers that generic code gets about SQL, as MariaDB gives them.
#include "targets/sql/language.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "targets/mariadb/language.h"

namespace esox {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const RequestLanguage& sql() {
  return mariadb_language();
}

TEST(SqlLanguage, KnowsWhichKindsOfStatementsThereAre) {
  EXPECT_EQ(sql().kind_complaint("CREATE TABLE"), "");
  EXPECT_THAT(sql().kind_complaint("create table"), HasSubstr("write 'CREATE TABLE'"));
  EXPECT_THAT(sql().kind_complaint("SELEKT"), HasSubstr("did you mean SELECT?"));
  EXPECT_NE(sql().kind_complaint(""), "");
}

TEST(SqlLanguage, SplitsWhatTheServerExecutesAsSeveral) {
  const auto tables = sql().parts("CHECK TABLE t1, db.t2 QUICK", "tables");
  ASSERT_EQ(tables.size(), 2u);
  EXPECT_EQ(tables[1].text, "CHECK TABLE db.t2 QUICK");
  EXPECT_EQ(tables[1].subject, "db.t2");
  EXPECT_FALSE(tables[1].silent);
  const auto steps = sql().parts("INSERT INTO t2 SELECT a FROM t1", "read-then-write");
  ASSERT_EQ(steps.size(), 3u);
  EXPECT_TRUE(steps[0].reads && steps[0].silent);
  EXPECT_TRUE(!steps[1].reads && !steps[1].silent);
  EXPECT_TRUE(!steps[2].reads && steps[2].silent);
  EXPECT_THAT(sql().parts("CHECK TABLE t1, t2", "read-then-write"), IsEmpty());
  EXPECT_THAT(sql().parts("INSERT INTO t2 SELECT a FROM t1", "tables"), IsEmpty());
}

TEST(SqlLanguage, ACallOfSeveralStatementsIsNoOneStep) {
  const std::vector<std::string> setup = {
      "CREATE PROCEDURE p() BEGIN INSERT INTO t VALUES (1); DELETE FROM t; END"};
  EXPECT_FALSE(sql().is_one_step("CALL p()", setup));
  EXPECT_TRUE(sql().is_one_step("CALL q()", setup));
  EXPECT_TRUE(sql().is_one_step("DELETE FROM t", setup));
  EXPECT_TRUE(sql().is_one_step("SELECT a FROM t FOR UPDATE", setup));
  EXPECT_FALSE(sql().is_one_step("SELECT a FROM t FOR UPDATE SKIP LOCKED", setup));
}

TEST(SqlLanguage, NorAreSeveralNumbersOfASequence) {
  const std::vector<std::string> setup = {
      "CREATE TABLE t (a INT DEFAULT NEXTVAL(s) PRIMARY KEY, b INT)"};
  EXPECT_FALSE(sql().is_one_step("INSERT INTO t () VALUES (), ()", setup));
  EXPECT_FALSE(sql().is_one_step("INSERT INTO t (b) SELECT b FROM u", setup));
  EXPECT_FALSE(sql().is_one_step("REPLACE u VALUES (NEXT VALUE FOR s), (NEXT VALUE FOR s)", {}));
  EXPECT_TRUE(sql().is_one_step("INSERT INTO t (b) VALUES ((1) + (2))", setup));
  EXPECT_TRUE(sql().is_one_step("INSERT INTO u (b) VALUES (1), (2)", {}));
  EXPECT_TRUE(sql().is_one_step("SELECT NEXTVAL(s), NEXTVAL(s)", {}));
}

TEST(SqlLanguage, NorAreSeveralUserLocks) {
  EXPECT_FALSE(sql().is_one_step("SELECT IS_FREE_LOCK('l'), GET_LOCK('l', 0)", {}));
  EXPECT_FALSE(sql().is_one_step("DO RELEASE_LOCK('a'), RELEASE_ALL_LOCKS()", {}));
  EXPECT_TRUE(sql().is_one_step("SELECT GET_LOCK('l', 0), 'GET_LOCK'", {}));
}

// Under REPEATABLE READ the first SELECT is of the view, the second one of what is committed now.
TEST(SqlLanguage, NorIsASelectOfWhichOnlyAPartLocks) {
  EXPECT_FALSE(sql().is_one_step("SELECT a FROM t UNION SELECT a FROM u FOR UPDATE", {}));
  EXPECT_FALSE(
      sql().is_one_step("SELECT a FROM t WHERE a IN (SELECT a FROM u) LOCK IN SHARE MODE", {}));
  EXPECT_TRUE(sql().is_one_step("SELECT a FROM t FOR UPDATE", {}));
  EXPECT_TRUE(sql().is_one_step("SELECT a FROM t UNION SELECT a FROM u", {}));
  EXPECT_TRUE(
      sql().is_one_step("(SELECT a FROM t FOR UPDATE) UNION (SELECT a FROM u FOR SHARE)", {}));
}

TEST(SqlLanguage, NorIsABlock) {
  EXPECT_FALSE(sql().is_one_step("begin not atomic DELETE FROM t; SELECT a FROM t; END", {}));
  EXPECT_FALSE(sql().is_one_step("WHILE @a > 0 DO SET @a = @a - 1; DELETE FROM t; END WHILE", {}));
  EXPECT_TRUE(sql().is_one_step("BEGIN NOT ATOMIC DECLARE a INT; DELETE FROM t; END", {}));
  EXPECT_TRUE(sql().is_one_step("BEGIN", {}));
  EXPECT_TRUE(sql().is_one_step("BEGIN WORK", {}));
  EXPECT_EQ(sql().session_effect("BEGIN NOT ATOMIC DELETE FROM t; END"), SessionEffect::kLasting);
  EXPECT_FALSE(sql().ends_transaction_first("BEGIN NOT ATOMIC DELETE FROM t; END"));
  EXPECT_TRUE(sql().ends_transaction_first("BEGIN"));
}

TEST(SqlLanguage, KnowsWhatCommitsFirst) {
  for (const char* text :
       {"CREATE TABLE t2 (a INT)", "drop view v1", "TRUNCATE t1", "LOCK TABLES t1 READ",
        "START TRANSACTION", "FLUSH TABLES", "GRANT SELECT ON t1 TO u"}) {
    EXPECT_TRUE(sql().ends_transaction_first(text)) << text;
  }
  for (const char* text : {"SELECT 1", "DROP TEMPORARY TABLE t2", "INSERT INTO t1 VALUES ('DROP')",
                           "COMMIT", "SAVEPOINT s1", "SET @a = 1", ""}) {
    EXPECT_FALSE(sql().ends_transaction_first(text)) << text;
  }
}

TEST(SqlLanguage, TellsWhatReachesBeyondTablesAndWhatEndsTheServer) {
  EXPECT_TRUE(sql().changes_more_than_state("SET GLOBAL x=1"));
  EXPECT_TRUE(sql().changes_more_than_state("CREATE PROCEDURE p() GRANT ALL ON *.* TO u"));
  EXPECT_FALSE(sql().changes_more_than_state("INSERT INTO t VALUES ('GLOBAL')"));
  EXPECT_TRUE(sql().ends_server("shutdown"));
  EXPECT_FALSE(sql().ends_server("SELECT 'SHUTDOWN'"));
}

TEST(SqlLanguage, NamesWhatASetupMakes) {
  EXPECT_THAT(sql().names_made("CREATE TABLE T1 (a INT)"), ElementsAre("t1"));
  EXPECT_THAT(sql().names_made("INSERT INTO t1 VALUES (1)"), IsEmpty());
}

}  // namespace
}  // namespace esox
