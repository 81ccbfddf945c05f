// SPDX-License-Identifier: Apache-2.0
// A binary log replayed on a real server: it gives the tables of the server that wrote it, and if
// it tells of another history, that shows.
#include "targets/mysqld/state/interface.h"
#include "tests/integration/server_fixture.h"

namespace esox {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

using Statements = std::vector<std::string>;

// What a server was left in, and its log of it.
struct Left {
  StateSummary state;
  WrittenLog log;
};

// A log of rows in another order would be one that cannot be applied.
constexpr const char* kStatements = "SET SESSION binlog_format = STATEMENT";

class LogReplayTest : public RealServerTest {
 protected:
  void start(const Statements& setup) {
    running_.reset();
    boot({"--log-bin=binlog", "--server-id=1"});
    own_ = connected();
    clients_.clear();
    clients_.push_back(connected());
    clients_[0]->run_setup(setup);
  }

  Left left_by(const Statements& setup, const Statements& history) {
    start(setup);
    MysqldInterface source(asker(*own_), {}, {});
    source.begin();
    for (const std::string& statement : history) ask(*clients_[0], statement);
    Left left;
    left.state = make_summary(source.take());
    EXPECT_TRUE(source.log_span().has_value());
    left.log = read_written_log(*source.log_span(), folder_.path() / "data");
    EXPECT_EQ(left.log.unavailable, "");
    return left;
  }

  ReplayedLog replayed(const Statements& setup, const WrittenLog& log) {
    start(setup);
    return target().replay(log, {*own_, clients_, folder_.path(), [] { return false; }});
  }

  // The elements of all components in which `real` and what `log` gives disagree.
  std::vector<Element> disagreement(const Statements& setup, const StateSummary& real,
                                    const WrittenLog& log) {
    std::vector<Element> all;
    for (const Component& component : target().compare_with_replayed(real, replayed(setup, log))) {
      EXPECT_EQ(component.unavailable, "") << component.name;
      all.insert(all.end(), component.elements.begin(), component.elements.end());
    }
    return all;
  }

  std::vector<Element> disagreement(const Statements& setup, const Statements& history) {
    const Left left = left_by(setup, history);
    return disagreement(setup, left.state, left.log);
  }

  static Ask asker(Client& client) {
    return [&client](const std::string& text) { return client.run(Request{text, false}); };
  }

  std::unique_ptr<MysqlClient> own_;
  std::vector<std::unique_ptr<Client>> clients_;
};

TEST_P(LogReplayTest, GivesTheTablesOfTheServerThatWroteIt) {
  const Statements history = {"INSERT INTO t (b) VALUES ('one'), (UUID())",
                              "SET @mine = 'x', timestamp = 1",
                              "INSERT INTO t (b, c) VALUES (@mine, NOW())",
                              "CREATE TEMPORARY TABLE mine SELECT * FROM t",
                              "INSERT INTO t (b) SELECT b FROM mine",
                              "INSERT INTO t (a, b) VALUES (90, 'new'), (1, 'duplicate')",
                              "FLUSH LOCAL BINARY LOGS",
                              "BEGIN",
                              "UPDATE t SET b = RAND() WHERE a = 1",
                              "DELETE FROM t WHERE a = 2",
                              "COMMIT",
                              "CREATE TABLE u LIKE t",
                              "ALTER TABLE t ADD d INT DEFAULT 7, ADD KEY (b)",
                              "DROP TABLE gone"};
  const std::pair<std::string, std::string> tried[] = {{GetParam().engine, "MIXED"},
                                                       {"InnoDB", "ROW"}};
  for (const auto& [engine, format] : tried) {
    SCOPED_TRACE(engine + " " + format);
    const std::string options = " ENGINE=" + engine;
    const Left left = left_by(
        {"SET SESSION binlog_format=" + format,
         "CREATE TABLE t (a INT AUTO_INCREMENT PRIMARY KEY, b VARCHAR(40), c DATETIME)" + options,
         "CREATE TABLE gone (a INT)" + options},
        history);
    EXPECT_GT(left.state.find("rows:test.t")->count, 3U);
    EXPECT_EQ(left.log.files.size(), 2U);
    EXPECT_THAT(disagreement({"CREATE TABLE t (a INT AUTO_INCREMENT PRIMARY KEY, b VARCHAR(40), "
                              "c DATETIME)" +
                                  options,
                              "CREATE TABLE gone (a INT)" + options},
                             left.state, left.log),
                IsEmpty());
  }
}

// What does not depend on the server.
class InstalledLogReplayTest : public LogReplayTest {};

// The classic fault: the log has two changes in another order than the tables took them.
TEST_P(LogReplayTest, InAnotherOrderThanTheTablesTookShows) {
  const Statements setup = {kStatements, "CREATE TABLE t (a INT) ENGINE=InnoDB",
                            "INSERT INTO t VALUES (1)"};
  const Statements history = {"UPDATE t SET a = a + 1", "UPDATE t SET a = a * 10"};
  const Left left = left_by(setup, history);
  const Left reversed = left_by(setup, {history[1], history[0]});
  EXPECT_THAT(disagreement(setup, left.state, reversed.log),
              UnorderedElementsAre(Element{"only in the server", "('20')"},
                                   Element{"only by the binary log", "('11')"}));
}

TEST_P(LogReplayTest, InAnotherOrderThatComesToTheSameDoesNotShow) {
  const Statements setup = {"CREATE TABLE t (a INT)" + engine()};
  const Statements history = {"INSERT INTO t VALUES (1)", "INSERT INTO t VALUES (2)"};
  const Left left = left_by(setup, history);
  const Left reversed = left_by(setup, {history[1], history[0]});
  EXPECT_NE(digest_of(left.log), digest_of(reversed.log));
  EXPECT_THAT(disagreement(setup, left.state, reversed.log), IsEmpty());
}

TEST_P(InstalledLogReplayTest, WithoutAChangeShowsIt) {
  const Statements setup = {"CREATE TABLE t (a INT) ENGINE=MyISAM"};
  EXPECT_THAT(disagreement(setup, {"INSERT INTO t VALUES (1)", "SET sql_log_bin = 0",
                                   "INSERT INTO t VALUES (2)"}),
              ElementsAre(Element{"only in the server", "('2')"}));
}

TEST_P(LogReplayTest, ThatCannotBeAppliedSaysAtWhatAReplicaStops) {
  const Statements setup = {"CREATE TABLE t (a INT PRIMARY KEY) ENGINE=InnoDB"};
  EXPECT_THAT(
      disagreement(setup,
                   {"SET SESSION binlog_format = ROW, sql_log_bin = 0", "INSERT INTO t VALUES (1)",
                    "SET sql_log_bin = 1", "DELETE FROM t", "INSERT INTO t VALUES (2)"}),
      UnorderedElementsAre(testing::AllOf(testing::Field(&Element::key, "stopped"),
                                          testing::Field(&Element::value, HasSubstr("Can't find"))),
                           Element{"only in the server", "('2')"}));
}

TEST_P(InstalledLogReplayTest, OfATransactionThatTheSetupBeganIsApplied) {
  const Statements setup = {"CREATE TABLE t (a INT) ENGINE=InnoDB", "INSERT INTO t VALUES (1)",
                            "BEGIN", "UPDATE t SET a = 5"};
  EXPECT_THAT(disagreement(setup, {"UPDATE t SET a = a + 1", "COMMIT"}), IsEmpty());
}

TEST_P(LogReplayTest, ThatNoLongerReachesBackToTheSetupIsNotReplayed) {
  const Left left = left_by(
      {kStatements, "CREATE TABLE t (a INT)"},
      {"INSERT INTO t VALUES (1)", "RESET MASTER", "RESET BINARY LOGS AND GTIDS", "DELETE FROM t"});
  EXPECT_TRUE(left.log.gone);
  const Component* binlog = left.state.find("binlog");
  EXPECT_EQ(binlog->unavailable, "");
  EXPECT_THAT(binlog->elements, Contains(testing::Field(&Element::value, HasSubstr("DELETE"))));
}

TEST_P(InstalledLogReplayTest, OnAServerThatIsGoneIsUnavailable) {
  const Statements setup = {"CREATE TABLE t (a INT)"};
  const Left left = left_by(setup, {"INSERT INTO t VALUES (1)"});
  start(setup);
  running_->stop();
  const ReplayedLog nothing =
      target().replay(left.log, {*own_, clients_, folder_.path(), [] { return false; }});
  EXPECT_NE(nothing.unavailable, "");
}

INSTANTIATE_TEST_SUITE_P(Servers, InstalledLogReplayTest, testing::Values(kRealServers[0]),
                         test_name);
INSTANTIATE_TEST_SUITE_P(Servers, LogReplayTest, testing::ValuesIn(kRealServers), test_name);

}  // namespace
}  // namespace esox
