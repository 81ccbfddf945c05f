// SPDX-License-Identifier: Apache-2.0
// The lexer's cases: what looks like a keyword of the statement and is not, and the reverse.
#include "targets/sql/statement.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>
#include <string>

namespace esox {
namespace {

TEST(OrdersRows, TopLevelOrderBy) {
  for (const char* text : {
           "SELECT a FROM t1 ORDER BY a",
           "select a from t1\norder\n\tby a desc limit 3",
           "SELECT a FROM t1 ORDER /* really */ BY a",
           "SELECT a FROM t1 ORDER -- really\n BY a",
           "(SELECT a FROM t1 ORDER BY a)",
           "((SELECT a FROM t1 ORDER BY a))",
           "(SELECT a FROM t1) UNION (SELECT a FROM t2) ORDER BY 1",
           "WITH x AS (SELECT a FROM t1) SELECT * FROM x ORDER BY a",
           "SELECT ')' FROM t1 ORDER BY a",
           "SELECT '(' FROM t1 ORDER BY a",
           "SELECT 'it''s \\' (' FROM t1 ORDER BY a",
           "SELECT a FROM t1 /*! ORDER BY a */",
           "SELECT a FROM t1 /*!50000 ORDER BY a */",
           "/* first */ SELECT a FROM t1 ORDER BY a;",
       }) {
    EXPECT_TRUE(orders_rows(text)) << text;
  }
}

TEST(OrdersRows, NotWithoutTopLevelOrderBy) {
  for (const char* text : {
           "",
           ";",
           "SELECT a FROM t1",
           "SELECT 'x ORDER BY a' FROM t1",
           "SELECT \"x ORDER BY a\" FROM t1",
           "SELECT `ORDER BY` FROM t1",
           "SELECT a FROM t1 -- ORDER BY a",
           "SELECT a FROM t1 # ORDER BY a",
           "SELECT a FROM t1 /* ORDER BY a */",
           "SELECT GROUP_CONCAT(a ORDER BY a) FROM t1",
           "SELECT a, RANK() OVER (ORDER BY a) FROM t1",
           "SELECT a FROM (SELECT a FROM t1 ORDER BY a) x",
           "(SELECT a FROM t1 ORDER BY a) UNION (SELECT a FROM t2 ORDER BY a)",
           "SELECT a FROM t1 ORDER BY NULL",
           "SELECT t1.order, t1.by FROM t1",
           "INSERT INTO t2 SELECT a FROM t1 ORDER BY a",
           "DELETE FROM t1 ORDER BY a LIMIT 1",
           "SELECT a FROM t1; SELECT a FROM t1 ORDER BY a",
           "SELECT a FROM t1 ORDER",
           "SELECT a FROM t1 ORDER BY",
       }) {
    EXPECT_FALSE(orders_rows(text)) << text;
  }
}

TEST(OrdersRows, TwoDashesWithoutBlankAreArithmetic) {
  EXPECT_TRUE(orders_rows("SELECT 1--1 FROM t1 ORDER BY a"));
  EXPECT_FALSE(orders_rows("SELECT 1 -- 1 FROM t1 ORDER BY a"));
}

TEST(StatementKind, VerbAndNoun) {
  const std::pair<const char*, const char*> cases[] = {
      {"SELECT 1", "SELECT"},
      {"(SELECT 1)", "SELECT"},
      {"insert into t1 values (1)", "INSERT"},
      {"CREATE TABLE t2 LIKE t1", "CREATE TABLE"},
      {"CREATE OR REPLACE TEMPORARY TABLE t1 (a INT)", "CREATE TABLE"},
      {"CREATE UNIQUE INDEX i ON t1 (a)", "CREATE INDEX"},
      {"CREATE ALGORITHM=MERGE VIEW v1 AS SELECT 1", "CREATE VIEW"},
      {"CREATE OR REPLACE DEFINER=`x`@`y` PROCEDURE p() SELECT 1", "CREATE PROCEDURE"},
      {"DROP VIEW v1", "DROP VIEW"},
      {"ALTER ONLINE TABLE t1 ADD b INT", "ALTER TABLE"},
      {"RENAME TABLE t1 TO t2", "RENAME TABLE"},
      {"OPTIMIZE LOCAL TABLE t1", "OPTIMIZE TABLE"},
      {"FLUSH TABLES t1", "FLUSH TABLE"},
      {"SHOW FULL TABLES", "SHOW TABLES"},
      {"SHOW TABLE STATUS", "SHOW TABLE"},
      {"/* c */ -- d\n TRUNCATE TABLE t1", "TRUNCATE TABLE"},
      {"/*!40000 DROP TABLE t1 */", "DROP TABLE"},
  };
  for (const auto& [text, kind] : cases) EXPECT_EQ(statement_kind(text), kind) << text;
}

TEST(StatementKind, EmptyWithoutAStatement) {
  for (const char* text : {"", "  \n", ";", ";;", "-- c", "# c", "/* c */", "/* not closed"}) {
    EXPECT_EQ(statement_kind(text), "") << text;
  }
}

TEST(Statement, TellsOfTheRequestBeforeIt) {
  for (const char* text : {"SHOW WARNINGS", "show count(*) errors", "SELECT ROW_COUNT()",
                           "SELECT FOUND_ROWS() AS n", "GET DIAGNOSTICS @n = NUMBER"}) {
    EXPECT_TRUE(tells_of_last_request(text)) << text;
  }
  for (const char* text : {"SELECT row_count FROM t", "SHOW TABLES", "SELECT t.row_count FROM t",
                           "SELECT 'SHOW WARNINGS'", "INSERT INTO warnings VALUES (1)", ""}) {
    EXPECT_FALSE(tells_of_last_request(text)) << text;
  }
}

TEST(ViewSteps, FollowFromTheStatement) {
  const auto use = [](std::string_view text) { return view_step(text).use; };
  EXPECT_EQ(use("START TRANSACTION WITH CONSISTENT SNAPSHOT"), ViewUse::kTakesView);
  for (const char* text : {"BEGIN", "START TRANSACTION", "COMMIT AND CHAIN", "SAVEPOINT a"}) {
    EXPECT_EQ(use(text), ViewUse::kNone) << text;
  }
  EXPECT_EQ(use("ROLLBACK"), ViewUse::kAbandons);
  EXPECT_EQ(use("ROLLBACK TO a"), ViewUse::kAbandonsPart);
  for (const char* text : {"INSERT INTO t SELECT 1", "UPDATE t SET a=1", "REPLACE t VALUES (1)"}) {
    EXPECT_EQ(use(text), ViewUse::kWrites) << text;
  }
  for (const char* text : {"ALTER TABLE t ADD b INT", "LOCK TABLES t READ", "ANALYZE TABLE t"}) {
    EXPECT_EQ(use(text), ViewUse::kDefines) << text;
  }
  for (const char* text : {"CALL p()", "SET sql_log_bin=0", "XA START 'x'", "HANDLER t OPEN",
                           "INSERT INTO t VALUES (@a)", "CREATE TEMPORARY TABLE t (a INT)"}) {
    EXPECT_EQ(use(text), ViewUse::kUnknown) << text;
  }
}

TEST(ViewSteps, SayWhyAReplyDoesNotFollowFromRows) {
  const auto judged = [](std::string_view text) {
    const ViewStep step = view_step(text);
    return step.use == ViewUse::kReads && step.unjudged.empty();
  };
  for (const char* text :
       {"SELECT * FROM t", "SELECT COUNT(DISTINCT a), SUM(b) FROM t WHERE c IN (1,2)",
        "SELECT a FROM t FORCE INDEX (b) JOIN u USING (c) WHERE EXISTS (SELECT 1 FROM v)",
        "SELECT IF(a > 1, CONCAT(a, 'x'), COALESCE(b, 0)) FROM (SELECT a, b FROM t) d"}) {
    EXPECT_TRUE(judged(text)) << text << ": " << view_step(text).unjudged;
  }
  for (const char* text :
       {"SELECT a FROM t FOR UPDATE SKIP LOCKED", "SELECT a FROM t JOIN u FOR UPDATE OF u",
        "SELECT a FROM t WHERE a IN (SELECT b FROM u) FOR UPDATE",
        "SELECT a FROM t UNION SELECT a FROM u LOCK IN SHARE MODE", "SELECT @a FROM t",
        "SELECT a FROM t LIMIT 1", "SELECT a INTO @b FROM t", "SELECT RAND() FROM t", "SELECT 1",
        "SELECT CURRENT_TIMESTAMP FROM t", "SELECT f(a) FROM t", "SELECT `f`(a) FROM t",
        "SELECT GROUP_CONCAT(a) FROM t", "SELECT ROW_NUMBER() OVER (ORDER BY a) FROM t",
        "SELECT TABLE_NAME FROM information_schema.TABLES", "SELECT LAST_INSERT_ID() FROM t"}) {
    EXPECT_FALSE(judged(text)) << text;
    EXPECT_FALSE(view_step(text).unjudged.empty()) << text;
  }
}

TEST(ViewSteps, OfWhatLocksTellWhetherEachRowStandsForItself) {
  const auto told = [](std::string_view text) {
    const ViewStep step = view_step(text);
    EXPECT_EQ(step.unjudged, "") << text;
    return fmt::format("{}{}", step.locks ? "locks" : "", step.by_rows ? " by rows" : "");
  };
  for (const char* text :
       {"SELECT a FROM t WHERE b > 3 FOR UPDATE", "SELECT a, b FROM t LOCK IN SHARE MODE",
        "SELECT a FROM t FORCE INDEX (b,c) ORDER BY a FOR UPDATE NOWAIT"}) {
    EXPECT_EQ(told(text), "locks by rows") << text;
  }
  for (const char* text :
       {"SELECT a FROM t, u FOR UPDATE", "SELECT a FROM (t, u) FOR UPDATE",
        "SELECT COUNT(*) FROM t FOR UPDATE", "SELECT DISTINCT a FROM t FOR UPDATE",
        "SELECT t.a FROM t JOIN u USING (a) FOR UPDATE", "UPDATE t SET a=1 WHERE b=2",
        "DELETE FROM t", "INSERT INTO t SELECT a FROM u"}) {
    EXPECT_EQ(told(text), "locks") << text;
  }
  EXPECT_EQ(told("INSERT INTO t VALUES (1)"), "");
  for (const char* text : {"UPDATE IGNORE t SET a=1", "DELETE FROM t LIMIT 1",
                           "UPDATE t SET a=RAND()", "UPDATE t JOIN u USING (b) SET t.a=u.a",
                           "UPDATE t, u SET t.a=u.a", "REPLACE INTO t SELECT a FROM u",
                           "INSERT INTO t SELECT 1 FROM u ON DUPLICATE KEY UPDATE a=2"}) {
    EXPECT_NE(view_step(text).unjudged, "") << text;
  }
}

TEST(ListSteps, FollowFromTheStatement) {
  const auto use = [](std::string_view text) { return list_step(text).use; };
  EXPECT_EQ(list_step("UPDATE t SET l=CONCAT(l,',17') WHERE u=1").element, 17u);
  EXPECT_EQ(use("update t force index (u) set l = concat(l, ',1') where u=1"), ListUse::kAppends);
  EXPECT_EQ(use("INSERT INTO t VALUES (9,'k') ON DUPLICATE KEY UPDATE l=CONCAT(l,',3')"),
            ListUse::kUnknown);
  EXPECT_EQ(use("SELECT l FROM t WHERE id=1 UNION SELECT l FROM t WHERE id=2 FOR UPDATE"),
            ListUse::kUnknown);
  EXPECT_EQ(use("SELECT l FROM t WHERE id=1"), ListUse::kReads);
  for (const char* lock : {" FOR UPDATE", " FOR SHARE", " LOCK IN SHARE MODE"}) {
    EXPECT_EQ(use(std::string("SELECT l FROM t") + lock), ListUse::kReadsCurrent) << lock;
  }
  EXPECT_EQ(use("START TRANSACTION WITH CONSISTENT SNAPSHOT"), ListUse::kTakesSnapshot);
  EXPECT_EQ(use("ROLLBACK"), ListUse::kAbandons);
  EXPECT_EQ(use("ROLLBACK TO SAVEPOINT s"), ListUse::kAbandonsPart);
  for (const char* beside :
       {"BEGIN", "COMMIT AND CHAIN", "SAVEPOINT s", "ALTER TABLE t ADD KEY (l)", "OPTIMIZE TABLE t",
        "START TRANSACTION", "XA START 'x'", "XA COMMIT 'x'"}) {
    EXPECT_EQ(use(beside), ListUse::kNone) << beside;
  }
  EXPECT_EQ(use("XA PREPARE 'x'"), ListUse::kLetsGo);
  EXPECT_EQ(use("XA ROLLBACK 'x'"), ListUse::kAbandons);
  for (const char* more : {"UPDATE t SET l='a'",
                           "UPDATE t SET l='a=1', m='b=2'",
                           "UPDATE t SET l='a=x'",
                           "INSERT INTO t VALUES (1,'a'),(2,'a')",
                           "INSERT INTO t (s,id) VALUES (1,'a')",
                           "DELETE FROM t WHERE id>3",
                           "DELETE FROM t WHERE id=3 OR id=4",
                           "UPDATE t SET l=CONCAT(l,',1'), m=CONCAT(m,',2')",
                           "DELETE FROM t",
                           "UPDATE t SET l=CONCAT(',1',l)",
                           "UPDATE t SET l=CONCAT(l,',x')",
                           "INSERT INTO t VALUES (1)",
                           "UPDATE t SET l=CONCAT(l,',99999999999999999999')",
                           "SET @a=1",
                           "BEGIN NOT ATOMIC END",
                           "UPDATE t SET l=CONCAT(l,',1,2')",
                           "UPDATE t SET l=CONCAT(m,',1')",
                           "SELECT LEFT(l, 3) FROM t",
                           "SELECT 'a,1' FROM t",
                           "SELECT 1",
                           "UPDATE t SET l=CONCAT(l,'",
                           ""}) {
    EXPECT_EQ(use(more), ListUse::kUnknown) << more;
  }
}

TEST(ListSteps, TellRegistersAndRows) {
  const ListStep write = list_step("update t force index (u) set l = 'a=17' where u = 1");
  EXPECT_EQ(write.use, ListUse::kWrites);
  EXPECT_EQ(write.name, "a");
  EXPECT_EQ(write.element, 17u);
  const auto row = [](std::string_view text) {
    const ListStep step = list_step(text);
    EXPECT_EQ(step.use, ListUse::kChangesRow) << text;
    return fmt::format("{} {} {}", step.table, step.element, step.name);
  };
  EXPECT_EQ(row("INSERT INTO t VALUES (7,'a')"), "t 7 a");
  EXPECT_EQ(row("insert into t (id, s) values (7, 'a')"), "t 7 a");
  EXPECT_EQ(row("UPDATE t SET s='b' WHERE id=7"), "t 7 b");
  EXPECT_EQ(row("DELETE FROM t WHERE id=7"), "t 7 ");
  using Sets = std::vector<std::string>;
  const auto sets = [](std::string_view text) {
    const ListStep step = list_step(text);
    return step.table == "t" ? step.sets : Sets{"?"};
  };
  EXPECT_EQ(sets("SELECT id, s FROM t"), Sets{});
  EXPECT_EQ(sets("SELECT id, s FROM t FORCE INDEX (k) WHERE s='a' ORDER BY id FOR UPDATE"),
            Sets{"a"});
  EXPECT_EQ(sets("SELECT id,s FROM t WHERE s IN ('a', 'b') LOCK IN SHARE MODE"), (Sets{"a", "b"}));
  for (const char* other :
       {"SELECT id, s FROM t WHERE s='a' AND id>3", "SELECT s, id FROM t", "SELECT id, s FROM t, u",
        "SELECT id, s FROM t WHERE s<'b'", "SELECT id, s FROM t WHERE s='a' FOR UPDATE SKIP LOCKED",
        "SELECT id, s FROM t LIMIT 1", "SELECT id, s FROM t WHERE s='a' OFFSET 1"}) {
    EXPECT_EQ(sets(other), Sets{"?"}) << other;
  }
}

TEST(SessionEffect, TellsWhatOnlyTheSessionKnows) {
  for (const char* text : {"SELECT a FROM t1", "INSERT INTO t1 VALUES ('@x')", "DROP TABLE t1",
                           "SELECT `last_insert_id` FROM t1", "CREATE TABLE t1 (a INT)"}) {
    EXPECT_EQ(session_effect(text), SessionEffect::kNone) << text;
  }
  for (const char* text : {"BEGIN", "START TRANSACTION WITH CONSISTENT SNAPSHOT"}) {
    EXPECT_EQ(session_effect(text), SessionEffect::kOpens) << text;
  }
  for (const char* text : {"commit", "ROLLBACK"}) {
    EXPECT_EQ(session_effect(text), SessionEffect::kCloses) << text;
  }
  for (const char* text :
       {"SET @a = 1", "SET autocommit = 0", "SELECT a INTO @x FROM t1", "LOCK TABLES t1 READ",
        "CREATE TEMPORARY TABLE t2 (a INT)", "SELECT LAST_INSERT_ID()", "SELECT GET_LOCK('a', 1)",
        "PREPARE s FROM 'SELECT 1'", "SHOW WARNINGS", "ROLLBACK TO SAVEPOINT a", "ROLLBACK TO a",
        "FLUSH TABLES WITH READ LOCK", "FLUSH TABLES t1 FOR EXPORT", "CALL p()", "XA BEGIN 'x'",
        "HANDLER t1 OPEN"}) {
    EXPECT_EQ(session_effect(text), SessionEffect::kLasting) << text;
  }
}

TEST(TrimStatement, KeepsEverythingButTheEnds) {
  EXPECT_EQ(trim_statement("  SELECT ' ; ' ;\n ; "), "SELECT ' ; '");
  EXPECT_EQ(trim_statement(" ;"), "");
}

// Any bytes: no crash, no endless loop; run under the sanitizers too.
TEST(Statement, AnyBytesAreRead) {
  std::mt19937 random(7);
  const std::string alphabet = "aO '\"`()/*!-#;\\@.\n5\x80\xff";
  for (int i = 0; i < 20000; ++i) {
    std::string text = i % 2 ? "SELECT a FROM t1 ORDER BY " : "";
    for (size_t n = random() % 30; n > 0; --n) text += alphabet[random() % alphabet.size()];
    statement_kind(text);
    orders_rows(text);
    made_table(text);
    names_in(text);
  }
}

TEST(Statement, NamesTheTableThatItMakes) {
  EXPECT_EQ(made_table("CREATE TABLE t1 (a INT)"), "t1");
  EXPECT_EQ(made_table("create table if not exists T2 (a INT)"), "t2");
  for (const char* text : {"CREATE TABLE db.t1 (a INT)", "CREATE TABLE `t 1` (a INT)",
                           "CREATE VIEW v AS SELECT 1", "SELECT 1", ""}) {
    EXPECT_EQ(made_table(text), "") << text;
  }
}

TEST(Statement, UseChoosesWhatOnlyItsSessionSees) {
  EXPECT_EQ(session_effect("USE test"), SessionEffect::kChooses);
  EXPECT_EQ(session_effect("SET @a=1"), SessionEffect::kLasting);
}

TEST(Statement, ASettingOfTheSessionAloneLeavesTheServerAtRest) {
  for (const char* text : {"SET sql_mode=''", "set @a=1", "SET SESSION join_buffer_size = 5",
                           "SET NAMES utf8", "SET @@session.x='GLOBAL'"}) {
    EXPECT_TRUE(is_mere_session_setting(text)) << text;
  }
  for (const char* text : {"SET GLOBAL x=1", "SET @@global.x=1", "set autocommit=1", "SET ROLE r",
                           "SET PASSWORD = 'x'", "SET @a=f()", "SET @a=(SELECT 1)",
                           "SET STATEMENT x=1 FOR INSERT INTO t VALUES (1)",
                           "INSERT INTO t SET a=1", "SET DEFAULT ROLE r", ""}) {
    EXPECT_FALSE(is_mere_session_setting(text)) << text;
  }
}

TEST(Statement, OfASessionsSetupsThoseLeaveItsViewsAloneThatAreKnownTo) {
  for (const char* text :
       {"USE test", "SET SESSION innodb_strict_mode=ON", "SET sql_mode=''", "SET NAMES utf8mb4",
        "SET foreign_key_checks=0, unique_checks=0;", "set @@innodb_table_locks=1"}) {
    EXPECT_TRUE(leaves_views_alone(text, false)) << text;
  }
  for (const char* text :
       {"SET sql_log_bin=0", "SET SESSION binlog_format=STATEMENT", "SET sql_select_limit=1",
        "SET sql_mode='ANSI_QUOTES'", "SET sql_mode=4", "SET sql_mode=oracle", "SET autocommit=0",
        "SET sql_auto_is_null=1", "SET GLOBAL innodb_strict_mode=ON", "BEGIN", "SELECT 1",
        "SET @a=(SELECT MAX(a) FROM t)", "SET @a=1", "LOCK TABLES t WRITE",
        "USE information_schema", "USE `mysql`",
        "USE test; SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED",
        "SET foreign_key_checks=0, sql_log_bin=0", "SET NAMES utf8, sql_log_bin=0"}) {
    EXPECT_FALSE(leaves_views_alone(text, true)) << text;
  }
  for (const char* text :
       {"SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED", "set tx_isolation='SERIALIZABLE'",
        "SET SESSION tx_isolation='REPEATABLE-READ', innodb_snapshot_isolation=ON"}) {
    EXPECT_TRUE(leaves_views_alone(text, true)) << text;
    EXPECT_FALSE(leaves_views_alone(text, false)) << text;
  }
}

TEST(Statement, BeginsAndMarksAreThoseThatDoNoMore) {
  for (const char* text : {"BEGIN", "begin work;", "START TRANSACTION",
                           "START TRANSACTION READ ONLY", "SAVEPOINT s", "RELEASE SAVEPOINT s"}) {
    EXPECT_TRUE(only_begins_or_marks(text)) << text;
  }
  for (const char* text : {"START TRANSACTION WITH CONSISTENT SNAPSHOT", "BEGIN; SELECT v FROM t",
                           "BEGIN UPDATE t SET v=1; END", "BEGIN NOT ATOMIC SELECT 1; END",
                           "COMMIT", "ROLLBACK TO s", "COMMIT AND CHAIN", "SELECT 1"}) {
    EXPECT_FALSE(only_begins_or_marks(text)) << text;
  }
}

}  // namespace
}  // namespace esox
