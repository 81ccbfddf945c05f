// SPDX-License-Identifier: Apache-2.0
// Data choices of real programs: each kind reveals the bug that nothing else does, to be replayed
// by the same operations, and leaves a program alone that bears what the kind does.
#include <algorithm>
#include <utility>

#include "analysis/operation_text.h"
#include "harness/engine/data_choice_list.h"
#include "harness/engine/debug_symbols.h"
#include "harness/programs/reproduction.h"
#include "tests/integration/exec_fixture.h"

namespace esox {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

constexpr uint64_t kExecutions = 400;

struct Bug {
  const char* program;
  std::vector<std::string> arguments;
  std::vector<std::string> correct;  // arguments of the twin
  const char* choices;
  OpKind told;
};

void PrintTo(const Bug& bug, std::ostream* out) {
  *out << bug.program << " under " << bug.choices;
}

class DataChoice : public ExecTest, public testing::WithParamInterface<Bug> {
 protected:
  CampaignReport under(const std::string& choices, const std::vector<std::string>& arguments) {
    CampaignPlan plan = plan_for(GetParam().program, kWalk, kExecutions, arguments);
    plan.target.control.data_choices =
        parse_data_choices(choices, DataChoiceUse::kProgram, DataChoiceModes{});
    return run(plan);
  }
};

TEST_P(DataChoice, RevealsItsBugAndReplaysByTheSameOperations) {
  const CampaignReport report = under(GetParam().choices, GetParam().arguments);
  ASSERT_FALSE(report.failures.empty()) << told(report);
  EXPECT_THAT(report.doubts, IsEmpty());
  const FoundFailure& found = report.failures.front();
  EXPECT_EQ(found.replayed, found.replays);
  const auto is_told = [](const TraceEvent& event) { return event.kind == GetParam().told; };
  EXPECT_TRUE(std::any_of(found.record.trace.begin(), found.record.trace.end(), is_told));
  // A replay knows nothing of the modes.
  ProgramServer server(target_for(GetParam().program, GetParam().arguments), stop_);
  Symbols symbols = debug_symbols(server.modules());
  const Reproduction again =
      reproduce(server, found.failure, found.record, std::chrono::minutes(2), false, symbols);
  EXPECT_TRUE(again.same) << again.what;
  EXPECT_TRUE(again.same_trace);
  EXPECT_EQ(again.record.values, found.record.values);
}

TEST_P(DataChoice, IsWhatRevealsIt) {
  const CampaignReport report = under("none,signal=on", GetParam().arguments);
  EXPECT_EQ(report.failed, 0u) << told(report);
  EXPECT_EQ(report.judged, kExecutions);
}

TEST_P(DataChoice, LeavesAProgramAloneThatBearsIt) {
  const CampaignReport report = under(GetParam().choices, GetParam().correct);
  EXPECT_EQ(report.failed, 0u) << told(report);
  EXPECT_EQ(report.judged, kExecutions);
}

INSTANTIATE_TEST_SUITE_P(
    Programs, DataChoice,
    testing::Values(
        Bug{"if_around_wait", {}, {"correct"}, "spurious=rare", OpKind::kSpuriousWake},
        Bug{"timeout_for_success", {}, {"correct"}, "early-timeout=rare", OpKind::kEarlyTimeout},
        Bug{"timeout_for_success",
            {"semaphore"},
            {"correct"},
            "early-timeout=on",
            OpKind::kEarlyTimeout},
        Bug{"timeout_for_success",
            {"lock"},
            {"correct"},
            "early-timeout=on",
            OpKind::kEarlyTimeout},
        Bug{"failed_try", {"mutex"}, {"mutex", "correct"}, "trylock=rare", OpKind::kTryRefused},
        Bug{"failed_try", {"rwlock"}, {"rwlock", "correct"}, "trylock=on", OpKind::kTryRefused},
        Bug{"failed_try",
            {"semaphore"},
            {"semaphore", "correct"},
            "trylock=on",
            OpKind::kTryRefused},
        Bug{"failed_try", {"spin"}, {"spin", "correct"}, "trylock=on", OpKind::kTryRefused},
        Bug{"partial_transfer",
            {"socket"},
            {"socket", "correct"},
            "short-io=rare",
            OpKind::kShortTransfer},
        Bug{"partial_transfer",
            {"message"},
            {"message", "correct"},
            "short-io=on",
            OpKind::kShortTransfer},
        Bug{"partial_transfer",
            {"file"},
            {"file", "correct"},
            "short-io=on",
            OpKind::kShortTransfer},
        Bug{"not_retried", {"read"}, {"read", "correct"}, "eintr=rare", OpKind::kInterrupted},
        Bug{"not_retried", {"poll"}, {"poll", "correct"}, "eintr=on", OpKind::kInterrupted},
        Bug{"not_retried", {"sleep"}, {"sleep", "correct"}, "eintr=on", OpKind::kInterrupted},
        Bug{"not_retried",
            {"semaphore"},
            {"semaphore", "correct"},
            "eintr=on",
            OpKind::kInterrupted},
        Bug{"started_too_early", {}, {"correct"}, "start-order=rare", OpKind::kThreadCreate}),
    [](const auto& test) {
      const Bug& bug = test.param;
      return std::string(bug.program) + (bug.arguments.empty() ? "" : "_" + bug.arguments.front());
    });

class DataChoices : public ExecTest {};

TEST_F(DataChoices, OfRegularFilesAreNotRare) {
  CampaignPlan plan = plan_for("partial_transfer", kWalk, kExecutions, {"file"});
  plan.target.control.data_choices.short_io = DataChoiceMode::kRare;
  const CampaignReport report = run(plan);
  EXPECT_EQ(report.failed, 0u) << told(report);
}

TEST_F(DataChoices, AllTogetherLeaveProgramsAloneThatBearThem) {
  struct Bearing {
    const char* program;
    std::vector<std::string> arguments;
    const char* choices = "all=rare";
  };
  const Bearing kBearing[] = {
      {"bounded_queue_correct", {}},
      // A minute that passes early is a time-out where the lock is held, which it takes for a
      // fault.
      {"rwlock_correct", {}, "all=rare,early-timeout=off"},
      {"if_around_wait", {"correct"}},
      {"timeout_for_success", {"correct"}},
      {"failed_try", {"semaphore", "correct"}},
      {"partial_transfer", {"socket", "correct"}},
      {"not_retried", {"read", "correct"}},
      {"started_too_early", {"correct"}},
  };
  for (const auto& [program, arguments, choices] : kBearing) {
    CampaignPlan plan = plan_for(program, kWalk, 100, arguments);
    plan.target.control.data_choices =
        parse_data_choices(choices, DataChoiceUse::kProgram, DataChoiceModes{});
    const CampaignReport report = run(plan);
    EXPECT_EQ(report.failed, 0u) << program << ": " << told(report);
    EXPECT_EQ(report.judged, report.executions) << program;
  }
}

TEST_F(DataChoices, LeaveTheScheduleAsItIsWhereNoneIsTaken) {
  CampaignPlan plan = plan_for("check_then_act", kWalk, 100);
  const CampaignReport without = run(plan);
  plan.target.control.data_choices =
      parse_data_choices("all=on,start-order=off", DataChoiceUse::kProgram, DataChoiceModes{});
  const CampaignReport with = run(plan);
  EXPECT_EQ(with.failed, without.failed) << "it has no operation that could be chosen at";
  EXPECT_EQ(with.switches, without.switches);
}

// Two waiters, a signal: who is woken.
TEST_F(DataChoices, OfWaitersAreRecordedWhateverTheirMode) {
  for (const char* mode : {"signal=off", "signal=rare", "signal=on"}) {
    CampaignPlan plan = plan_for("wrong_waiter", kWalk, 300);
    plan.target.control.data_choices =
        parse_data_choices(mode, DataChoiceUse::kProgram, DataChoiceModes{});
    const CampaignReport report = run(plan);
    for (const FoundFailure& found : report.failures) {
      EXPECT_EQ(found.replayed, found.replays) << mode << ": " << found.failure.title;
    }
    EXPECT_THAT(report.doubts, IsEmpty()) << mode;
  }
}

}  // namespace
}  // namespace esox
