// SPDX-License-Identifier: Apache-2.0
// Executions by snapshots of a real MariaDB: equal to those by restart, one not seen by the next,
// and with every failure a clear error or a fallback.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <set>
#include <thread>

#include "analysis/nondeterminism.h"
#include "analysis/trace_equality.h"
#include "harness/engine/debug_symbols.h"
#include "tests/integration/descriptor_limit.h"
#include "tests/integration/execution/execution_fixture.h"
#include "tests/integration/leftovers.h"
#include "tests/integration/plans.h"

namespace esox {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

constexpr int kBooted = 1;  // depth of PID namespaces below ours
constexpr int kSetUp = 2;
constexpr int kRun = 3;

// The server of that depth: -1 if there is none.
pid_t server_at(int nesting) {
  constexpr pid_t kServer = 2;  // in its own namespace; 1 is the keeper
  for (const ProcessEntry& process : descendants()) {
    if (process.nesting == nesting && process.inner == kServer) return process.pid;
  }
  return -1;
}

// False if it is gone already, or dead and not buried.
bool die(pid_t pid) {
  if (pid <= 1) return false;
  const UniqueFd pidfd(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));
  pollfd ended{pidfd.get(), POLLIN, 0};
  if (!pidfd || poll(&ended, 1, 0) == 1) return false;
  syscall(SYS_pidfd_send_signal, pidfd.get(), SIGKILL, nullptr, 0);
  return poll(&ended, 1, 20'000) == 1;
}

void expect_equal(const Outcome& first, const Outcome& second) {
  const Masks differing = differing_places(first, second);
  EXPECT_TRUE(differing.outputs.empty());
  EXPECT_TRUE(differing.state.empty());
}

class SnapshotExecutionTest : public ExecutionFixture {
 protected:
  void SetUp() override {
    base_ = std::make_unique<PrivateDirectory>(folder_->path());
    ExecutorOptions trying = with(Isolation::kSnapshot);
    const ConcreteInput nothing = input({}, {{"SELECT 1"}});
    try {
      executor_ = std::make_unique<ServerExecutor>(*server_, trying);
      executor_->run(plan(nothing, 1));
    } catch (const ServerError& error) {
      GTEST_SKIP() << error.what();
    }
    ASSERT_EQ(executor_->isolation(), Isolation::kSnapshot);
  }

  void TearDown() override {
    executor_.reset();
    EXPECT_TRUE(all_processes_end());
    EXPECT_EQ(entries_in(base_->path()), 0u);
  }

  ExecutorOptions with(Isolation isolation) const {
    ExecutorOptions chosen = options();
    chosen.isolation = isolation;
    chosen.base = base_->path();
    return chosen;
  }

  static ExecutionPlan plan(const ConcreteInput& concrete, uint64_t seed) {
    return plan_by(settings("random:p=0.3"), concrete, seed);
  }

  // The template serves on: no boot, and all is well.
  void expect_serves_on(const ConcreteInput& concrete, std::vector<size_t> requests) {
    ExecutionPlan next = plan(concrete, 1);
    next.requests = std::move(requests);
    const ExecutionReport report = executor_->run(next);
    EXPECT_EQ(report.record.ending.kind, EndingKind::kFinished)
        << text_of(report.record.ending.detail);
    EXPECT_EQ(report.boot_ms, 0) << "it was booted again";
    EXPECT_EQ(executor_->isolation(), Isolation::kSnapshot);
  }

  void expect_works_again(const ConcreteInput& concrete) {
    EXPECT_EQ(executor_->run(plan(concrete, 1)).record.ending.kind, EndingKind::kFinished);
    EXPECT_EQ(executor_->isolation(), Isolation::kSnapshot);
  }

  // Runs with `auto` and these options: the execution is made all the same, with a reason.
  void expect_fallback(const ExecutorOptions& chosen, const ConcreteInput& concrete,
                       const std::string& words) {
    ExecutorOptions automatic = chosen;
    automatic.isolation = Isolation::kAuto;
    std::string told;
    automatic.on_fallback = [&](const std::string& reason) { told = reason; };
    ServerExecutor executor(*server_, automatic);
    EXPECT_EQ(executor.run(plan(concrete, 1)).record.ending.kind, EndingKind::kFinished);
    EXPECT_EQ(executor.isolation(), Isolation::kRestart);
    EXPECT_THAT(told, HasSubstr(words));
    EXPECT_EQ(told, executor.fallback_reason());
  }

  void expect_error(const ExecutorOptions& chosen, const ConcreteInput& concrete,
                    const std::string& words) {
    ServerExecutor executor(*server_, chosen);
    try {
      executor.run(plan(concrete, 1));
      ADD_FAILURE() << "no error";
    } catch (const ServerError& error) {
      EXPECT_THAT(error.what(), HasSubstr(words));
    }
  }

  static std::string stall_mark() { return (folder_->path() / "stalled").string(); }

  // Its first client's request lasts until somebody ends the run, unless the mark is there.
  static ConcreteInput stalling_input() {
    std::filesystem::remove(stall_mark());
    return input(kFunctions, {{"SELECT esox_stall_once('" + stall_mark() + "')"}, {"SELECT 1"}});
  }

  std::unique_ptr<PrivateDirectory> base_;
  std::unique_ptr<ServerExecutor> executor_;
  ConcreteInput simple_ =
      input({"CREATE TABLE t1 (a INT) ENGINE=MyISAM"}, {{"INSERT INTO t1 VALUES (1)"}});
};

class SnapshotEngineTest : public SnapshotExecutionTest,
                           public testing::WithParamInterface<const char*> {};

// How far purge has come is left to luck by a setup, and a statement finds the pages that it frees
// or not: one restart in eighty had other points on a busy machine.
TEST_P(SnapshotEngineTest, TheSameChoicesGiveTheSameOutcomeByRestart) {
  const ConcreteInput concrete = input(
      {std::string("CREATE TABLE t1 (id INT PRIMARY KEY, a INT) ENGINE=") + GetParam(),
       "INSERT INTO t1 VALUES (1, 1), (2, 2)", "SET GLOBAL innodb_max_purge_lag_wait = 0"},
      {{"UPDATE t1 SET a = a + 10 WHERE id < 3"}, {"INSERT INTO t1 SELECT id + 10, a FROM t1"}});
  ServerExecutor restarting(*server_, with(Isolation::kRestart));
  for (uint64_t seed = 1; seed <= 4; ++seed) {
    SCOPED_TRACE(seed);
    const ExecutionReport forked = executor_->run(plan(concrete, seed));
    const ExecutionReport restarted =
        restarting.run(plan_again(settings("random:p=0.3"), concrete, forked.record));
    ASSERT_EQ(forked.record.ending.kind, EndingKind::kFinished);
    ASSERT_EQ(restarted.record.ending.kind, EndingKind::kFinished);
    EXPECT_FALSE(forked.record.choices.empty());
    EXPECT_EQ(restarted.diverged, 0u)
        << compare_traces(forked.record.trace, forked.record.modules, restarted.record.trace,
                          restarted.record.modules)
               .text;
    expect_equal(forked.record.outcome, restarted.record.outcome);
  }
  EXPECT_EQ(executor_->isolation(), Isolation::kSnapshot);
  EXPECT_EQ(restarting.isolation(), Isolation::kRestart);
}

INSTANTIATE_TEST_SUITE_P(Engines, SnapshotEngineTest, testing::Values("MyISAM", "Aria", "InnoDB"));

// Who waits without a call keeps the baton from the one he waits for.
TEST_F(SnapshotExecutionTest, AThreadThatWaitsInMemoryLetsOthersRun) {
  const ConcreteInput concrete =
      input(kFunctions, {{"SELECT esox_write_alone()"}, {"SELECT esox_read_even()"}});
  uint64_t waits = 0;
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    const ExecutionReport report = executor_->run(plan(concrete, seed));
    ASSERT_EQ(report.record.ending.kind, EndingKind::kFinished) << seed;
    const bool waited = std::ranges::any_of(report.record.trace, [](const TraceEvent& event) {
      return event.kind == OpKind::kYield && event.site == 0;
    });
    if (!waited) continue;
    ++waits;
    const ExecutionReport again = executor_->run(plan(concrete, seed));
    const TraceDifference traces = compare_traces(report.record.trace, report.record.modules,
                                                  again.record.trace, again.record.modules);
    EXPECT_TRUE(traces.equal) << seed << ": " << traces.text;
  }
  EXPECT_GE(waits, 1U) << "nothing was tested";
}

// As SET GLOBAL event_scheduler = OFF does. Whoever is ready goes on before or after it as the seed
// says, not as the machine lets the other thread end.
TEST_F(SnapshotExecutionTest, AJoinedThreadOfTheServersOwnEndsBeforeOthersRunOn) {
  const ConcreteInput concrete =
      input(kFunctions, {{"SELECT esox_join_hasty()", "SELECT esox_join_hasty()"},
                         {"SELECT esox_lost_update()", "SELECT esox_lost_update()"}});
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    const ExecutionReport report = executor_->run(plan(concrete, seed));
    ASSERT_EQ(report.record.ending.kind, EndingKind::kFinished) << seed;
    for (int again = 0; again < 3; ++again) {
      const ExecutionReport other = executor_->run(plan(concrete, seed));
      const TraceDifference traces = compare_traces(report.record.trace, report.record.modules,
                                                    other.record.trace, other.record.modules);
      EXPECT_TRUE(traces.equal) << seed << ": " << traces.text;
    }
  }
}

// Whatever the private folder is called, also where the server walks down to it folder by folder,
// or has its path from the root behind a dot.
TEST_F(SnapshotExecutionTest, FilesAreTheSameObjectsInEveryPrivateFolder) {
  const ConcreteInput concrete = input(
      {"CREATE TABLE t1 (a INT) ENGINE=MyISAM", "CREATE TABLE t2 (a INT) ENGINE=MyISAM"},
      {{"DROP TABLE t1", "CREATE TEMPORARY TABLE t3 (a INT) ENGINE=InnoDB"}, {"DROP TABLE t2"}});
  const auto files_of = [&](ServerExecutor& executor) {
    const ExecutionReport report = executor.run(plan(concrete, 1));
    EXPECT_EQ(report.record.ending.kind, EndingKind::kFinished);
    std::vector<uint64_t> files;
    for (const TraceEvent& event : report.record.trace) {
      const bool file = event.kind >= OpKind::kFileOpen && event.kind <= OpKind::kDirectoryMake;
      if (file) files.push_back(event.object);
    }
    return files;
  };
  ServerExecutor other(*server_, with(Isolation::kSnapshot));
  const std::vector<uint64_t> files = files_of(*executor_);
  EXPECT_GE(files.size(), 4u);
  EXPECT_EQ(files, files_of(other));
}

// As MySQL's CREATE INDEX does.
TEST_F(SnapshotExecutionTest, TimeDoesNotPassWhileAClientAwaitsAThreadOutsideControl) {
  const ConcreteInput concrete =
      input(kFunctions, {{"SELECT esox_join_worker()"}, {"SELECT SLEEP(1000)"}});
  for (uint64_t seed = 1; seed <= 8; ++seed) {
    const ExecutionReport report = executor_->run(plan(concrete, seed));
    ASSERT_EQ(report.record.ending.kind, EndingKind::kFinished) << seed;
    EXPECT_TRUE(report.record.degraded_reasons.empty()) << seed;
    EXPECT_EQ(report.record.outcome.outputs[0][0].results[0].rows[0][0], "0") << seed;
  }
}

// A server's files are copies, which the kernel says were made when they were copied.
TEST_F(SnapshotExecutionTest, AFileIsAsOldAsItsOriginal) {
  std::vector<std::string> setup = kFunctions;
  setup.insert(setup.end(), {"CREATE TABLE t1 (a INT) ENGINE=MyISAM", "DO SLEEP(2)"});
  const ConcreteInput concrete =
      input(setup, {{"SELECT esox_touched('test/t1.MYD'), esox_touched('test/t1.frm')"}});
  const ExecutionReport report = executor_->run(plan(concrete, 1));
  EXPECT_EQ(executor_->isolation(), Isolation::kSnapshot);
  const auto& rows = report.record.outcome.outputs.at(0).at(0).results.at(0).rows;
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].at(0), "0");
  EXPECT_EQ(rows[0].at(1), "0");
}

TEST_F(SnapshotExecutionTest, OneExecutionsBinaryLogIsNotSeenByTheNext) {
  ConcreteInput concrete =
      input({"CREATE TABLE t1 (a INT) ENGINE=InnoDB"},
            {{"INSERT INTO t1 VALUES (1)", "INSERT INTO t1 VALUES (2)", "SHOW MASTER STATUS"}});
  concrete.input.server_options = {"--log-bin=binlog", "--server-id=1"};
  const ExecutionReport first = executor_->run(plan(concrete, 1));
  const ExecutionReport second = executor_->run(plan(concrete, 1));
  const auto& status = first.record.outcome.outputs.at(0).at(2).results.at(0).rows;
  ASSERT_EQ(status.size(), 1u) << "no binary log: nothing was tested";
  EXPECT_EQ(status, second.record.outcome.outputs.at(0).at(2).results.at(0).rows);
  expect_equal(first.record.outcome, second.record.outcome);
  EXPECT_GT(first.boot_ms, 0);
  EXPECT_EQ(second.boot_ms, 0);
}

// The server's log tells of it, which an execution begins with as it was after the setup.
TEST_F(SnapshotExecutionTest, AnEventThatFailedIsToldOfItsOwnExecutionOnly) {
  const ConcreteInput concrete =
      input({"SET GLOBAL event_scheduler = ON",
             "CREATE TABLE t1 (a INT PRIMARY KEY, b INT) ENGINE=InnoDB",
             "CREATE TABLE t2 (a INT PRIMARY KEY, b INT) ENGINE=InnoDB",
             "INSERT INTO t1 VALUES (1, 0), (2, 0)", "INSERT INTO t2 VALUES (1, 0), (2, 0)",
             "CREATE TRIGGER g AFTER UPDATE ON t2 FOR EACH ROW UPDATE t1 SET b = b + 10"},
            {{"CREATE EVENT e1 ON SCHEDULE AT CURRENT_TIMESTAMP DO BEGIN START TRANSACTION; UPDATE "
              "t1 SET b = b + 1 WHERE a = 1; UPDATE t2 SET b = b + 1 WHERE a = 1; COMMIT; END"},
             {"UPDATE t2 SET b = b + 10"}});
  size_t lost = 0;
  size_t done = 0;
  for (uint64_t seed = 1; seed <= 400 && (lost < 3 || done < 3); ++seed) {
    ExecutionPlan one = plan_by(settings("random:p=0.02"), concrete, seed);
    one.contexts = true;
    const Outcome outcome = executor_->run(one).record.outcome;
    if (outcome.outputs.at(1).at(0).error != 0) continue;  // the client's statement is the victim
    const Component* rows = outcome.state.find("rows:test.t2");
    ASSERT_NE(rows, nullptr);
    const bool is_lost = std::ranges::none_of(rows->elements, [](const Element& element) {
      return element.value.find("11") != std::string::npos;
    });
    (is_lost ? lost : done) += 1;
    EXPECT_EQ(outcome.failed_tasks.empty(), !is_lost) << seed;
  }
  EXPECT_GT(lost, 0u) << "nothing was tested";
  EXPECT_GT(done, 0u);
}

TEST_F(SnapshotExecutionTest, ACrashLeavesTheTemplateUsable) {
  const ConcreteInput concrete = input(kFunctions, {{"SELECT esox_crash_alone()"}, {"SELECT 1"}});
  const ExecutionReport report = executor_->run(plan(concrete, 1));
  EXPECT_EQ(report.record.ending.kind, EndingKind::kCrash);
  EXPECT_EQ(report.record.ending.signal, SIGSEGV);
  EXPECT_THAT(text_of(report.record.ending.detail), HasSubstr("esox_crash_alone"));
  expect_serves_on(concrete, {0, 1});
}

TEST_F(SnapshotExecutionTest, ADeadlockLeavesTheTemplateUsable) {
  const ConcreteInput concrete =
      input(kFunctions, {{"SELECT esox_lock_pair(0)"}, {"SELECT esox_lock_pair(1)"}});
  EndingKind ending = EndingKind::kFinished;
  for (uint64_t seed = 1; seed <= 100 && ending == EndingKind::kFinished; ++seed) {
    ending = executor_->run(plan(concrete, seed)).record.ending.kind;
  }
  ASSERT_EQ(ending, EndingKind::kDeadlock);
  expect_serves_on(concrete, {0, 1});
}

TEST_F(SnapshotExecutionTest, AHangLeavesTheTemplateUsable) {
  ExecutorOptions few_steps = with(Isolation::kSnapshot);
  few_steps.control.step_limit = 20'000;
  executor_ = std::make_unique<ServerExecutor>(*server_, few_steps);
  const ConcreteInput concrete = input(kFunctions, {{"SELECT esox_spin()"}, {"SELECT 1"}});
  EXPECT_EQ(executor_->run(plan(concrete, 1)).record.ending.kind, EndingKind::kHang);
  expect_serves_on(concrete, {0, 1});
}

TEST_F(SnapshotExecutionTest, SitesInALibraryThatARequestLoadedHaveNames) {
  const ConcreteInput concrete =
      input({}, {{"CREATE FUNCTION esox_lock_pair RETURNS INTEGER SONAME 'esox_seeded_faults.so'",
                  "SELECT esox_lock_pair(0)"}});
  const ExecutionRecord record = executor_->run(plan(concrete, 1)).record;
  ASSERT_EQ(record.ending.kind, EndingKind::kFinished);
  Symbols symbols = debug_symbols(record.modules);
  std::set<std::string> functions;
  for (const TraceEvent& event : record.trace) functions.insert(symbols.function(event.site));
  EXPECT_THAT(functions, Contains(HasSubstr("esox_lock_pair")));
}

// The server hangs up on all connections; those of the next execution are new.
TEST_F(SnapshotExecutionTest, AfterAShutdownTheNextExecutionHasAllItsConnections) {
  const ConcreteInput concrete = input({}, {{"SHUTDOWN"}, {"SELECT 1"}});
  for (uint64_t seed = 1; seed <= 4; ++seed) {
    SCOPED_TRACE(seed);
    const ExecutionRecord record = executor_->run(plan(concrete, seed)).record;
    const Output& reply = record.outcome.outputs.at(0).at(0);
    EXPECT_TRUE(reply.answered) << reply.message;
    EXPECT_THAT(record.degraded_reasons, Not(Contains(HasSubstr("did not send"))));
  }
  EXPECT_EQ(executor_->isolation(), Isolation::kSnapshot);
}

class SnapshotFailingStepTest : public SnapshotExecutionTest,
                                public testing::WithParamInterface<SnapshotStep> {};

TEST_P(SnapshotFailingStepTest, AStepOfTheForkThatFailsIsSaidOrFallenBackFrom) {
  ExecutorOptions failing = with(Isolation::kSnapshot);
  failing.snapshot_fail_at = GetParam();
  const char* words =
      GetParam() == SnapshotStep::kForkProcess ? "cannot be forked" : "cannot be made anew";
  expect_error(failing, simple_, words);
  expect_fallback(failing, simple_, words);
}

INSTANTIATE_TEST_SUITE_P(Steps, SnapshotFailingStepTest,
                         testing::Values(SnapshotStep::kForkProcess, SnapshotStep::kDescriptors,
                                         SnapshotStep::kThreads),
                         [](const auto& step) {
                           return std::to_string(static_cast<int>(step.param));
                         });

TEST_F(SnapshotExecutionTest, FilesThatDoNotFitIntoMemoryAreSaidOrFallenBackFrom) {
  ExecutorOptions small = with(Isolation::kSnapshot);
  small.snapshot_store_bytes = 1 << 20;
  expect_error(small, simple_, "No space left on device");
  expect_fallback(small, simple_, "No space left on device");
}

TEST_F(SnapshotExecutionTest, AnInputThatCannotBeForkedIsRestartedAndTheOthersAreNot) {
  ExecutorOptions automatic = with(Isolation::kAuto);
  std::string told;
  automatic.on_fallback = [&](const std::string& reason) { told = reason; };
  ServerExecutor executor(*server_, automatic);
  executor.run(plan(simple_, 1));
  std::string dots;  // each takes five letters in a file's name
  for (int i = 0; i < 23; ++i) dots += '.';
  const std::string name = "`" + dots + "x`";
  const ConcreteInput unfit = input({"CREATE TABLE " + name +
                                     " (a INT PRIMARY KEY) ENGINE=InnoDB PARTITION BY HASH (a) "
                                     "(PARTITION " +
                                     name + ")"},
                                    {{"INSERT INTO " + name + " VALUES (1)"}});
  for (unsigned i = 1; i <= 2; ++i) {
    EXPECT_EQ(executor.run(plan(unfit, i)).record.ending.kind, EndingKind::kFinished);
    EXPECT_EQ(executor.lives().restarted, i) << "this input can be forked";
  }
  EXPECT_THAT(executor.lives().why_restarted, HasSubstr("too long a path"));
  EXPECT_EQ(executor.isolation(), Isolation::kSnapshot);
  const uint64_t forked = executor.lives().forked;
  EXPECT_EQ(executor.run(plan(simple_, 1)).record.ending.kind, EndingKind::kFinished);
  EXPECT_GT(executor.lives().forked, forked);
  EXPECT_EQ(executor.lives().restarted, 2u);
  EXPECT_EQ(told, "");
}

// Else all inputs after it would be restarted, which takes some sixty times as long.
TEST_F(SnapshotExecutionTest, AServerThatDoesNotStartSaysNothingOfTheMachine) {
  ExecutorOptions automatic = with(Isolation::kAuto);
  std::string told;
  automatic.on_fallback = [&](const std::string& reason) { told = reason; };
  ServerExecutor executor(*server_, automatic);
  ConcreteInput dead = input({}, {{"SELECT 1"}});
  dead.input.server_options = {"--default-storage-engine=none-such"};
  for (unsigned i = 1; i <= 7; ++i) {
    dead.input.id = "dead" + std::to_string(i);
    EXPECT_THROW(executor.run(plan(dead, i)), ServerError);
  }
  EXPECT_EQ(executor.run(plan(simple_, 1)).record.ending.kind, EndingKind::kFinished);
  EXPECT_EQ(executor.isolation(), Isolation::kSnapshot);
  EXPECT_EQ(told, "");
}

TEST_F(SnapshotExecutionTest, ATemplateThatDiedWhileParkedIsMadeAnew) {
  expect_works_again(simple_);
  const Leftovers before = count_leftovers();
  const size_t folders = entries_in(base_->path());
  for (const int nesting : {kSetUp, kBooted, kSetUp, kBooted}) {
    SCOPED_TRACE(nesting);
    ASSERT_TRUE(die(server_at(nesting)));
    const ExecutionReport report = executor_->run(plan(simple_, 1));
    EXPECT_EQ(report.record.ending.kind, EndingKind::kFinished);
    EXPECT_EQ(report.boot_ms > 0, nesting == kBooted);
    EXPECT_EQ(executor_->isolation(), Isolation::kSnapshot);
    EXPECT_EQ(leftovers_in_the_end(before), before);
    EXPECT_EQ(entries_in(base_->path()), folders);
  }
}

// What is left by the one is not seen by the other: not its rows, nor the locks of its files.
TEST_F(SnapshotExecutionTest, AFreshRunLeavesTheOneThatWaitsForItsNextLife) {
  const ConcreteInput concrete =
      input({"CREATE TABLE t1 (a INT) ENGINE=Aria", "CREATE TABLE t2 (a INT) ENGINE=InnoDB"},
            {{"INSERT INTO t1 VALUES (1)", "SELECT * FROM t2"},
             {"INSERT INTO t2 VALUES (2)", "SELECT * FROM t1"}});
  const ExecutionReport first = executor_->run(plan(concrete, 1));
  EXPECT_FALSE(first.steps.rewound);
  for (const bool fresh : {false, true, false, true, true, false}) {
    ExecutionPlan next = plan(concrete, 1);
    next.fresh = fresh;
    const ExecutionReport report = executor_->run(next);
    EXPECT_EQ(report.record.ending.kind, EndingKind::kFinished);
    EXPECT_EQ(report.steps.rewound, !fresh);
    EXPECT_EQ(report.boot_ms, 0) << "it was booted again";
    expect_equal(report.record.outcome, first.record.outcome);
  }
}

// Ends the server of that depth as soon as a run lives that was not there before (kept, to be
// rewound).
class Killer {
 public:
  explicit Killer(int nesting)
      : thread_([this, nesting, kept = server_at(kRun)] {
          while (!done_.load()) {
            const pid_t run = server_at(kRun);
            if (run > 0 && run != kept && die(server_at(nesting)))
              killed_.store(true), done_.store(true);
          }
        }) {}
  ~Killer() { stop(); }
  bool stop() {
    done_.store(true);
    if (thread_.joinable()) thread_.join();
    return killed_.load();
  }

 private:
  std::atomic<bool> done_{false};
  std::atomic<bool> killed_{false};
  std::thread thread_;
};

TEST_F(SnapshotExecutionTest, ARunThatIsKilledIsACrashAndTheTemplateServesOn) {
  const ConcreteInput concrete = stalling_input();
  Killer killer(kRun);
  const ExecutionReport report = executor_->run(plan(concrete, 1));
  ASSERT_TRUE(killer.stop());
  EXPECT_EQ(report.record.ending.kind, EndingKind::kCrash);
  EXPECT_THAT(text_of(report.record.ending.detail), HasSubstr("SIGKILL"));
  expect_serves_on(concrete, {0, 1});
}

// Ends the server of that depth whenever a run stalls at the mark, that often.
class StallKiller {
 public:
  StallKiller(int nesting, std::string mark, int times)
      : thread_([this, nesting, mark = std::move(mark), times] {
          while (kills_ < times && !done_.load()) {
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
            if (!std::filesystem::exists(mark)) continue;
            if (kills_ + 1 < times) std::filesystem::remove(mark);  // so that the next one stalls
            // The run stalls until then; a look at /proc while others come and go may miss one.
            bool died = die(server_at(nesting));
            for (; !died && !done_.load(); died = die(server_at(nesting))) {
              std::this_thread::sleep_for(std::chrono::milliseconds(1));
            }
            if (died) ++kills_;
          }
        }) {}
  ~StallKiller() { stop(); }
  int stop() {
    done_.store(true);
    if (thread_.joinable()) thread_.join();
    return kills_;
  }

 private:
  std::atomic<bool> done_{false};
  std::atomic<int> kills_{0};
  std::thread thread_;
};

class SnapshotLostTest : public SnapshotExecutionTest, public testing::WithParamInterface<int> {
 protected:
  static ExecutorOptions patient(ExecutorOptions options) {
    options.stall_limit = options.execution_limit = std::chrono::minutes(3);
    return options;
  }
};

TEST_P(SnapshotLostTest, ATemplateThatDiesDuringARunIsMadeAnewAndTheRunRepeated) {
  executor_ = std::make_unique<ServerExecutor>(*server_, patient(with(Isolation::kAuto)));
  expect_works_again(simple_);
  const Leftovers before = count_leftovers();
  const ConcreteInput concrete = stalling_input();
  StallKiller killer(GetParam(), stall_mark(), 2);
  const ExecutionReport report = executor_->run(plan(concrete, 1));
  EXPECT_EQ(killer.stop(), 2);
  EXPECT_EQ(report.record.ending.kind, EndingKind::kFinished);
  EXPECT_EQ(executor_->isolation(), Isolation::kSnapshot);
  EXPECT_EQ(executor_->fallback_reason(), "");
  expect_works_again(simple_);
  EXPECT_EQ(leftovers_in_the_end(before), before);
}

TEST_P(SnapshotLostTest, ThreeLostTemplatesInARowAreTheEndOfSnapshots) {
  executor_.reset();  // the killer would find its servers, once process ids have begun anew
  const ConcreteInput concrete = stalling_input();
  StallKiller killer(GetParam(), stall_mark(), 3);
  expect_fallback(patient(with(Isolation::kAuto)), concrete, "(3 in a row)");
  EXPECT_EQ(killer.stop(), 3);
}

TEST_P(SnapshotLostTest, WhereOnlySnapshotsWillDoThreeLostTemplatesInARowAreAnError) {
  executor_ = std::make_unique<ServerExecutor>(*server_, patient(with(Isolation::kSnapshot)));
  const ConcreteInput concrete = stalling_input();
  StallKiller killer(GetParam(), stall_mark(), 3);
  try {
    executor_->run(plan(concrete, 1));
    ADD_FAILURE() << "no error";
  } catch (const ServerError& error) {
    EXPECT_THAT(error.what(), HasSubstr("(3 in a row)"));
  }
  EXPECT_EQ(killer.stop(), 3);
  expect_works_again(simple_);
}

TEST_F(SnapshotExecutionTest, AnInputWithWhoseOptionsNoServerStartsIsNoReasonToDoWithoutSnapshots) {
  executor_ = std::make_unique<ServerExecutor>(*server_, with(Isolation::kAuto));
  expect_works_again(simple_);
  ConcreteInput concrete = simple_;
  concrete.input.server_options.push_back("--default-storage-engine=no_such_engine");
  EXPECT_THROW(executor_->run(plan(concrete, 1)), std::runtime_error);
  EXPECT_EQ(executor_->fallback_reason(), "");
  expect_works_again(simple_);
  EXPECT_EQ(executor_->isolation(), Isolation::kSnapshot);
}

INSTANTIATE_TEST_SUITE_P(Levels, SnapshotLostTest, testing::Values(kBooted, kSetUp));

TEST_F(SnapshotExecutionTest, WithFewDescriptorsAnExecutionIsRightOrAnErrorAndTheNextOneWorks) {
  int errors = 0;
  for (int free = 0; free <= 12; ++free) {
    SCOPED_TRACE(free);
    expect_works_again(simple_);
    const size_t before = entries_in("/proc/self/fd");
    try {
      const DescriptorLimit limit(free);
      EXPECT_EQ(executor_->run(plan(simple_, 1)).record.ending.kind, EndingKind::kFinished);
    } catch (const ServerError& error) {
      EXPECT_THAT(error.what(), HasSubstr("open files"));
      ++errors;
    }
    EXPECT_LE(entries_in("/proc/self/fd"), before);
  }
  EXPECT_GT(errors, 0);
}

TEST_F(SnapshotExecutionTest, ExecutionsLeaveNoDescriptorAndNoProcess) {
  for (uint64_t seed = 1; seed <= 3; ++seed) executor_->run(plan(simple_, seed));
  const Leftovers before = count_leftovers();
  for (uint64_t seed = 4; seed <= 30; ++seed) executor_->run(plan(simple_, seed));
  EXPECT_EQ(leftovers_in_the_end(before), before);
}

}  // namespace
}  // namespace esox
