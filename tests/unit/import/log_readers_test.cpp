// SPDX-License-Identifier: Apache-2.0
// The readers of the general log and the audit log, and the matching of the two.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "targets/sql/import/audit_log.h"
#include "targets/sql/import/general_log.h"
#include "targets/sql/import/logged_test.h"
#include "tests/unit/import/fixtures.h"

namespace esox {
namespace {

using testing::ElementsAre;
using testing_import::Logs;
using testing_import::logs_of;

const std::string kGeneral =
    "261121 16:25:21\t     3 Connect\troot@localhost on test using Socket\n"
    "\t\t     3 Query\tCREATE TABLE t1 (\na INT\n)\n"
    "261121  6:25:22\t123456 Query\tSELECT 1\n"
    "\t\t     3 Init DB\tother\n"
    "\t\t     3 Quit\t\n";

TEST(GeneralLog, AnEntryGoesOnUntilTheNextOne) {
  const GeneralLog log = read_general_log(kGeneral);
  ASSERT_EQ(log.entries.size(), 5u);
  EXPECT_EQ(log.entries[1].text, "CREATE TABLE t1 (\na INT\n)");
  EXPECT_EQ(log.entries[2].connection, 123456u);
  EXPECT_EQ(log.entries[3].command, "Init DB");
  EXPECT_EQ(log.entries[4].text, "");
}

TEST(GeneralLog, WhatLooksLikeAnEntryButIsNoneStaysText) {
  const GeneralLog log =
      read_general_log("\t\t     3 Query\tSELECT '\n\t\t     3 Nonsense\tx\n'\n");
  ASSERT_EQ(log.entries.size(), 1u);
  EXPECT_EQ(log.entries[0].text, "SELECT '\n\t\t     3 Nonsense\tx\n'");
}

TEST(GeneralLog, EndsAtARestartOfTheServer) {
  const GeneralLog log = read_general_log(
      "\t\t     3 Query\tSELECT 1\n/usr/sbin/mariadbd, Version: 10. started with:\nTcp port: 0\n"
      "Time\t\t    Id Command\tArgument\n\t\t     3 Query\tSELECT 2\n");
  ASSERT_EQ(log.entries.size(), 1u);
  EXPECT_EQ(log.entries[0].text, "SELECT 1");
  EXPECT_TRUE(log.restarted);
  EXPECT_GT(log.unread_bytes, 0u);
}

TEST(GeneralLog, KeepsAStatementOfSixteenMegabytes) {
  const std::string literal(size_t{16} << 20, 'x');
  const GeneralLog log = read_general_log("\t\t     3 Query\tSELECT '" + literal + "'\n");
  ASSERT_EQ(log.entries.size(), 1u);
  EXPECT_EQ(log.entries[0].text.size(), literal.size() + 9);
}

TEST(AuditLog, TellsTablesAndResults) {
  const AuditLog log = read_audit_log(
      "20261121 16:25:10,vm,root,localhost,4,7,RENAME,test,t1|test.t2,\n"
      "20261121 16:25:10,vm,root,localhost,4,7,QUERY,test,'SELECT \\'a,b\\' , \\\\ \\t x',1146\n"
      "20261121 16:25:10,vm,root,localhost,4,0,DISCONNECT,test,,0\n");
  ASSERT_EQ(log.events.size(), 2u);
  EXPECT_EQ(log.events[0].table, "t1");
  EXPECT_EQ(log.events[0].new_name, "test.t2");
  EXPECT_EQ(log.events[1].text, "SELECT 'a,b' , \\   x");
  EXPECT_EQ(log.events[1].error, 1146u);
  EXPECT_EQ(log.malformed_lines, 0u);
}

TEST(AuditLog, CountsALineThatWasCutOff) {
  const AuditLog log = read_audit_log("20261121 16:25:10,vm,root,localhost,4,7,QUERY,test,'SEL");
  EXPECT_TRUE(log.events.empty());
  EXPECT_EQ(log.malformed_lines, 1u);
}

TEST(LoggedTest, JoinsTextWithResultAndObjects) {
  const Logs logs = logs_of({{"CREATE TABLE t1 (\n a INT)", {"CREATE t1"}},
                             {"INSERT INTO t1 VALUES ('it''s \\\\')", {"WRITE t1"}, 1062}});
  const LoggedTest test = read_logged_test(logs.general, logs.audit);
  ASSERT_EQ(test.statements.size(), 2u);
  EXPECT_EQ(test.statements[0].text, "CREATE TABLE t1 (\n a INT)");
  EXPECT_TRUE(test.statements[1].matched);
  EXPECT_EQ(test.statements[1].error, 1062u);
  EXPECT_THAT(test.statements[1].accesses,
              ElementsAre(Access{"caches:", AccessMode::kTouch},
                          Access{"table:test.t1", AccessMode::kWrite}));
  EXPECT_TRUE(test.rejected.empty());
}

TEST(LoggedTest, AStatementThatTheAuditLogDoesNotKnowIsNotMatched) {
  Logs logs = logs_of({{"SELECT 1"}, {"SELECT 2"}});
  logs.audit = logs.audit.substr(logs.audit.find('\n') + 1);
  const LoggedTest test = read_logged_test(logs.general, logs.audit);
  ASSERT_EQ(test.statements.size(), 2u);
  EXPECT_FALSE(test.statements[0].matched);
  EXPECT_TRUE(test.statements[1].matched);
  EXPECT_EQ(test.rejected.at("a statement whose result is not in the audit log"), 1u);
}

// The general log alone would take the middle line for a statement of its own.
TEST(LoggedTest, AStatementThatHoldsALineOfTheLogIsNotCutWrongly) {
  const Logs logs =
      logs_of({{"INSERT INTO t1 VALUES ('\n\t\t     4 Query\tDROP TABLE t1\n')", {"WRITE t1"}}});
  const LoggedTest test = read_logged_test(logs.general, logs.audit);
  for (const LoggedStatement& statement : test.statements) EXPECT_FALSE(statement.matched);
}

TEST(LoggedTest, APasswordHiddenInTheAuditLogStillMatches) {
  const Logs logs = logs_of({{"CREATE USER u IDENTIFIED BY 'secret'"}});
  std::string audit = logs.audit;
  audit.replace(audit.find("\\'secret\\'"), 10, "*****");
  const LoggedTest test = read_logged_test(logs.general, audit);
  ASSERT_EQ(test.statements.size(), 1u);
  EXPECT_TRUE(test.statements[0].matched);
  EXPECT_THAT(test.statements[0].accesses, ElementsAre(Access{"users:", AccessMode::kWrite}));
}

TEST(LoggedTest, WhatARoutineDoesCountsAsItsCallers) {
  Logs logs = logs_of({{"CREATE PROCEDURE p1() DELETE FROM t1"}, {"CALL p1()"}});
  const size_t call = logs.audit.rfind("2030");
  const std::string head = "20300101 00:00:00,host,root,localhost,4,7,";
  logs.audit.insert(call, head + "WRITE,test,t1,\n" + head + "QUERY,test,'DELETE FROM t1',0\n");
  const LoggedTest test = read_logged_test(logs.general, logs.audit);
  ASSERT_EQ(test.statements.size(), 2u);
  EXPECT_THAT(test.statements[1].accesses,
              ElementsAre(Access{"caches:", AccessMode::kTouch},
                          Access{"routine:test.p1", AccessMode::kRead},
                          Access{"table:test.t1", AccessMode::kWrite}));
}

TEST(LoggedTest, AnExecuteTakesTheResultOfWhatItExecutes) {
  Logs logs = logs_of({{"EXECUTE s"}});
  logs.general += "\t\t     4 Execute\tSELECT * FROM t1\n";
  logs.audit =
      "20300101 00:00:00,host,root,localhost,4,7,READ,test,t1,\n"
      "20300101 00:00:00,host,root,localhost,4,7,QUERY,test,'SELECT * FROM t1',0\n";
  const LoggedTest test = read_logged_test(logs.general, logs.audit);
  ASSERT_EQ(test.statements.size(), 1u);
  EXPECT_TRUE(test.statements[0].matched);
}

// Damaged logs: any result, no crash, and never more statements than the log has lines.
TEST(LogReaders, StandAnyBytes) {
  const Logs logs = logs_of({{"CREATE TABLE t1 (a INT)", {"CREATE t1"}},
                             {"INSERT INTO t1 VALUES (1),('\n')", {"WRITE t1"}},
                             {"CALL p1(@a, `b``c`.d)", {"READ t1", "RENAME t1|test.t2"}},
                             {"SELECT @@global.x, @y FROM t1 ORDER BY 1", {"READ t1"}, 1064, 5}});
  const std::string bytes("\n\t\0,'\\`@.;(0Q\xff", 13);
  std::mt19937 random(7);
  for (int round = 0; round < 3000; ++round) {
    std::string general = logs.general;
    std::string audit = logs.audit;
    for (std::string* text : {&general, &audit}) {
      for (int change = 0; change < 4 && !text->empty(); ++change) {
        const size_t at = random() % text->size();
        switch (random() % 4) {
          case 0:
            (*text)[at] = bytes[random() % bytes.size()];
            break;
          case 1:
            text->erase(at, 1 + random() % 20);
            break;
          case 2:
            text->insert(at, text->substr(random() % text->size(), random() % 60));
            break;
          default:
            if (random() % 8 == 0) text->resize(at);
        }
      }
    }
    const LoggedTest test = read_logged_test(general, audit);
    const auto lines = std::count(general.begin(), general.end(), '\n') + 1;
    ASSERT_LE(test.statements.size(), static_cast<size_t>(lines));
  }
}

}  // namespace
}  // namespace esox
