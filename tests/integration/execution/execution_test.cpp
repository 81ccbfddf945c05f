// SPDX-License-Identifier: Apache-2.0
// Whole executions on a real MariaDB: sessions, waits, time, and each way an execution can end.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "analysis/linearization.h"
#include "analysis/trace_equality.h"
#include "harness/engine/debug_symbols.h"
#include "tests/integration/execution/execution_fixture.h"

namespace esox {
namespace {

using testing::AllOf;
using testing::AnyOf;
using testing::HasSubstr;
using testing::IsEmpty;

using ExecutionTest = ExecutionFixture;

TEST_F(ExecutionTest, TheSerialOrderDecidesWhatIsSeen) {
  ServerExecutor executor(*server_, options());
  Exploration exploration(input({"CREATE TABLE t1 (a INT) ENGINE=InnoDB"},
                                {{"INSERT INTO t1 VALUES (1)"}, {"SELECT a FROM t1"}}),
                          settings("pct:d=3"));
  exploration.prepare(executor);
  ASSERT_EQ(exploration.serial_runs().size(), 2u);
  for (const SerialRun& run : exploration.serial_runs()) {
    EXPECT_EQ(run.infeasible, "");
    const size_t rows = run.order == Order{0, 1} ? 1 : 0;
    EXPECT_EQ(run.first.outputs[1][0].results.at(0).rows.size(), rows) << order_name(run.order);
  }
}

TEST_F(ExecutionTest, SleepsTakeNoTimeAndSerialOrdersWithThemAreSerial) {
  ServerExecutor executor(*server_, options());
  Exploration exploration(input({}, {{"SELECT SLEEP(1000)"}, {"SELECT SLEEP(2000)", "SELECT 1"}}),
                          settings("pct:d=2"));
  exploration.prepare(executor);
  for (const SerialRun& run : exploration.serial_runs()) EXPECT_EQ(run.infeasible, "");
  const Judged judged = exploration.explore(executor, 1);
  EXPECT_EQ(judged.verdict.verdict, VerdictClass::kNone);
  EXPECT_GT(judged.report.timer_firings, 0u);
  EXPECT_LT(judged.report.total_ms, 60'000);  // not 3000 s
}

TEST_F(ExecutionTest, TheDateIsTheSameInEveryExecution) {
  ServerExecutor executor(*server_, options());
  const ConcreteInput concrete = input({}, {{"SELECT NOW(6)"}, {"SELECT UNIX_TIMESTAMP()"}});
  Exploration exploration(concrete, settings("random:p=0.2"));
  exploration.prepare(executor);
  const Judged first = exploration.explore(executor, 1);
  const Judged second = exploration.explore(executor, 2);
  EXPECT_EQ(first.report.record.outcome.outputs[0][0].results[0].rows,
            second.report.record.outcome.outputs[0][0].results[0].rows);
  // ... but the two runs of a serial order live at different dates, so that it is known not to
  // count.
  EXPECT_FALSE(exploration.masks().empty());
}

TEST_F(ExecutionTest, SessionsOfSeveralRequestsKeepTheirOrderAndAreLinearizable) {
  ServerExecutor executor(*server_, options());
  Exploration exploration(
      input({"CREATE TABLE t1 (id INT PRIMARY KEY, a INT) ENGINE=InnoDB",
             "INSERT INTO t1 VALUES (1,0)"},
            {{"UPDATE t1 SET a = a + 1 WHERE id = 1", "UPDATE t1 SET a = a + 10 WHERE id = 1"},
             {"UPDATE t1 SET a = a * 2 WHERE id = 1", "SELECT a FROM t1"}}),
      settings("random:p=0.1"));
  exploration.prepare(executor);
  for (uint64_t n = 1; n <= 8; ++n) {
    const Judged judged = exploration.explore(executor, n);
    EXPECT_EQ(judged.verdict.verdict, VerdictClass::kNone) << n;
    for (const auto& session : judged.report.record.stamps) {
      ASSERT_EQ(session.size(), 2u);
      EXPECT_LE(session[0].invocation, session[0].response);
      EXPECT_LE(session[0].response, session[1].invocation);
      EXPECT_LT(session[1].response, kNever);
    }
  }
}

TEST_F(ExecutionTest, ALockHeldAcrossRequestsIsWaitedForAndReleasedByTheOtherSession) {
  ServerExecutor executor(*server_, options());
  Exploration exploration(
      input({"CREATE TABLE t1 (a INT) ENGINE=MyISAM"},
            {{"LOCK TABLES t1 WRITE", "INSERT INTO t1 VALUES (1)", "UNLOCK TABLES"},
             {"INSERT INTO t1 VALUES (2)"}}),
      settings("random:p=0.3"));
  exploration.prepare(executor);
  for (uint64_t n = 1; n <= 6; ++n) {
    EXPECT_EQ(exploration.explore(executor, n).verdict.verdict, VerdictClass::kNone) << n;
  }
}

TEST_F(ExecutionTest, ALostUpdateIsSemanticAndReplays) {
  const Judged judged = explore_until_found(
      input(kFunctions, {{"SELECT esox_lost_update()"}, {"SELECT esox_lost_update()"}}), 60);
  ASSERT_TRUE(judged.confirmed);
  EXPECT_EQ(judged.verdict.verdict, VerdictClass::kSemantic);
}

TEST_F(ExecutionTest, ADeadlockIsReportedWithItsCycle) {
  const Judged judged = explore_until_found(
      input(kFunctions, {{"SELECT esox_lock_pair(0)"}, {"SELECT esox_lock_pair(1)"}}), 60);
  ASSERT_TRUE(judged.confirmed);
  EXPECT_EQ(judged.verdict.verdict, VerdictClass::kDeadlock);
  const Ending& ending = judged.report.record.ending;
  ASSERT_EQ(ending.wait_cycle.size(), 2u);
  EXPECT_EQ(ending.wait_cycle[0].holder, ending.wait_cycle[1].waiter);
  EXPECT_EQ(ending.wait_cycle[1].holder, ending.wait_cycle[0].waiter);
  EXPECT_NE(ending.wait_cycle[0].site, 0u);
  EXPECT_THAT(text_of(ending.detail), HasSubstr("esox_lock_pair"));
}

TEST_F(ExecutionTest, TheSameLocksInTheSameOrderAreNoDeadlock) {
  ServerExecutor executor(*server_, options());
  Exploration exploration(
      input(kFunctions, {{"SELECT esox_lock_pair(1)"}, {"SELECT esox_lock_pair(1)"}}),
      settings("random:p=0.3"));
  for (uint64_t n = 1; n <= 10; ++n) {
    EXPECT_EQ(exploration.explore(executor, n).verdict.verdict, VerdictClass::kNone) << n;
  }
}

TEST_F(ExecutionTest, ACrashIsAFindingWithItsStack) {
  const Judged judged = explore_until_found(
      input(kFunctions, {{"SELECT esox_crash()"}, {"SELECT esox_crash()"}}), 60);
  ASSERT_TRUE(judged.confirmed);
  EXPECT_EQ(judged.verdict.verdict, VerdictClass::kCrash);
  EXPECT_EQ(judged.report.record.ending.signal, SIGSEGV);
  EXPECT_THAT(judged.report.record.ending.stack, testing::Not(IsEmpty()));
  EXPECT_THAT(text_of(judged.report.record.ending.detail), HasSubstr("esox_crash"));
}

TEST_F(ExecutionTest, ACrashOfASerialRunIsReportedToo) {
  ServerExecutor executor(*server_, options());
  Exploration exploration(input(kFunctions, {{"SELECT esox_crash_alone()"}}), settings("pct:d=2"));
  const Judged judged = exploration.explore(executor, 1);
  EXPECT_EQ(judged.verdict.verdict, VerdictClass::kSerial);
  EXPECT_TRUE(judged.confirmed) << judged.doubt;
  EXPECT_EQ(judged.report.record.strategy, "serial");
  EXPECT_THAT(text_of(judged.report.record.ending.detail), HasSubstr("esox_crash_alone"));
}

TEST_F(ExecutionTest, ASerialRunThatLostControlIsTriedAgain) {
  ExecutorOptions short_stall = options();
  short_stall.stall_limit = std::chrono::milliseconds(3'000);
  ServerExecutor executor(*server_, short_stall);
  const std::string mark = (folder_->path() / "stalled").string();
  Exploration exploration(input(kFunctions, {{"SELECT esox_stall_once('" + mark + "')"}}),
                          settings("pct:d=2"));
  exploration.prepare(executor);
  EXPECT_TRUE(std::filesystem::exists(mark)) << "nothing stalled";
  EXPECT_GE(exploration.serial_executions(), 3u) << "two dates, and one run in vain";
  ASSERT_EQ(exploration.serial_runs().size(), 1u);
  EXPECT_EQ(exploration.serial_runs()[0].infeasible, "");
}

// Whether the state can still be read is a race with the server's end; neither is the server's
// fault.
TEST_F(ExecutionTest, AShutdownByRequestIsDegradedNotACrash) {
  ServerExecutor executor(*server_, options());
  Exploration exploration(input({}, {{"SHUTDOWN"}, {"SELECT 1"}}), settings("random:p=0.1"));
  for (uint64_t n = 1; n <= 2; ++n) {
    const Judged judged = exploration.explore(executor, n);
    EXPECT_THAT(judged.verdict.verdict, AnyOf(VerdictClass::kNone, VerdictClass::kDegraded))
        << class_name(judged.verdict.verdict) << ", "
        << text_of(judged.report.record.ending.detail);
    EXPECT_FALSE(judged.cause.has_value());
    const Output& reply = judged.report.record.outcome.outputs.at(0).at(0);
    const bool killed = reply.error == 1927;  // by itself
    EXPECT_TRUE(!reply.answered || reply.error == 0 || killed) << reply.message;
  }
}

// Whom a shutdown meets is outside control; so its error proves nothing.
TEST_F(ExecutionTest, AReplyThatTheServerShutsDownIsDegradedInWords) {
  ServerExecutor executor(*server_, options());
  const ConcreteInput concrete =
      input({}, {{"SIGNAL SQLSTATE '08S01' SET MYSQL_ERRNO = 1053"}, {"SELECT 1"}});
  ExecutionPlan plan;
  plan.input = &concrete;
  plan.strategy = settings("random:p=0.1").strategy;
  const ExecutionRecord record = executor.run(plan).record;
  EXPECT_EQ(record.outcome.outputs.at(0).at(0).error, 1053u);
  EXPECT_EQ(record.ending.kind, EndingKind::kDegraded);
  EXPECT_THAT(record.degraded_reasons, testing::ElementsAre("the server was being shut down"));
}

// Its request cannot arrive: nobody waits for it.
TEST_F(ExecutionTest, AClientWithoutAConnectionIsNoticedAtOnce) {
  ExecutorOptions patient = options();
  patient.isolation = Isolation::kRestart;
  patient.arrival_limit = patient.execution_limit = std::chrono::minutes(2);
  ServerExecutor executor(*server_, patient);
  ConcreteInput concrete = input({}, {{"SELECT 1"}, {"SELECT 2"}});
  concrete.input.clients[1].setup = {"KILL 4"};  // the first client's connection
  ExecutionPlan plan;
  plan.input = &concrete;
  plan.strategy = settings("random:p=0.1").strategy;
  const ExecutionReport report = executor.run(plan);
  EXPECT_FALSE(report.record.outcome.outputs.at(0).at(0).answered) << "it was not killed";
  EXPECT_EQ(report.record.ending.kind, EndingKind::kDegraded);
  EXPECT_LT(report.steps.run_ms, 60'000);
}

// A request ends where its thread waits for the next one, not where it looks at the connection.
TEST_F(ExecutionTest, LookingAtTheConnectionIsNotTheEndOfARequest) {
  ServerExecutor executor(*server_, options());
  std::vector<std::string> setup = kFunctions;
  setup.insert(setup.end(), {"CREATE TABLE t1 (a INT)", "INSERT INTO t1 VALUES (1),(2),(3)"});
  // Rows so long that each is sent at once: from the second on, part of the reply is out.
  const ConcreteInput concrete =
      input(setup, {{"SELECT REPEAT('x', 100000), esox_peek(a) FROM t1"}});
  ExecutionPlan plan;
  plan.input = &concrete;
  plan.strategy = settings("random:p=0.1").strategy;
  plan.seed = 1;
  const ExecutionRecord record = executor.run(plan).record;
  ASSERT_EQ(record.ending.kind, EndingKind::kFinished) << text_of(record.ending.detail);
  EXPECT_THAT(record.degraded_reasons, IsEmpty());
  Symbols symbols = debug_symbols(record.modules);
  uint32_t sends = 0;
  uint32_t looks = 0;
  uint32_t looks_while_sending = 0;
  for (const TraceEvent& event : record.trace) {
    if (event.kind == OpKind::kRequestEnd) break;
    if (event.kind == OpKind::kSend) ++sends;
    if (event.kind != OpKind::kMutexLock) continue;
    if (symbols.site(event.site).find("esox_peek") == std::string::npos) continue;
    ++looks;
    if (sends > 0) ++looks_while_sending;
  }
  EXPECT_EQ(looks, 3u);
  EXPECT_GE(looks_while_sending, 1u) << "nothing was tested";
}

TEST_F(ExecutionTest, FileTimesAgreeWithTheServersDate) {
  ServerExecutor executor(*server_, options());
  const ConcreteInput concrete =
      input({"CREATE TABLE t1 (a INT) ENGINE=MyISAM"},
            {{"INSERT INTO t1 VALUES (1)", "FLUSH TABLES",
              "SELECT ABS(TIMESTAMPDIFF(SECOND, UPDATE_TIME, NOW())) < 300 FROM "
              "information_schema.tables WHERE table_name = 't1'"}});
  ExecutionPlan plan;
  plan.input = &concrete;
  plan.strategy = settings("random:p=0.1").strategy;
  plan.seed = 1;
  plan.clock_base_ns = settings("random:p=0.1").clock_base_ns;
  const ExecutionRecord record = executor.run(plan).record;
  const auto& rows = record.outcome.outputs.at(0).at(2).results.at(0).rows;
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].at(0), "1");
}

TEST_F(ExecutionTest, ARequestThatNeverEndsIsAHangWithStacks) {
  ExecutorOptions few_steps = options();
  few_steps.control.step_limit = 20'000;
  ServerExecutor executor(*server_, few_steps);
  ExecutionPlan plan;
  const ConcreteInput concrete =
      input(kFunctions, {{"SELECT esox_spin()"}, {"SELECT esox_spin()"}});
  plan.input = &concrete;
  plan.strategy = settings("random:p=0.1").strategy;
  plan.seed = 1;
  const ExecutionReport report = executor.run(plan);
  EXPECT_EQ(report.record.ending.kind, EndingKind::kHang);
  EXPECT_THAT(text_of(report.record.ending.detail), HasSubstr("esox_spin"));
}

// Who spins does so until all three are there, and the others sleep first.
TEST_F(ExecutionTest, TimePassesBesideARequestThatDoesButRepeatItself) {
  ExecutorOptions few_steps = options();
  few_steps.control.step_limit = 40'000;
  ServerExecutor executor(*server_, few_steps);
  const ConcreteInput concrete = input(kFunctions, {{"SELECT esox_spin()"},
                                                    {"SELECT SLEEP(2)", "SELECT esox_spin()"},
                                                    {"SELECT SLEEP(2)", "SELECT esox_spin()"}});
  ExecutionPlan plan;
  plan.input = &concrete;
  plan.strategy = settings("random:p=0.1").strategy;
  plan.seed = 1;
  const ExecutionReport report = executor.run(plan);
  EXPECT_EQ(report.record.ending.kind, EndingKind::kFinished);
  EXPECT_GT(report.points, few_steps.control.step_limit / 2);
}

// A keeps its lock; B asks for one of metadata a second at a time, for as long as `patience` says.
ExecutionReport first_wait(Executor& executor, ConcreteInput concrete, const std::string& patience,
                           const StrategySpec& strategy) {
  concrete.input.clients.at(1).setup = {"SET lock_wait_timeout = " + patience};
  ExecutionReport report;
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    ExecutionPlan plan;
    plan.input = &concrete;
    plan.strategy = strategy;
    plan.seed = seed;
    report = executor.run(plan);
    if (report.timer_firings > 0) break;
  }
  return report;
}

TEST_F(ExecutionTest, ARequestThatWaitsForADayHangsLongBeforeTheLimitOfPoints) {
  ServerExecutor executor(*server_, options());
  const ConcreteInput concrete = input({"CREATE TABLE t1 (a INT) ENGINE=Aria"},
                                       {{"LOCK TABLES t1 READ", "SELECT 1"}, {"DROP TABLE t1"}});
  const StrategySpec strategy = settings("random:p=0.1").strategy;
  const ExecutionReport hangs = first_wait(executor, concrete, "86400", strategy);
  EXPECT_EQ(hangs.record.ending.kind, EndingKind::kHang);
  EXPECT_LT(hangs.points, options().control.step_limit / 10);
  EXPECT_LT(hangs.timer_firings, 1100u);
  EXPECT_THAT(text_of(hangs.record.ending.detail),
              AllOf(HasSubstr("nothing new but that waits time out"), HasSubstr("MDL_wait")));
  const ExecutionReport ends = first_wait(executor, concrete, "900", strategy);
  EXPECT_EQ(ends.record.ending.kind, EndingKind::kFinished);
  EXPECT_EQ(ends.record.outcome.outputs.at(1).at(0).error, 1205u) << "its patience is over";
  EXPECT_GT(ends.timer_firings, 800u);
}

TEST_F(ExecutionTest, ASessionThatIsKilledMakesTheExecutionDegradedNotFlagged) {
  ServerExecutor executor(*server_, options());
  // The setup's connection is the first after boot; the clients are the next ones.
  const ConcreteInput concrete =
      input({"CREATE TABLE t1 (a INT)"},
            {{"SELECT COUNT(*) FROM t1", "SELECT 1"},
             {"SET @id := (SELECT MIN(id) FROM information_schema.processlist WHERE id > "
              "(SELECT MIN(id) FROM information_schema.processlist WHERE command <> 'Daemon'))",
              "KILL CONNECTION @id"}});
  Exploration exploration(concrete, settings("random:p=0.2"));
  exploration.prepare(executor);
  for (uint64_t n = 1; n <= 4; ++n) {
    const Judged judged = exploration.explore(executor, n);
    EXPECT_THAT(judged.verdict.verdict, AnyOf(VerdictClass::kNone, VerdictClass::kDegraded))
        << class_name(judged.verdict.verdict);
  }
}

TEST_F(ExecutionTest, AFailingSetupIsSaidWithItsStatement) {
  ServerExecutor executor(*server_, options());
  Exploration exploration(
      input({"CREATE TABLE t1 (a INT)", "CREATE TABEL t2 (a INT)"}, {{"SELECT 1"}}),
      settings("pct:d=1"));
  try {
    exploration.prepare(executor);
    FAIL() << "no error";
  } catch (const SetupError& error) {
    EXPECT_THAT(error.what(), HasSubstr("execution_test.cpp"));
    EXPECT_THAT(error.what(), HasSubstr("CREATE TABEL"));
  }
}

TEST_F(ExecutionTest, ThreeClientsHaveSixOrders) {
  ServerExecutor executor(*server_, options());
  Exploration exploration(
      input({"CREATE TABLE t1 (a INT) ENGINE=InnoDB"},
            {{"INSERT INTO t1 VALUES (1)"}, {"INSERT INTO t1 VALUES (2)"}, {"SELECT a FROM t1"}}),
      settings("random:p=0.1"));
  for (uint64_t n = 1; n <= 5; ++n) {
    EXPECT_EQ(exploration.explore(executor, n).verdict.verdict, VerdictClass::kNone) << n;
  }
  EXPECT_LE(exploration.serial_runs().size(), 6u);
}

}  // namespace
}  // namespace esox
