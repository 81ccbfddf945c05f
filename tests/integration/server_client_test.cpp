// SPDX-License-Identifier: Apache-2.0
// The MySQL client on a real server: every shape of reply, and every way to get none.
#include <signal.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include "base/process/unique_fd.h"
#include "tests/integration/server_fixture.h"

namespace esox {
namespace {

using std::chrono::steady_clock;
using testing::ElementsAre;
using testing::HasSubstr;

class MysqlClientTest : public ServerTest {
 protected:
  void SetUp() override { boot(); }
};

TEST_F(MysqlClientTest, ReadsRowsAsTextWithNullsNamesAndTypes) {
  const auto client = connected();
  client->run_setup(
      {"CREATE TABLE t1 (i INT, u BIGINT UNSIGNED, v VARCHAR(9), x TEXT, b BLOB, d DECIMAL(5,2), "
       "e ENUM('p','q'), t DATETIME)",
       "INSERT INTO t1 VALUES (-1, 18446744073709551615, 'ä', '', 'a\\0b', 1.5, 'q', "
       "'2020-01-02'), "
       "(NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)"});
  const Output output = ask(*client, "SELECT * FROM t1");
  ASSERT_TRUE(output.answered);
  ASSERT_EQ(output.results.size(), 1U);
  EXPECT_THAT(output.results[0].columns,
              ElementsAre(Column{"i", "INT"}, Column{"u", "BIGINT UNSIGNED"},
                          Column{"v", "VARCHAR"}, Column{"x", "TEXT"}, Column{"b", "BLOB"},
                          Column{"d", "DECIMAL"}, Column{"e", "ENUM"}, Column{"t", "DATETIME"}));
  ASSERT_EQ(output.results[0].rows.size(), 2U);
  const Row first = {Cell("-1"), Cell("18446744073709551615"), Cell("ä"),
                     Cell(""),   Cell(std::string("a\0b", 3)), Cell("1.50"),
                     Cell("q"),  Cell("2020-01-02 00:00:00")};
  EXPECT_EQ(output.results[0].rows[0], first);
  EXPECT_EQ(output.results[0].rows[1], Row(8));
}

TEST_F(MysqlClientTest, ReadsAffectedRowsInsertIdAndInfo) {
  const auto client = connected();
  client->run_setup({"CREATE TABLE t1 (a INT AUTO_INCREMENT PRIMARY KEY, b INT)"});
  const Output insert = ask(*client, "INSERT INTO t1 (b) VALUES (1),(2),(3)");
  EXPECT_EQ(insert.affected_rows, 3U);
  EXPECT_EQ(insert.insert_id, 1U);
  EXPECT_EQ(insert.info, "Records: 3  Duplicates: 0  Warnings: 0");
  EXPECT_TRUE(insert.results.empty());
  const Output update = ask(*client, "UPDATE t1 SET b = 1");
  EXPECT_EQ(update.affected_rows, 2U);
  EXPECT_EQ(update.info, "Rows matched: 3  Changed: 2  Warnings: 0");
}

TEST_F(MysqlClientTest, ReadsErrorsWithStateAndGoesOn) {
  const auto client = connected();
  const Output error = ask(*client, "SELECT * FROM nowhere");
  EXPECT_TRUE(error.answered);
  EXPECT_EQ(error.error, 1146U);
  EXPECT_EQ(error.sql_state, "42S02");
  EXPECT_EQ(error.message, "Table 'test.nowhere' doesn't exist");
  EXPECT_EQ(ask(*client, "SELECT 1").error, 0U);
}

TEST_F(MysqlClientTest, ReadsWarningsOfTheLastRequestOnDemand) {
  const auto client = connected();
  const Output output = ask(*client, "DROP TABLE IF EXISTS nowhere");
  EXPECT_EQ(output.warning_count, 1U);
  const std::vector<Warning> warnings = client->warnings();
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_EQ(warnings[0].level, "Note");
  EXPECT_EQ(warnings[0].code, 1051U);
  EXPECT_EQ(warnings[0].message, "Unknown table 'test.nowhere'");
}

TEST_F(MysqlClientTest, AnErrorHasNoNumberOfWarningsWhateverWasReadBefore) {
  const auto client = connected();
  ASSERT_EQ(ask(*client, "DROP TABLE IF EXISTS nowhere").warning_count, 1U);
  EXPECT_EQ(ask(*client, "DROP TABLE nowhere").warning_count, 0U);
}

// As a server that kills a session says so when nobody has asked: two packets at once.
TEST_F(MysqlClientTest, WhatWasSaidUnaskedIsNoReplyOnTheNextConnection) {
  const auto client = connected();
  const auto on = [&](const std::vector<char>& affected) {
    int ends[2] = {-1, -1};
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    const UniqueFd ours(ends[0]);
    const UniqueFd theirs(ends[1]);
    std::string said;
    for (const char rows : affected) {
      said.append(
          {7, 0, 0, 1, 0, rows, 0, 2, 0, 0, 0});  // OK: rows, no insert id, status, warnings
    }
    EXPECT_EQ(write(theirs.get(), said.data(), said.size()), static_cast<ssize_t>(said.size()));
    EXPECT_TRUE(client->continue_on(ours.get()));
    return ask(*client, "DO 1").affected_rows;
  };
  EXPECT_EQ(on({1, 2}), 1U);
  EXPECT_EQ(on({3}), 3U);
  EXPECT_EQ(on({4}), 4U);
}

TEST_F(MysqlClientTest, ReadsSeveralResultsOfOneRequest) {
  const auto client = connected();
  client->run_setup({"CREATE PROCEDURE p() BEGIN SELECT 1; SELECT 2, 3; END"});
  const Output call = ask(*client, "CALL p()");
  ASSERT_EQ(call.results.size(), 2U);
  EXPECT_EQ(call.results[1].columns.size(), 2U);
  const Output batch = ask(*client, "SELECT 1; SELECT * FROM nowhere; SELECT 2");
  EXPECT_EQ(batch.results.size(), 1U);
  EXPECT_EQ(batch.error, 1146U);
  EXPECT_TRUE(batch.answered);
  const Output empty = ask(*client, "SELECT 1 WHERE 0");
  ASSERT_EQ(empty.results.size(), 1U);
  EXPECT_TRUE(empty.results[0].rows.empty());
}

TEST_F(MysqlClientTest, AnErrorInTheMiddleOfTheRowsIsAnError) {
  const auto client = connected();
  client->run_setup({"CREATE TABLE t1 (a INT) ENGINE=MyISAM", "INSERT INTO t1 VALUES (1), (2)"});
  const Output output = ask(*client, "SELECT (SELECT a FROM t1) FROM t1");
  EXPECT_EQ(output.error, 1242U);
  EXPECT_TRUE(output.answered);
}

TEST_F(MysqlClientTest, KeepsWhetherRowsAreOrdered) {
  EXPECT_TRUE(connected()->run(Request{"SELECT 1", true}).ordered);
  EXPECT_FALSE(connected()->run(Request{"SELECT 1", false}).ordered);
}

TEST_F(MysqlClientTest, SetupThatFailsNamesTheStatementAndTheError) {
  const auto client = connected();
  try {
    client->run_setup({"SELECT 1", "SELEKT 2"});
    ADD_FAILURE();
  } catch (const ClientError& error) {
    EXPECT_THAT(error.what(), HasSubstr("statement 2 failed with error 1064"));
    EXPECT_THAT(error.what(), HasSubstr("SELEKT 2"));
  }
}

TEST_F(MysqlClientTest, MakesItsDatabaseIfThereIsNone) {
  ask(*connected(), "DROP DATABASE test");
  EXPECT_EQ(ask(*connected(), "SELECT DATABASE()").results[0].rows[0][0], Cell("test"));
}

TEST_F(MysqlClientTest, AServerKilledInARequestGivesNoAnswer) {
  const auto client = connected();
  std::thread killer([this] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    running_->stop();
  });
  const Output output = ask(*client, "SELECT SLEEP(30)");
  killer.join();
  EXPECT_FALSE(output.answered);
  EXPECT_THAT(output.message, HasSubstr("Lost connection"));
  EXPECT_FALSE(client->connected());
  EXPECT_EQ(client->socket_fd(), -1);
  EXPECT_FALSE(ask(*client, "SELECT 1").answered);
  EXPECT_THROW(client->connect(running_->socket_path()), ClientError);
}

TEST_F(MysqlClientTest, ARequestToADeadServerGivesNoAnswerAndNoSignal) {
  const auto client = connected();
  running_->stop();
  EXPECT_FALSE(ask(*client, "SELECT 1").answered);
}

TEST_F(MysqlClientTest, AbortFromAnotherThreadEndsAWait) {
  const auto client = connected();
  std::thread aborter([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    client->abort();
  });
  const auto started = steady_clock::now();
  EXPECT_FALSE(ask(*client, "SELECT SLEEP(30)").answered);
  EXPECT_LT(steady_clock::now() - started, std::chrono::seconds(29));  // not the whole SLEEP
  aborter.join();
  client->abort();  // harmless now
  client->connect(running_->socket_path());
  EXPECT_TRUE(ask(*client, "SELECT 1").answered);
}

TEST_F(MysqlClientTest, ASetupThatNeverEndsIsGivenUp) {
  MysqlOptions options;
  options.reply_timeout_ms = 500;  // shorter than a setup's own limit
  const auto client = connected(options);
  EXPECT_THAT(
      [&] {
        client->run_setup({"CREATE PROCEDURE p() WHILE 1 DO SET @a = 1; END WHILE", "CALL p()"});
      },
      testing::ThrowsMessage<ClientError>(
          testing::AllOf(HasSubstr("statement 2"), HasSubstr("no reply within"))));
}

TEST_F(MysqlClientTest, ASetupHasALimitAndTheRequestsAfterItHaveNone) {
  const auto client = connected();
  client->run_setup({"DO 1"});
  EXPECT_EQ(client->limit_replies(0), 0);
}

TEST_F(MysqlClientTest, AStoppedServerCannotHoldTheClientPastItsLimit) {
  MysqlOptions options;
  options.reply_timeout_ms = 200;
  const auto client = connected(options);
  ASSERT_EQ(syscall(SYS_pidfd_send_signal, running_->pidfd(), SIGSTOP, nullptr, 0), 0);
  // The signal only asks: a thread on another core may still serve a request until all stand still.
  siginfo_t stopped;
  ASSERT_EQ(waitid(P_PIDFD, static_cast<id_t>(running_->pidfd()), &stopped, WSTOPPED), 0);
  const auto started = steady_clock::now();
  const Output output = ask(*client, "SELECT 1");
  EXPECT_FALSE(output.answered);
  EXPECT_EQ(output.message, "no reply within 200 ms");
  EXPECT_GE(steady_clock::now() - started, std::chrono::milliseconds(200));
}

TEST_F(MysqlClientTest, NeverReadsLocalFilesForTheServer) {
  const auto client = connected();
  client->run_setup({"CREATE TABLE t1 (a TEXT)", "SET GLOBAL local_infile = 1"});
  const Output output = ask(*client, "LOAD DATA LOCAL INFILE '/etc/hostname' INTO TABLE t1");
  EXPECT_TRUE(!output.answered || output.error != 0);
  EXPECT_TRUE(ask(*connected(), "SELECT * FROM t1").results[0].rows.empty());
}

TEST_F(MysqlClientTest, TellsItsConnectionsNumber) {
  const auto client = connected();
  const Output output = ask(*client, "SELECT CONNECTION_ID()");
  EXPECT_EQ(output.results[0].rows[0][0], Cell(std::to_string(client->connection_id())));
  EXPECT_GE(client->socket_fd(), 0);
}

class MysqlClientOfAny : public RealServerTest {};

// libmariadb has a use of its own for this number; MariaDB does not allow it.
TEST_P(MysqlClientOfAny, TheHighestErrorIsAReply) {
  boot();
  const auto client = connected();
  const Output highest =
      ask(*client, "SIGNAL SQLSTATE 'AABBB' SET MYSQL_ERRNO = 65535, MESSAGE_TEXT = 'highest'");
  EXPECT_TRUE(highest.answered);
  EXPECT_EQ(highest.error, is_mariadb() ? 1231U : 65535U) << highest.message;
  if (!is_mariadb()) {
    EXPECT_EQ(highest.sql_state, "AABBB");
    EXPECT_EQ(highest.message, "highest");
  }
  EXPECT_EQ(ask(*client, "SELECT 1").results.size(), 1U);
}

// What a filter lets others come between (filters/rule.h, split) is said as statements of each
// server.
TEST_P(MysqlClientOfAny, TheReadingAndTheWritingOfAnInsertionGiveWhatItGives) {
  boot();
  const auto client = connected();
  client->run_setup({"CREATE TABLE t1 (a INT AUTO_INCREMENT PRIMARY KEY, b INT)",
                     "INSERT INTO t1 (b) VALUES (1),(2)", "CREATE TABLE t2 LIKE t1",
                     "CREATE TABLE t3 LIKE t1"});
  const std::string rest = "SELECT NULL, b FROM t1 ORDER BY b DESC";
  const Output whole = ask(*client, "INSERT INTO t2 " + rest);
  const RequestLanguage& language = target_named(GetParam().target).language();
  for (int again = 0; again < 2; ++again) {
    for (const RequestPart& part : language.parts("INSERT INTO t3 " + rest, "read-then-write")) {
      const Output output = ask(*client, part.text);
      ASSERT_EQ(output.error, 0) << part.text << ": " << output.message;
      if (!part.silent) {
        EXPECT_EQ(output.info, whole.info);
      }
    }
  }
  const auto rows = [&](const char* of) { return ask(*client, of).results.at(0).rows; };
  EXPECT_EQ(rows("SELECT * FROM t3 WHERE a < 3"), rows("SELECT * FROM t2"));
  EXPECT_EQ(rows("SELECT b FROM t3"), (std::vector<Row>{{"2"}, {"1"}, {"2"}, {"1"}}));
}

INSTANTIATE_TEST_SUITE_P(Servers, MysqlClientOfAny, testing::ValuesIn(kRealServers), test_name);

}  // namespace
}  // namespace esox
