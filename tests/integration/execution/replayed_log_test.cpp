// SPDX-License-Identifier: Apache-2.0
// Executions on a server that writes a binary log: the log is replayed, a race that leaves a change
// out of it is found, and what may differ by right gives no alarm.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/integration/execution/execution_fixture.h"

namespace esox {
namespace {

using testing::IsEmpty;

constexpr int64_t kDate_ns = 1'750'000'000'000'000'000;

class ReplayedLogTest : public ExecutionFixture {
 protected:
  static ConcreteInput logging(const std::vector<std::string>& setup,
                               const std::vector<std::vector<std::string>>& sessions) {
    ConcreteInput concrete = input(setup, sessions);
    concrete.input.server_options = {"--log-bin=binlog", "--server-id=1"};
    return concrete;
  }

  static ExecutionReport run(Executor& executor, const ConcreteInput& concrete) {
    ExecutionPlan plan;
    plan.input = &concrete;
    plan.strategy = settings("random:p=0.3").strategy;
    plan.seed = 1;
    plan.clock_base_ns = kDate_ns;
    return executor.run(plan);
  }

  static const Component* component(const ExecutionReport& report, const std::string& name) {
    return report.record.outcome.state.find(name);
  }

  void expect_no_alarm(const ConcreteInput& concrete, uint64_t executions) {
    ServerExecutor executor(*server_, options());
    Exploration exploration(concrete, settings("random:p=0.3"));
    for (uint64_t n = 1; n <= executions; ++n) {
      const Judged judged = exploration.explore(executor, n);
      EXPECT_EQ(judged.verdict.verdict, VerdictClass::kNone) << n;
      EXPECT_NE(component(judged.report, "replayed-binlog"), nullptr) << n;
    }
  }
};

TEST_F(ReplayedLogTest, AgreesUnderEachIsolation) {
  for (const Isolation isolation : {Isolation::kRestart, Isolation::kAuto}) {
    SCOPED_TRACE(isolation_name(isolation));
    ExecutorOptions chosen = options();
    chosen.isolation = isolation;
    ServerExecutor executor(*server_, chosen);
    const ConcreteInput concrete =
        logging({"CREATE TABLE t1 (a INT PRIMARY KEY) ENGINE=InnoDB", "INSERT INTO t1 VALUES (1)"},
                {{"INSERT INTO t1 VALUES (2)", "DELETE FROM t1 WHERE a = 1"},
                 {"CREATE TABLE t2 (b INT) ENGINE=Aria"}});
    for (int repetition = 0; repetition < 3; ++repetition) {
      const ExecutionReport report = run(executor, concrete);
      ASSERT_EQ(report.record.ending.kind, EndingKind::kFinished);
      for (const char* name :
           {"replayed-binlog", "replayed-binlog:test.t1", "replayed-binlog:test.t2"}) {
        ASSERT_NE(component(report, name), nullptr) << name;
        EXPECT_EQ(component(report, name)->unavailable, "");
        EXPECT_THAT(component(report, name)->elements, IsEmpty()) << name;
      }
    }
    EXPECT_EQ(executor.replayed_logs(), 1U);  // the same three times
  }
}

TEST_F(ReplayedLogTest, IsNoPartOfTheStateWhereNoLogIsWrittenOrWanted) {
  ServerExecutor executor(*server_, options());
  ConcreteInput concrete = input({"CREATE TABLE t1 (a INT)"}, {{"INSERT INTO t1 VALUES (2)"}});
  EXPECT_EQ(component(run(executor, concrete), "replayed-binlog"), nullptr);
  concrete = logging({"CREATE TABLE t1 (a INT)"}, {{"INSERT INTO t1 VALUES (2)"}});
  concrete.input.summary = "basic";
  EXPECT_EQ(component(run(executor, concrete), "replayed-binlog"), nullptr);
}

// The seeded fault: if the table changes between two looks at it, which in no serial order it does,
// the client's own change is kept out of the log.
TEST_F(ReplayedLogTest, ThatLacksAChangeInARaceIsFound) {
  const Judged judged = explore_until_found(
      logging({"CREATE TABLE t1 (a INT) ENGINE=MyISAM", "CREATE TABLE t2 (a INT) ENGINE=MyISAM"},
              {{"BEGIN NOT ATOMIC SET @before = (SELECT COUNT(*) FROM t1); "
                "IF @before <> (SELECT COUNT(*) FROM t1) THEN SET SESSION sql_log_bin = 0; END IF; "
                "INSERT INTO t2 VALUES (7); END"},
               {"INSERT INTO t1 VALUES (1)"}}),
      200);
  ASSERT_TRUE(judged.confirmed);
  EXPECT_EQ(judged.verdict.verdict, VerdictClass::kLatent);
  EXPECT_THAT(component(judged.report, "replayed-binlog:test.t2")->elements,
              testing::ElementsAre(Element{"only in the server", "('7')"}));
}

TEST_F(ReplayedLogTest, OfIndependentChangesInEitherOrderGivesNoAlarm) {
  expect_no_alarm(logging({"CREATE TABLE t1 (a INT AUTO_INCREMENT PRIMARY KEY, b INT) ENGINE=Aria"},
                          {{"INSERT INTO t1 (b) VALUES (1)"}, {"INSERT INTO t1 (b) VALUES (2)"}}),
                  20);
}

// Written as statements these give other rows each time; so they do after each serial order.
TEST_F(ReplayedLogTest, OfStatementsUnsafeForLoggingGivesNoAlarm) {
  expect_no_alarm(logging({"SET GLOBAL binlog_format = STATEMENT",
                           "CREATE TABLE t1 (a VARCHAR(40)) ENGINE=MyISAM"},
                          {{"INSERT INTO t1 VALUES (UUID())"}, {"SELECT COUNT(*) FROM t1"}}),
                  10);
}

}  // namespace
}  // namespace esox
