// SPDX-License-Identifier: Apache-2.0
// Schedules as scripts, and scripts as texts for the test program.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "targets/mariadb/sync/test_text.h"
#include "targets/mariadb/sync/undoing.h"

namespace esox {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using Until = SyncSegment::Until;
using Kind = SyncValue::Kind;

Input two_clients(const std::string& a, const std::string& b) {
  Input input;
  input.setup = {"CREATE TABLE t1 (a INT) ENGINE=InnoDB"};
  input.clients = {{"A", {}, {{a}}}, {"B", {}, {{b}}}};
  return input;
}

// B is held, A runs, B goes on.
const std::vector<SyncSegment> kHeldOnce = {
    {1, 0, Until::kHeld, {}}, {0, 0, Until::kEnd, {}}, {1, 0, Until::kEnd, {}}};
// B is held, then A, then B goes on to its end, then A.
const std::vector<SyncSegment> kHeldBoth = {{1, 0, Until::kHeld, {}},
                                            {0, 0, Until::kHeld, {}},
                                            {1, 0, Until::kEnd, {}},
                                            {0, 0, Until::kEnd, {}}};

std::vector<std::string> texts(const SyncScript& script) {
  std::vector<std::string> texts;
  for (const SyncStep& step : script.steps) {
    const bool reaps = step.kind == SyncStep::Kind::kReap;
    texts.push_back(reaps ? "reap " + step.text : step.text);
  }
  return texts;
}

TEST(SyncScript, TheThreadIsLetGoUntilTheWantedHit) {
  const Input input = two_clients("SHOW TABLES", "RENAME");
  EXPECT_THAT(texts(sync_script(input, kHeldOnce, {{"point", 2}}, 9)),
              ElementsAre("SET DEBUG_SYNC= 'point SIGNAL B_held WAIT_FOR B_go TIMEOUT 9 EXECUTE 2'",
                          "RENAME", "SET DEBUG_SYNC= 'now WAIT_FOR B_held TIMEOUT 9'",
                          "SET DEBUG_SYNC= 'now SIGNAL B_go'",
                          "SET DEBUG_SYNC= 'now WAIT_FOR B_held TIMEOUT 9'", "SHOW TABLES", "DO 1",
                          "SET DEBUG_SYNC= 'now SIGNAL B_go'", "reap RENAME", "DO 1"));
}

TEST(SyncScript, ASessionHasOneActionAtAPoint) {
  const Input input = two_clients("x", "y");
  const std::vector<SyncSegment> twice = {{1, 0, Until::kHeld, {}},
                                          {0, 0, Until::kEnd, {}},
                                          {1, 0, Until::kHeld, {}},
                                          {1, 0, Until::kEnd, {}}};
  EXPECT_FALSE(sync_script(input, twice, {{"point", 1}, {"point", 2}}, 9).possible);
  const SyncScript script = sync_script(input, twice, {{"one", 1}, {"two", 1}}, 9);
  EXPECT_TRUE(script.possible);
  EXPECT_THAT(script.steps[1].text, HasSubstr("two SIGNAL B_held_2 WAIT_FOR B_go_2"));
}

TEST(SyncScript, OfASerialOrderHoldsNobody) {
  const Input input = two_clients("x", "y");
  const SyncScript script = sync_script(input, serial_segments({1, 0}), {}, 9);
  EXPECT_THAT(texts(script), ElementsAre("y", "DO 1", "x", "DO 1"));
}

TEST(SyncScript, RequestsThatNoSegmentNamesRunInTheEnd) {
  Input input = two_clients("x", "y");
  input.clients[0].requests.push_back({"z"});
  EXPECT_THAT(texts(sync_script(input, {{1, 0, Until::kEnd, {}}}, {}, 9)),
              ElementsAre("y", "DO 1", "x", "DO 1", "z", "DO 1"));
}

std::string text_of(const Input& input, const std::vector<SyncSegment>& segments,
                    const std::vector<SyncPoint>& points, const SyncCondition& condition,
                    const std::vector<SyncQuestion>& questions = {}) {
  const SyncTestParts parts{input,
                            SyncViolation::kOutcome,
                            "Head\n",
                            sync_script(input, segments, points, 10),
                            condition,
                            questions,
                            {{"A1", {0, 1146}}},
                            {},
                            {"DROP TABLE t1"}};
  return sync_test_text(parts).value_or("");
}

TEST(SyncTestText, ARowOfARequestThatIsNotHeldIsTakenWhereItRuns) {
  const std::string text = text_of(two_clients("SHOW TABLES", "RENAME"), kHeldOnce, {{"point", 1}},
                                   {{{"A1", Kind::kCell, 1, "Tables_in_test"}}, {{"t1"}}});
  EXPECT_THAT(
      text,
      AllOf(HasSubstr("--source include/have_debug_sync.inc\n--source include/have_innodb.inc\n"),
            HasSubstr("send RENAME;\nconnection default;\nSET DEBUG_SYNC= 'now WAIT_FOR B_held"),
            HasSubstr("--error 0,1146\nlet $value_1= query_get_value(\"SHOW TABLES\", "
                      "\"Tables_in_test\", 1);\n"),
            HasSubstr("let $seen= <$value_1>;\nlet $is_right= 0;\nif ($seen == '<t1>')"),
            HasSubstr("let $is_left= `SELECT @@debug_sync LIKE"), HasSubstr("DROP TABLE t1;\n"),
            HasSubstr("--die Tables_in_test in row 1 of A1: no ")));
}

TEST(SyncTestText, ARowOfAHeldRequestIsTakenWhileTheOtherSessionWaitsForTheHold) {
  const std::vector<SyncSegment> held_a = {
      {0, 0, Until::kHeld, {}}, {1, 0, Until::kEnd, {}}, {0, 0, Until::kEnd, {}}};
  const std::string text = text_of(two_clients("OPTIMIZE TABLE t1", "DROP TABLE t1"), held_a,
                                   {{"point", 1}}, {{{"A1", Kind::kCell, 1, "Msg_type"}}, {{"x"}}});
  EXPECT_THAT(text, HasSubstr("connection con_B;\n"
                              "# What goes on while A1 is held:\n"
                              "delimiter |;\n"
                              "send SET DEBUG_SYNC= 'now WAIT_FOR A_held TIMEOUT 10';\n"
                              "DROP TABLE t1;\n"
                              "SET DEBUG_SYNC= 'now SIGNAL A_go'|\n"
                              "delimiter ;|\n"
                              "connection con_A;\n"
                              "--error 0,1146\n"
                              "let $value_1= query_get_value(\"OPTIMIZE TABLE t1\", \"Msg_type\", "
                              "1);\n"
                              "connection con_B;\n"
                              "reap;\n"));
}

TEST(SyncTestText, WhoIsHeldAlreadySignalsTheEndOfItsRequest) {
  const std::string text = text_of(two_clients("SELECT 1", "INSERT"), kHeldBoth,
                                   {{"b", 1}, {"a", 1}}, {{{"A1", Kind::kCell, 1, "1"}}, {{"1"}}});
  EXPECT_THAT(text, AllOf(HasSubstr("send INSERT;\nSET DEBUG_SYNC= 'now SIGNAL B_ended'|"),
                          HasSubstr("send SET DEBUG_SYNC= 'now WAIT_FOR A_held TIMEOUT 10';\n"
                                    "SET DEBUG_SYNC= 'now SIGNAL B_go';\n"
                                    "SET DEBUG_SYNC= 'now WAIT_FOR B_ended TIMEOUT 10';\n"
                                    "SET DEBUG_SYNC= 'now SIGNAL A_go'|")));
}

TEST(SyncTestText, TheStateIsAskedForInTheEnd) {
  const std::string text =
      text_of(two_clients("SELECT a FROM t1", "INSERT"), kHeldOnce, {{"point", 1}},
              {{{"query-cache:A1", Kind::kCell, 2, "a"}}, {{"No such row"}}},
              {{"query-cache:A1", 0, "SELECT a FROM t1"}, {"rows:t1", kConductor, "unasked"}});
  EXPECT_THAT(text, AllOf(HasSubstr("connection con_A;\nlet $value_1= query_get_value(\"SELECT a "
                                    "FROM t1\", \"a\", 2);\n"),
                          Not(HasSubstr("unasked"))));
}

TEST(SyncTestText, NumbersAreTakenOfTheReplyThatWasReaped) {
  const std::string text =
      text_of(two_clients("SELECT 1", "INSERT"), kHeldOnce, {{"point", 1}},
              {{{"B1", Kind::kError, 0, ""}, {"B1", Kind::kAffectedRows, 0, ""}}, {{"0", "1"}}});
  EXPECT_THAT(text, AllOf(HasSubstr("reap;\nlet $value_1= $mysql_errno;\n"
                                    "let $value_2= `SELECT ROW_COUNT()`;\n"),
                          HasSubstr("if ($seen == '<0, 1>')")));
}

TEST(SyncTestText, OnlyARequestThatChangesNothingIsExecutedTwiceForTwoOfItsRows) {
  const SyncCondition two_rows = {{{"A1", Kind::kCell, 1, "x"}, {"A1", Kind::kCell, 2, "x"}},
                                  {{"1", "2"}}};
  EXPECT_EQ(text_of(two_clients("CHECK TABLE t1", "RENAME"), kHeldOnce, {{"point", 1}}, two_rows),
            "");
  EXPECT_THAT(
      text_of(two_clients("SHOW TABLES", "RENAME"), kHeldOnce, {{"point", 1}}, two_rows),
      HasSubstr("let $value_1= query_get_value(\"SHOW TABLES\", \"x\", 1);\n--error 0,1146\n"
                "let $value_2= query_get_value(\"SHOW TABLES\", \"x\", 2);\n"));
}

TEST(SyncTestText, AsksTheRunnerForWhatItSwitchesOff) {
  const std::string text =
      text_of(two_clients("INSERT INTO t1 SELECT 1 FROM seq_1_to_120", "RENAME"), kHeldOnce,
              {{"point", 1}}, {});
  EXPECT_THAT(text, HasSubstr("--source include/have_innodb.inc\n"
                              "--source include/have_sequence.inc\n"));
}

TEST(Undoing, SavesGlobalsAndDropsWhatWasMade) {
  Input input = two_clients("SET GLOBAL key_buffer_size = 1", "CREATE DATABASE IF NOT EXISTS d");
  input.clients[0].requests.push_back({"SELECT 1"});
  const Undoing undoing = undoing_of(input);
  EXPECT_THAT(undoing.globals, ElementsAre("key_buffer_size"));
  EXPECT_THAT(undoing.before, ElementsAre("SET @start_key_buffer_size= @@GLOBAL.key_buffer_size"));
  EXPECT_THAT(undoing.after, ElementsAre("SET GLOBAL key_buffer_size= @start_key_buffer_size",
                                         "DROP DATABASE IF EXISTS d"));
  EXPECT_EQ(undoing.drop, "DROP");
}

TEST(Undoing, KnowsListsAndDefiners) {
  const Input input =
      two_clients("CREATE ROLE r1, r2", "CREATE DEFINER = r1 PROCEDURE p1() SELECT 1");
  EXPECT_THAT(undoing_of(input).after,
              ElementsAre("DROP PROCEDURE IF EXISTS p1", "DROP ROLE IF EXISTS r1, r2"));
}

TEST(Undoing, DropsParentsBeforeTheirChildren) {
  Input input = two_clients("DELETE FROM p", "INSERT INTO c VALUES (1)");
  input.setup = {"CREATE TABLE c (a INT, FOREIGN KEY (a) references p (a))"};
  EXPECT_EQ(undoing_of(input).drop, "SET STATEMENT foreign_key_checks=0 FOR DROP");
}

TEST(SyncTestText, StatementsWithSemicolonsGetADelimiter) {
  EXPECT_EQ(said_by_client("send ", "SELECT 1"), "send SELECT 1;\n");
  EXPECT_EQ(said_by_client("", "BEGIN NOT ATOMIC SELECT 1; END"),
            "delimiter |;\nBEGIN NOT ATOMIC SELECT 1; END|\ndelimiter ;|\n");
}

}  // namespace
}  // namespace esox
