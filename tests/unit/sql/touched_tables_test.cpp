// SPDX-License-Identifier: Apache-2.0
// Which tables an input's statements can touch.
#include "targets/sql/touched_tables.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace esox {
namespace {

using Statements = std::vector<std::string>;

Input input(Statements setup, const Statements& requests) {
  Input one;
  one.setup = std::move(setup);
  one.clients = {InputClient{"A", {}, {}}};
  for (const std::string& text : requests) one.clients[0].requests.push_back({text, false});
  return one;
}

const Statements kTwo = {"CREATE TABLE t1 (a INT)", "CREATE TABLE t2 (a INT)"};

Statements two_and(const std::string& statement) {
  Statements all = kTwo;
  all.push_back(statement);
  return all;
}

TEST(TouchedTables, AreThoseThatARequestNames) {
  const TouchedTables touched(input(kTwo, {"INSERT INTO t1 VALUES (1)"}));
  EXPECT_TRUE(touched.has("t1"));
  EXPECT_TRUE(touched.has("T1"));  // cautious: the server may not tell them apart
  EXPECT_FALSE(touched.has("t2"));
}

TEST(TouchedTables, AreNamedWithinQuotesAndCommentsToo) {
  for (const char* text : {"SELECT a FROM `t2`", "SELECT a FROM test.t2", "SELECT 't2'",
                           "SELECT 1 /*! FROM t2 */", "INSERT INTO t1 SELECT * FROM t2"}) {
    EXPECT_TRUE(TouchedTables(input(kTwo, {text})).has("t2")) << text;
  }
  EXPECT_FALSE(TouchedTables(input(kTwo, {"SELECT a FROM t22"})).has("t2"));
}

TEST(TouchedTables, AreThoseOfASessionsSetupAndOfTheObservations) {
  Input one = input(kTwo, {"SELECT 1"});
  EXPECT_FALSE(TouchedTables(one).has("t2"));
  one.clients[0].setup = {"LOCK TABLES t2 READ"};
  EXPECT_TRUE(TouchedTables(one).has("t2"));
  one.clients[0].setup.clear();
  one.observations = {"SELECT COUNT(*) FROM t2"};
  EXPECT_TRUE(TouchedTables(one).has("t2"));
}

TEST(TouchedTables, StayWhereNoRequestDefinesOne) {
  for (const char* text : {"INSERT INTO t1 SELECT * FROM t2", "SELECT a FROM t1", "CHECK TABLE t1",
                           "LOCK TABLES t1 WRITE", "SET SESSION sql_mode=''", "BEGIN"}) {
    EXPECT_FALSE(TouchedTables(input(kTwo, {text})).may_come_or_go()) << text;
  }
  for (const char* text :
       {"CREATE TABLE t3 (a INT)", "DROP TABLE t1", "RENAME TABLE t1 TO t3",
        "CREATE VIEW v AS SELECT 1", "ALTER TABLE t1 RENAME t3", "TRUNCATE t1", "CALL p()",
        "EXECUTE s", "IMPORT TABLE FROM 't3.sdi'", "INSERT INTO t1 VALUES (1); DROP TABLE t2",
        "/*!50001 DROP TABLE t1 */", "FROBNICATE t1", "SET GLOBAL event_scheduler=ON"}) {
    EXPECT_TRUE(TouchedTables(input(kTwo, {text})).may_come_or_go()) << text;
  }
}

TEST(TouchedTables, MayComeAndGoByAnEventOfTheSetup) {
  const std::string event = "CREATE EVENT e ON SCHEDULE EVERY 1 SECOND DO DROP TABLE t2";
  EXPECT_TRUE(TouchedTables(input(two_and(event), {"SELECT a FROM t1"})).may_come_or_go());
}

TEST(TouchedTables, AreThoseTiedToOthers) {
  for (const char* tie : {"CREATE VIEW v AS SELECT * FROM t2",
                          "CREATE TRIGGER r AFTER INSERT ON t1 FOR EACH ROW "
                          "INSERT INTO t2 VALUES (1)",
                          "CREATE FUNCTION f() RETURNS INT RETURN (SELECT MAX(a) FROM t2)",
                          "CREATE TABLE t3 (a INT, FOREIGN KEY (a) REFERENCES t2 (a))",
                          "CREATE TABLE m (a INT) ENGINE=MERGE UNION=(t1,t2)",
                          "CREATE TABLE c ENGINE=CONNECT TABLE_TYPE=PROXY TABNAME='t2'",
                          "CREATE TABLE c (a INT) ENGINE=SPIDER REMOTE_TABLE=t2",
                          "CREATE /*!50001VIEW*/ v AS SELECT * FROM t2",
                          "CREATE /*!100100VIEW*/ v AS SELECT * FROM /*M!100100t2*/"}) {
    EXPECT_TRUE(TouchedTables(input(two_and(tie), {"INSERT INTO t1 VALUES (1)"})).has("t2")) << tie;
  }
  EXPECT_FALSE(
      TouchedTables(input(two_and("INSERT INTO t2 VALUES (1)"), {"DELETE FROM t1"})).has("t2"));
}

TEST(TouchedTables, AreAllWhereAStatementActsOnWhatItDoesNotName) {
  for (const char* text :
       {"FLUSH TABLES", "SET GLOBAL key_buffer_size=0", "SET @@global.key_buffer_size=0",
        "SET STATEMENT max_statement_time=1 FOR FLUSH TABLES", "SHOW TABLE STATUS", "CALL p()",
        "DROP DATABASE test", "EXECUTE IMMEDIATE CONCAT('DROP TABLE t', 2)", "PREPARE s FROM @x",
        "SELECT * FROM information_schema.TABLES", "XA RECOVER", "RESET QUERY CACHE", "KILL 3",
        "ANALYZE FORMAT=JSON SELECT 1", "nonsense", "/* nothing */"}) {
    EXPECT_TRUE(TouchedTables(input(kTwo, {text})).has("t2")) << text;
  }
  EXPECT_TRUE(TouchedTables(input(two_and("PREPARE s FROM 'SELECT 1'"), {"COMMIT"})).has("t2"));
}

TEST(TouchedTables, AreAllWhereARequestMayBeMoreThanOneStatement) {
  for (const char* text : {"SELECT 1; FLUSH TABLES", "SET @a = 1; FLUSH TABLES",
                           "BEGIN NOT ATOMIC FLUSH TABLES; END", "BEGIN FLUSH TABLES; END"}) {
    EXPECT_TRUE(TouchedTables(input(kTwo, {text})).has("t2")) << text;
  }
}

// MariaDB leaves out what is for MySQL 5.7 and later, and for versions of its own to come.
TEST(TouchedTables, AreAllWhereTheServersVersionDecidesWhatIsDone) {
  for (const char* text :
       {"/*!50701 SELECT */ FLUSH TABLES", "/*M!999999 SELECT */ FLUSH TABLES",
        "SET /*!50000GLOBAL*/ query_cache_size = 0", "DELETE FROM /*!50000t2*/"}) {
    EXPECT_TRUE(TouchedTables(input(kTwo, {text})).has("t2")) << text;
  }
}

TEST(TouchedTables, AreAllWhereABodyActsOnWhatItDoesNotName) {
  for (const char* body :
       {"CREATE TRIGGER r AFTER INSERT ON t1 FOR EACH ROW SET GLOBAL query_cache_size = 0",
        "CREATE FUNCTION f() RETURNS INT BEGIN SET @@global.query_cache_size = 0; RETURN 1; END",
        "CREATE EVENT e ON SCHEDULE EVERY 1 SECOND DO FLUSH TABLES"}) {
    EXPECT_TRUE(TouchedTables(input(two_and(body), {"INSERT INTO t1 VALUES (1)"})).has("t2"))
        << body;
  }
  const char* made = "CREATE TRIGGER r AFTER INSERT ON t1 FOR EACH ROW SET GLOBAL read_only = 0";
  EXPECT_TRUE(TouchedTables(input(kTwo, {made})).has("t2"));
}

TEST(TouchedTables, AreNotAllForAStatementOfASessionsOwn) {
  for (const char* text : {"BEGIN", "START TRANSACTION", "COMMIT", "ROLLBACK", "UNLOCK TABLES",
                           "SET autocommit=0", "SHOW WARNINGS"}) {
    EXPECT_FALSE(TouchedTables(input(kTwo, {text})).has("t2")) << text;
  }
}

// A session of another character set writes other bytes, and the server may know that \xc3\x84 and
// \xc3\xa4 are one letter.
TEST(TouchedTables, OfANameThatIsNoPlainWordAreTouched) {
  for (const char* name : {"a b", "t\xc3\xa4"}) {
    EXPECT_TRUE(TouchedTables(input(kTwo, {"SELECT 1"})).has(name)) << name;
  }
}

}  // namespace
}  // namespace esox
