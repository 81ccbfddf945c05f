// SPDX-License-Identifier: Apache-2.0
// The log of a test's requests, and what is told by it: statements, results, databases, objects.
#include "targets/sql/import/logged_test.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/import/fixtures.h"

namespace esox {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;
using testing_import::log_of;

Access reads(const std::string& object) {
  return {object, AccessMode::kRead};
}
Access writes(const std::string& object) {
  return {object, AccessMode::kWrite};
}

TEST(RequestLog, IsReadAsItWasWritten) {
  const std::string text = "SELECT '\n4 0 3 Query\n\0\xff'";
  const RequestLog log =
      read_request_log(text_of({4, 1146, "Query", text}) + text_of({5, std::nullopt, "Use", ""}));
  ASSERT_EQ(log.requests.size(), 2u);
  EXPECT_EQ(log.requests[0].text, text);
  EXPECT_EQ(log.requests[0].error, 1146u);
  EXPECT_EQ(log.requests[1].session, 5u);
  EXPECT_EQ(log.requests[1].command, "Use");
  EXPECT_FALSE(log.requests[1].error.has_value());
  EXPECT_FALSE(log.cut_off);
}

TEST(RequestLog, TellsWhetherATransactionWasOpenWhereTheServerSaidSo) {
  const RequestLog log =
      read_request_log(text_of({4, 0, "Query", "BEGIN", true}) +
                       text_of({4, 0, "Query", "COMMIT", false}) + "4 0 8 Query\nSELECT 1\n");
  ASSERT_EQ(log.requests.size(), 3u);
  EXPECT_EQ(log.requests[0].in_transaction, std::optional(true));
  EXPECT_EQ(log.requests[1].in_transaction, std::optional(false));
  EXPECT_EQ(log.requests[2].in_transaction, std::nullopt) << "of an older log";
  EXPECT_TRUE(read_request_log("4 0x 8 Query\nSELECT 1\n").cut_off);
}

TEST(RequestLog, EndsWhereItIsDamaged) {
  const RequestLog log = read_request_log("4 0 8 Query\nSELECT 1\n4 0 90 Query\nSELECT 2\n");
  EXPECT_EQ(log.requests.size(), 1u);
  EXPECT_TRUE(log.cut_off);
  EXPECT_TRUE(read_request_log("4 x 8 Query\nSELECT 1\n").cut_off);
}

TEST(LoggedTest, TellsTextResultAndObjects) {
  const LoggedTest test = read_logged_test(
      log_of({{"CREATE TABLE t1 (\n a INT)"}, {"INSERT INTO t1 VALUES ('it''s');", 1062}}));
  ASSERT_EQ(test.statements.size(), 2u);
  EXPECT_EQ(test.statements[0].text, "CREATE TABLE t1 (\n a INT)");
  EXPECT_EQ(test.statements[1].text, "INSERT INTO t1 VALUES ('it''s')");
  EXPECT_TRUE(test.statements[1].matched);
  EXPECT_EQ(test.statements[1].error, 1062u);
  EXPECT_THAT(test.statements[1].accesses,
              ElementsAre(Access{"caches:", AccessMode::kTouch}, writes("table:test.t1")));
  EXPECT_THAT(test.rejected, IsEmpty());
}

TEST(LoggedTest, AStatementThatWasNotAnsweredIsNotMatched) {
  const LoggedTest test =
      read_logged_test(log_of({{"SELECT 1"}}) + text_of({4, std::nullopt, "Query", "SELECT 2"}));
  ASSERT_EQ(test.statements.size(), 2u);
  EXPECT_TRUE(test.statements[0].matched);
  EXPECT_FALSE(test.statements[1].matched);
  EXPECT_EQ(test.rejected.at("a statement that was not answered"), 1u);
}

TEST(LoggedTest, FollowsTheDatabaseOfEachSession) {
  const LoggedTest test = read_logged_test(
      text_of({1, 0, "Login", "a"}) + text_of({2, 0, "Login", "b"}) +
      text_of({1, 0, "Query", "USE `c d`"}) + text_of({1, 1049, "Query", "USE gone"}) +
      text_of({1, 0, "Query", "SELECT 1"}) + text_of({2, 0, "Use", "e"}) +
      text_of({2, 0, "Query", "SELECT 2"}) + text_of({2, 0, "Quit", ""}));
  std::vector<std::string> databases;
  for (const LoggedStatement& one : test.statements) databases.push_back(one.database);
  EXPECT_THAT(databases, ElementsAre("c d", "c d", "c d", "e", "e"));
}

TEST(LoggedTest, WhatIsNoTextIsCounted) {
  const LoggedTest test = read_logged_test(text_of({1, 0, "Execute", ""}));
  EXPECT_EQ(test.rejected.at("a request that is not SQL text (Execute)"), 1u);
}

TEST(LoggedTest, WhatARoutineDoesCountsAsItsCallers) {
  const LoggedTest test = read_logged_test(log_of(
      {{"CREATE TABLE t1 (a INT)"}, {"CREATE PROCEDURE p1() DELETE FROM t1"}, {"CALL p1()"}}));
  EXPECT_THAT(test.statements[2].accesses,
              ElementsAre(Access{"caches:", AccessMode::kTouch}, reads("routine:test.p1"),
                          writes("table:test.t1")));
}

TEST(LoggedTest, AViewIsWhatItIsAtTheTime) {
  const LoggedTest test = read_logged_test(log_of({{"CREATE TABLE t1 (a INT)"},
                                                   {"CREATE TABLE t2 (a INT)"},
                                                   {"CREATE VIEW v1 AS SELECT a FROM t1"},
                                                   {"SELECT a FROM v1"},
                                                   {"DROP VIEW v1"},
                                                   {"CREATE VIEW v1 AS SELECT a FROM t2"},
                                                   {"SELECT a FROM v1"},
                                                   {"CREATE VIEW v1 AS SELECT a FROM t1", 1050},
                                                   {"SELECT a FROM v1"}}));
  EXPECT_THAT(test.statements[3].accesses, Contains(reads("table:test.t1")));
  for (const size_t later : {6, 8}) {
    EXPECT_THAT(test.statements[later].accesses, Contains(reads("table:test.t2")));
    EXPECT_THAT(test.statements[later].accesses, Not(Contains(reads("table:test.t1"))));
  }
}

TEST(LoggedTest, AParentGoesWithoutItsChildAgain) {
  const LoggedTest test =
      read_logged_test(log_of({{"CREATE TABLE p (a INT PRIMARY KEY)"},
                               {"CREATE TABLE c (a INT, FOREIGN KEY (a) REFERENCES p (a))"},
                               {"DELETE FROM p"},
                               {"DROP TABLE c"},
                               {"DELETE FROM p"}}));
  EXPECT_THAT(test.statements[2].accesses, Contains(writes("table:test.c")));
  EXPECT_THAT(test.statements[4].accesses, Not(Contains(writes("table:test.c"))));
}

TEST(LoggedTest, ATableKeepsItsTriggersWithoutAnIndex) {
  const LoggedTest test = read_logged_test(
      log_of({{"CREATE TABLE t1 (a INT, KEY k (a))"},
              {"CREATE TABLE t2 (a INT)"},
              {"CREATE TRIGGER tr AFTER INSERT ON t1 FOR EACH ROW INSERT INTO t2 VALUES (1)"},
              {"DROP INDEX k ON t1"},
              {"INSERT INTO t1 VALUES (1)"}}));
  EXPECT_THAT(test.statements[4].accesses, Contains(writes("table:test.t2")));
}

TEST(LoggedTest, AnExecuteUsesWhatWasPrepared) {
  const LoggedTest test = read_logged_test(log_of({{"CREATE TABLE t1 (a INT)"},
                                                   {"PREPARE s FROM 'DELETE FROM t1'"},
                                                   {"EXECUTE s"},
                                                   {"PREPARE s FROM @later"},
                                                   {"EXECUTE s"}}));
  EXPECT_THAT(test.statements[2].accesses, Contains(writes("table:test.t1")));
  EXPECT_THAT(test.statements[4].accesses, Not(Contains(writes("table:test.t1"))));
}

}  // namespace
}  // namespace esox
