// SPDX-License-Identifier: Apache-2.0
// On each real server the same choices give the same outcome from a snapshot, again from it, and
// after a restart; and the binary log that it writes is replayed.
#include "analysis/nondeterminism.h"
#include "harness/hunt/exploration.h"
#include "harness/search/strategy_text.h"
#include "inputs/engine.h"
#include "targets/registry.h"
#include "tests/integration/hunt_fixture.h"
#include "tests/integration/leftovers.h"
#include "tests/integration/plans.h"
#include "tests/integration/real_servers.h"

namespace esox {
namespace {

constexpr int64_t kDate_ns = 1'750'000'000'000'000'000;
constexpr const char* kStrategy = "random:p=0.3";

class ServerExecutions : public testing::TestWithParam<RealServer> {
 protected:
  void SetUp() override { ESOX_SKIP_UNLESS_THERE(GetParam()); }

  void TearDown() override { EXPECT_TRUE(all_processes_end()); }

  const Target& target() const { return target_named(GetParam().target); }

  std::unique_ptr<Server> server() const {
    ServerOptions options;
    options.program = GetParam().program().string();
    options.cache = std::filesystem::path(ESOX_TEST_CACHE) / "esox";
    options.base = folder_.path();
    std::unique_ptr<Server> server = target().make_server(options);
    server->prepare();
    return server;
  }

  ExecutorOptions with(Isolation isolation) const {
    ExecutorOptions options;
    options.preload_library = ESOX_PRELOAD;
    options.base = folder_.path();
    options.isolation = isolation;
    return options;
  }

  ConcreteInput shipped(const std::string& name) const {
    const std::filesystem::path folder = std::filesystem::path(ESOX_SHIPPED) / "pike-table-5-2";
    Input input = read_inputs(folder / name, languages()).at(0);
    adapt_input(input, target());
    return instantiate(input, {GetParam().engine}).at(0);
  }

  // Each client with one request; a log is written.
  ConcreteInput logging(const std::vector<std::string>& setup,
                        const std::vector<std::string>& requests) const {
    ConcreteInput concrete;
    concrete.input.language = &target().language();
    concrete.input.id = "logging";
    concrete.input.origin = "hunt_servers_test.cpp";
    concrete.input.setup = setup;
    concrete.input.server_options = {"--log-bin=binlog", "--server-id=1"};
    for (const std::string& request : requests) {
      InputClient client;
      client.name = std::string(1, static_cast<char>('A' + concrete.input.clients.size()));
      client.requests.push_back(Request{request, false});
      concrete.input.clients.push_back(client);
    }
    return concrete;
  }

  static ExplorationSettings settings() {
    ExplorationSettings settings;
    settings.strategy = strategy_from_text(kStrategy);
    settings.strategy_text = kStrategy;
    settings.clock_base_ns = kDate_ns;
    return settings;
  }

  static void expect_equal(const Outcome& first, const Outcome& second) {
    const Masks differing = differing_places(first, second);
    EXPECT_TRUE(differing.outputs.empty());
    EXPECT_TRUE(differing.state.empty());
  }

  PrivateDirectory folder_{temporary_base()};
};

// A boot takes its time, and each execution after a restart is one.
TEST_P(ServerExecutions, TheSameChoicesGiveTheSameOutcomeHoweverAServerIsHad) {
  constexpr uint64_t kSeeds = 4;
  constexpr uint64_t kRestarted = 2;
  const std::unique_ptr<Server> server = this->server();
  const ConcreteInput input = shipped("04-insert-select.yaml");
  ServerExecutor forking(*server, with(Isolation::kSnapshot));
  ServerExecutor restarting(*server, with(Isolation::kRestart));
  for (uint64_t seed = 1; seed <= kSeeds; ++seed) {
    SCOPED_TRACE(seed);
    const ExecutionReport first = forking.run(plan_by(settings(), input, seed));
    ASSERT_EQ(first.record.ending.kind, EndingKind::kFinished);
    EXPECT_FALSE(first.record.choices.empty());
    const ExecutionReport again = forking.run(plan_by(settings(), input, seed));
    EXPECT_EQ(again.record.choices.size(), first.record.choices.size());
    expect_equal(first.record.outcome, again.record.outcome);
    if (seed > kRestarted) continue;
    const ExecutionReport restarted = restarting.run(plan_again(settings(), input, first.record));
    ASSERT_EQ(restarted.record.ending.kind, EndingKind::kFinished);
    EXPECT_EQ(restarted.diverged, 0U);
    expect_equal(first.record.outcome, restarted.record.outcome);
  }
  EXPECT_EQ(forking.isolation(), Isolation::kSnapshot);
  EXPECT_EQ(restarting.isolation(), Isolation::kRestart);
}

// Programs that were built long ago ask for a file's status by calls of their own.
TEST_P(ServerExecutions, FilesAreAsOldAsTheServersClockSays) {
  const std::unique_ptr<Server> server = this->server();
  ServerExecutor executor(*server, with(Isolation::kSnapshot));
  const ConcreteInput input = logging(
      {"CREATE TABLE t1 (a INT) ENGINE=MyISAM", "INSERT INTO t1 VALUES (1)", "FLUSH TABLES"},
      {"SELECT TIMESTAMPDIFF(HOUR, UPDATE_TIME, NOW()) FROM information_schema.TABLES WHERE "
       "TABLE_NAME = 't1'",
       "SELECT 1"});
  const ExecutionRecord record = executor.run(plan_by(settings(), input, 1)).record;
  ASSERT_EQ(record.ending.kind, EndingKind::kFinished);
  const Output& age = record.outcome.outputs[0][0];
  ASSERT_EQ(age.results.size(), 1U) << age.message;
  EXPECT_EQ(age.results[0].rows, std::vector<Row>{{Cell("0")}});
}

// libmariadb takes the error 65535 for a report on progress. MariaDB does not allow it.
TEST_P(ServerExecutions, AReplyThatTheClientDoesNotTakeForOneEndsTheExecution) {
  const std::unique_ptr<Server> server = this->server();
  ServerExecutor executor(*server, with(Isolation::kSnapshot));
  const ConcreteInput input =
      logging({"CREATE PROCEDURE p() BEGIN SELECT 1; SIGNAL SQLSTATE 'AABBB' SET MYSQL_ERRNO = "
               "65535; END"},
              {"CALL p()", "SELECT 1"});
  const ExecutionRecord record = executor.run(plan_by(settings(), input, 1)).record;
  if (GetParam().is_mariadb()) {
    EXPECT_EQ(record.ending.kind, EndingKind::kFinished);
    EXPECT_EQ(record.outcome.outputs[0][0].error, 1231U);
    return;
  }
  EXPECT_EQ(record.ending.kind, EndingKind::kDegraded);
  EXPECT_THAT(record.degraded_reasons, testing::Contains(testing::HasSubstr("awaited its reply")));
  const ConcreteInput next = logging({}, {"SELECT 1", "SELECT 2"});
  EXPECT_EQ(executor.run(plan_by(settings(), next, 1)).record.ending.kind, EndingKind::kFinished);
}

// Statements in the order in which they took effect. Replays take a server of their own.
TEST_P(ServerExecutions, AHarmlessPairsBinaryLogIsReplayedAndNotFlagged) {
  const std::unique_ptr<Server> server = this->server();
  ServerExecutor executor(*server, with(Isolation::kSnapshot));
  const ConcreteInput input = logging(
      {"CREATE TABLE t1 (a INT PRIMARY KEY, b INT) ENGINE=InnoDB", "INSERT INTO t1 VALUES (1, 1)"},
      {"UPDATE t1 SET b = b + 1", "INSERT INTO t1 VALUES (2, 2)"});
  Exploration exploration(input, settings());
  for (uint64_t n = 1; n <= 4; ++n) {
    const Judged judged = exploration.explore(executor, n);
    EXPECT_EQ(judged.verdict.verdict, VerdictClass::kNone) << n;
    const Component* replayed = judged.report.record.outcome.state.find("replayed-binlog:test.t1");
    ASSERT_NE(replayed, nullptr) << n;
    EXPECT_EQ(replayed->unavailable, "");
    EXPECT_TRUE(replayed->elements.empty());
  }
  EXPECT_GE(executor.replayed_logs(), 1U);
}

// Each says in its log whose a transaction is, and makes states of rows.
TEST_P(ServerExecutions, ReadsOfAHarmlessPairAreJudgedByTheLogOfRowsAndNotFlagged) {
  const std::unique_ptr<Server> server = this->server();
  ServerExecutor executor(*server, with(Isolation::kSnapshot));
  ConcreteInput input = logging({"CREATE TABLE t1 (a INT PRIMARY KEY, b INT) ENGINE=InnoDB",
                                 "INSERT INTO t1 VALUES (1, 1), (2, 2)"},
                                {"BEGIN", "BEGIN"});
  input.input.isolation_level = "repeatable-read";
  input.input.server_options.push_back("--binlog-format=ROW");
  for (const char* text : {"UPDATE t1 SET b = b + 1 WHERE a = 1", "SELECT a, b FROM t1",
                           "SELECT SUM(b) FROM t1 FOR UPDATE", "COMMIT"}) {
    for (InputClient& client : input.input.clients) client.requests.push_back({text, false});
  }
  Exploration exploration(input, settings());
  uint64_t judged = 0;
  for (uint64_t n = 1; n <= 10; ++n) {
    const Judged one = exploration.explore(executor, n);
    EXPECT_TRUE(one.report.record.anomaly.empty());
    for (const auto& [reason, reads] : one.views.unjudged) EXPECT_EQ(reason, "an error") << reads;
    judged += one.views.judged;
  }
  EXPECT_GT(judged, 20U);
}

// The seeded fault: if the table changes between two looks at it, which in no serial order it does,
// the client's own change is kept out of the log.
TEST_P(ServerExecutions, ABinaryLogThatLacksAChangeInARaceIsFound) {
  const std::unique_ptr<Server> server = this->server();
  ServerExecutor executor(*server, with(Isolation::kSnapshot));
  const ConcreteInput input = logging(
      {"CREATE TABLE t1 (a INT) ENGINE=MyISAM", "CREATE TABLE t2 (a INT) ENGINE=MyISAM",
       "CREATE PROCEDURE p() BEGIN SET @before = (SELECT COUNT(*) FROM t1); IF @before <> (SELECT "
       "COUNT(*) FROM t1) THEN SET SESSION sql_log_bin = 0; END IF; INSERT INTO t2 VALUES (7); "
       "END"},
      {"CALL p()", "INSERT INTO t1 VALUES (1)"});
  Exploration exploration(input, settings());
  Judged judged;
  for (uint64_t n = 1; n <= 200 && !judged.confirmed; ++n)
    judged = exploration.explore(executor, n);
  ASSERT_TRUE(judged.confirmed);
  EXPECT_EQ(judged.verdict.verdict, VerdictClass::kLatent);
  const Component* replayed = judged.report.record.outcome.state.find("replayed-binlog:test.t2");
  ASSERT_NE(replayed, nullptr);
  EXPECT_EQ(replayed->elements, (std::vector<Element>{{"only in the server", "('7')"}}));
}

INSTANTIATE_TEST_SUITE_P(Servers, ServerExecutions, testing::ValuesIn(kRealServers), test_name);

}  // namespace
}  // namespace esox
