// SPDX-License-Identifier: Apache-2.0
// Programs of which each execution is a fork: every kind of failure is told from every other, a
// correct program fails in none of thousands, and no execution knows of those before it.
#include <filesystem>
#include <set>
#include <system_error>

#include "base/process/server_error.h"
#include "harness/engine/debug_symbols.h"
#include "harness/programs/reproduction.h"
#include "tests/integration/exec_fixture.h"

namespace esox {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

std::set<FailureClass> classes_of(const CampaignReport& report) {
  std::set<FailureClass> classes;
  for (const FoundFailure& found : report.failures) classes.insert(found.failure.kind);
  return classes;
}

// --- Kinds of failure --------------------------------------------------------------------------

struct Failing {
  const char* program;
  FailureClass kind;
  const char* title;
  std::vector<std::string> arguments = {};
};

void PrintTo(const Failing& one, std::ostream* out) {
  *out << one.program;
}

class FailingProgram : public ExecTest, public testing::WithParamInterface<Failing> {};

TEST_P(FailingProgram, IsToldByItsKindAndReplaysEveryTime) {
  const CampaignReport report = run(plan_for(GetParam().program, kWalk, 300, GetParam().arguments));
  ASSERT_EQ(report.failures.size(), 1u) << told(report);
  const FoundFailure& found = report.failures.front();
  EXPECT_EQ(found.failure.kind, GetParam().kind) << told(report);
  EXPECT_THAT(found.failure.title, HasSubstr(GetParam().title));
  EXPECT_EQ(found.hits, report.failed);
  EXPECT_THAT(report.doubts, IsEmpty());
  EXPECT_GT(found.replays, 0u);
  EXPECT_EQ(found.replayed, found.replays);
  EXPECT_FALSE(found.stacks.empty() && GetParam().kind == FailureClass::kDeadlock);
}

INSTANTIATE_TEST_SUITE_P(
    Programs, FailingProgram,
    testing::Values(Failing{"late_check", FailureClass::kAssertion, "Assertion `g_sum < 3' failed"},
                    Failing{"account_check", FailureClass::kExitStatus, "42 after: account_check"},
                    Failing{"check_then_act", FailureClass::kExitStatus, "42 after"},
                    Failing{"use_before_init_crash", FailureClass::kAbort, "SIGABRT"},
                    Failing{"freed_memory", FailureClass::kCrash, "SIGSEGV in "},
                    Failing{"freed_memory", FailureClass::kAbort, "freed twice", {"twice"}},
                    Failing{"lock_order_deadlock", FailureClass::kDeadlock, "wait for each other"},
                    Failing{"class_lock_deadlock", FailureClass::kDeadlock, "wait for each other"},
                    Failing{"lost_wakeup", FailureClass::kDeadlock, "nobody is left to wake"},
                    Failing{"wrong_waiter", FailureClass::kDeadlock, "nobody is left to wake"},
                    Failing{"token_ring", FailureClass::kExitStatus, "did not come round"},
                    Failing{"string_append", FailureClass::kExitStatus, "not there"},
                    Failing{"reordered_setters", FailureClass::kExitStatus, "one value was set"}),
    [](const auto& test) {
      const Failing& one = test.param;
      return std::string(one.program) + (one.arguments.empty() ? "" : "_" + one.arguments.front());
    });

class HangingProgram : public ExecTest {};

TEST_F(HangingProgram, IsToldThatPollsForEver) {
  CampaignPlan plan = plan_for("endless_polling", kWalk, 3);
  plan.target.control.step_limit = 5'000;
  const CampaignReport report = run(plan);
  ASSERT_EQ(classes_of(report), std::set{FailureClass::kHang}) << told(report);
  EXPECT_THAT(report.failures.front().failure.title, HasSubstr("scheduling points"));
  EXPECT_THAT(report.failures.front().standing,
              testing::Contains(HasSubstr("could have gone on, and came there at point")));
}

TEST_F(HangingProgram, IsToldThatSleepsForEver) {
  const CampaignReport report = run(plan_for("sleeps_for_ever", kWalk, 3));
  ASSERT_EQ(classes_of(report), std::set{FailureClass::kHang}) << told(report);
  EXPECT_THAT(report.failures.front().failure.title, HasSubstr("--virtual-limit"));
}

// On a slow machine executions that would end may be told as hanging as well.
TEST_F(HangingProgram, IsToldThatComputesForEver) {
  CampaignPlan plan = plan_for("waits_without_calls", kWalk, 8);
  plan.limit = std::chrono::milliseconds(200);
  const CampaignReport report = run(plan);
  ASSERT_EQ(classes_of(report), std::set{FailureClass::kHang}) << told(report);
  EXPECT_THAT(report.failures.front().failure.title, HasSubstr("--timeout"));
}

class LeavingProgram : public ExecTest {};

TEST_F(LeavingProgram, FailsByItsThreadsOnlyIfAskedFor) {
  CampaignPlan plan = plan_for("left_running", kWalk, 20);
  CampaignReport report = run(plan);
  EXPECT_THAT(report.failures, IsEmpty()) << told(report);
  EXPECT_EQ(report.leaking, 20u);
  plan.thread_leaks = true;
  report = run(plan);
  EXPECT_EQ(classes_of(report), std::set{FailureClass::kThreadLeak}) << told(report);
  EXPECT_EQ(report.failed, 20u);
}

TEST_F(LeavingProgram, MayLeaveDetachedThreads) {
  CampaignPlan plan = plan_for("left_running", kWalk, 20, {"detached"});
  plan.thread_leaks = true;
  const CampaignReport report = run(plan);
  EXPECT_THAT(report.failures, IsEmpty()) << told(report);
}

// --- Correct programs --------------------------------------------------------------------------

using ProgramAndStrategy = std::tuple<std::string, std::string>;

class CorrectForks : public ExecTest, public testing::WithParamInterface<ProgramAndStrategy> {};

TEST_P(CorrectForks, NeverFailInThousands) {
  const auto& [program, strategy] = GetParam();
  CampaignPlan plan = plan_for(program, strategy, 1'000);
  plan.jobs = 2;
  plan.thread_leaks = program != "main_leaves_first";  // whose last thread ends it all
  const CampaignReport report = run(plan);
  EXPECT_EQ(report.judged, 1'000u) << told(report);
  EXPECT_THAT(report.failures, IsEmpty()) << told(report);
}

INSTANTIATE_TEST_SUITE_P(Programs, CorrectForks,
                         testing::Combine(testing::ValuesIn(std::vector<std::string>{
                                              "bounded_queue_correct", "rwlock_correct",
                                              "c11_correct", "main_leaves_first"}),
                                          testing::ValuesIn(std::vector<std::string>{
                                              "pct:d=3", "random:p=1", "random:p=0.1"})),
                         [](const auto& test) {
                           return std::get<0>(test.param) + std::to_string(test.index % 3);
                         });

// --- Executions are none of each other's business ----------------------------------------------

struct Before {
  const char* what;
  bool at_start;  // executions begin with the program
};

void PrintTo(const Before& one, std::ostream* out) {
  *out << one.what;
}

class WhatIsThereBeforeTheThreads : public ExecTest, public testing::WithParamInterface<Before> {};

TEST_P(WhatIsThereBeforeTheThreads, IsEachExecutionsOwn) {
  const CampaignReport report = run(plan_for("before_threads", kWalk, 100, {GetParam().what}));
  EXPECT_THAT(report.failures, IsEmpty()) << told(report);
  EXPECT_EQ(report.judged, 100u) << told(report);
  EXPECT_EQ(report.at_start, GetParam().at_start) << report.obstacle;
  EXPECT_EQ(report.obstacle.empty(), !GetParam().at_start);
}

INSTANTIATE_TEST_SUITE_P(Kinds, WhatIsThereBeforeTheThreads,
                         testing::Values(Before{"nothing", false}, Before{"file", false},
                                         Before{"lock", false}, Before{"closed", false},
                                         Before{"pipe", true}, Before{"memory", true},
                                         Before{"child", true}, Before{"timer", true}),
                         [](const auto& test) { return test.param.what; });

TEST_F(ExecTest, GivesTheSameWhateverTheNumberOfWorkers) {
  CampaignPlan plan = plan_for("check_then_act", "pct:d=3", 600);
  const CampaignReport one = run(plan);
  plan.jobs = 3;
  const CampaignReport three = run(plan);
  ASSERT_EQ(one.failures.size(), 1u);
  ASSERT_EQ(three.failures.size(), 1u);
  EXPECT_EQ(one.failed, three.failed);
  EXPECT_EQ(one.points, three.points);
  const ExecutionRecord& a = one.failures.front().record;
  const ExecutionRecord& b = three.failures.front().record;
  EXPECT_EQ(a.number, b.number);
  EXPECT_EQ(a.seed, b.seed);
  EXPECT_EQ(a.trace.size(), b.trace.size());
}

TEST_F(ExecTest, EndsWithTheFirstFailure) {
  CampaignPlan plan = plan_for("check_then_act", "pct:d=3", 100'000);
  plan.until_failure = true;
  const CampaignReport report = run(plan);
  ASSERT_EQ(report.failures.size(), 1u);
  EXPECT_EQ(report.failures.front().record.number, report.executions);
  EXPECT_LT(report.executions, 1'000u);
}

TEST_F(ExecTest, ReplaysASchedulesOperationsOneForOne) {
  const CampaignReport report = run(plan_for("string_append", kWalk, 300));
  ASSERT_EQ(report.failures.size(), 1u);
  const FoundFailure& found = report.failures.front();
  ProgramServer server(target_for("string_append"), stop_);
  Symbols symbols = debug_symbols(server.modules());
  for (int i = 0; i < 100; ++i) {
    const Reproduction again = reproduce(server, found.failure, found.record,
                                         std::chrono::minutes(2), /*look=*/false, symbols);
    ASSERT_TRUE(again.same) << again.what;
    ASSERT_TRUE(again.same_trace);
  }
}

// --- Other programs ----------------------------------------------------------------------------

TEST_F(ExecTest, DoesNotJudgeAProgramThatBecameAnother) {
  const CampaignReport report = run(plan_for("other_programs", kWalk, 5, {"later"}));
  EXPECT_EQ(report.judged, 0u) << told(report);
  EXPECT_THAT(report.failures, IsEmpty()) << told(report);
}

size_t processes_in(const std::filesystem::path& folder) {
  size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    std::error_code error;
    count += std::filesystem::read_symlink(entry.path() / "cwd", error) == folder;
  }
  return count;
}

TEST_F(ExecTest, LeavesNoProcessBehindThatTheProgramLeft) {
  const CampaignReport report = run(plan_for("other_programs", kWalk, 5, {"leaves"}));
  EXPECT_EQ(report.judged, 5u) << told(report);
  EXPECT_EQ(processes_in(std::filesystem::canonical(folder_.path())), 0u);
}

class UnsuitableProgram : public ExecTest {
 protected:
  void expect_refused(const ProgramTarget& target, const std::string& why) {
    EXPECT_THAT(
        [&] { ProgramServer(target, stop_); },
        testing::ThrowsMessage<ServerError>(testing::AllOf(HasSubstr(why), Not(HasSubstr("\n")))));
  }
};

TEST_F(UnsuitableProgram, IsRefusedInOneLine) {
  expect_refused(target_for("there_is_none"), "No such file");
  expect_refused(target_for("linked_statically"), "linked statically");
  expect_refused(target_for("other_programs", {"none"}), "without making a thread");
  expect_refused(target_for("other_programs", {"forks"}), "without making a thread");
  expect_refused(target_for("other_programs", {"becomes"}), "became another program");
}

}  // namespace
}  // namespace esox
