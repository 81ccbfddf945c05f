// SPDX-License-Identifier: Apache-2.0
// Executions under a conflict filter, on a real server: fewer points to choose at, and schedules
// that hold without the filter.
#include <set>

#include "analysis/trace_equality.h"
#include "harness/hunt/exploration.h"
#include "harness/hunt/gate.h"
#include "tests/integration/hunt_fixture.h"

namespace esox {
namespace {

// The pair that leaves a stale answer in Aria's query cache.
constexpr const char* kStaleCache = R"yaml(
id: stale
setup:
  - CREATE TABLE t1 (a INT) ENGINE=Aria
  - INSERT INTO t1 VALUES (1),(2)
server_options: [--query-cache-type=1, --query-cache-size=1M]
clients:
  - {name: A, requests: [SELECT a FROM t1]}
  - {name: B, requests: ["INSERT INTO t1 VALUES (10),(11),(12)"]}
)yaml";

class Learning : public HuntTest {
 protected:
  Exploration exploration(bool learn) const {
    ExplorationSettings settings = this->settings().exploration;
    settings.learn = learn;
    return {inputs(kStaleCache).front(), settings};
  }

  Exploration portfolio() const {
    ExplorationSettings settings = this->settings().exploration;
    settings.portfolio = true;
    return {inputs(kStaleCache).front(), settings};
  }

  ServerExecutor executor() { return {server_, options()}; }

  // The trace without what only tells at which points the strategy was asked.
  static std::vector<TraceEvent> trace_of(const ExecutionRecord& record) {
    std::vector<TraceEvent> trace = record.trace;
    for (TraceEvent& event : trace) event.flags &= static_cast<uint8_t>(~kTraceOffered);
    return trace;
  }

  static std::vector<std::pair<uint32_t, ThreadId>> choices_of(const ExecutionRecord& record) {
    std::vector<std::pair<uint32_t, ThreadId>> choices;
    for (const Choice& one : record.choices) choices.emplace_back(one.point, one.thread);
    return choices;
  }

  static bool judged(const ExecutionReport& report) {
    return report.record.degraded_reasons.empty() &&
           report.record.ending.kind != EndingKind::kDegraded;
  }
};

TEST_F(Learning, AScheduleFoundUnderAFilterReplaysWithoutItToTheLetter) {
  Exploration exploration = this->exploration(true);
  ServerExecutor executor = this->executor();
  uint64_t number = 1;
  for (; number <= kFirstLearnt; ++number) (void)exploration.explore(executor, number);
  int replayed = 0;
  for (; replayed < 100; ++number) {
    ASSERT_LT(number, 1000u) << "executions are filtered too rarely";
    const ExecutionPlan plan = exploration.plan(number);
    if (plan.conflicts == nullptr) continue;
    const ExecutionReport found = executor.run(plan);
    if (!judged(found)) continue;
    const ExecutionReport replay = executor.run(
        exploration.plan_replay(found.record.choices, found.record.values, found.record.seed));
    if (!judged(replay)) continue;
    ++replayed;
    EXPECT_EQ(replay.diverged, 0u) << "execution " << number;
    EXPECT_EQ(choices_of(found.record), choices_of(replay.record));
    const GateComparison same = compare_executions(found.record, replay.record, exploration.masks(),
                                                   exploration.input().input);
    EXPECT_TRUE(same.same_outcome) << same.difference;
    const TraceDifference traces = compare_traces(trace_of(found.record), found.record.modules,
                                                  trace_of(replay.record), replay.record.modules);
    EXPECT_TRUE(traces.equal) << traces.text;
  }
}

TEST_F(Learning, LeavesAboutHalfOfThePointsToChooseAt) {
  Exploration exploration = this->exploration(true);
  ServerExecutor executor = this->executor();
  uint64_t all = 0;
  uint64_t points = 0;
  for (uint64_t n = 1; n <= kFirstLearnt; ++n) {
    all += exploration.explore(executor, n).report.offered;
  }
  uint64_t filtered = 0;
  uint64_t executions = 0;
  for (uint64_t n = kFirstLearnt + 1; executions < 20; ++n) {
    const ExecutionPlan plan = exploration.plan(n);
    if (plan.conflicts == nullptr) continue;
    const ExecutionReport report = executor.run(plan);
    filtered += report.offered;
    points += report.points;
    ++executions;
    EXPECT_LT(plan.expected_points, exploration.expected_points());
    EXPECT_GT(plan.expected_points, 0u);
  }
  EXPECT_LT(filtered / executions, all / kFirstLearnt * 3 / 4);
  EXPECT_GT(filtered / executions, 10u);
  EXPECT_GT(points / executions, filtered / executions);
}

// What is known in an execution follows from its number, whoever made the ones before.
TEST_F(Learning, AnExecutionIsTheSameWhetherTheOnesBeforeWereMadeHereOrNot) {
  Exploration whole = exploration(true);
  ServerExecutor executor = this->executor();
  constexpr uint64_t kLast = 70;
  Judged last;
  for (uint64_t n = 1; n <= kLast; ++n) last = whole.explore(executor, n);
  Exploration alone = exploration(true);
  const Judged again = alone.explore(executor, kLast);
  EXPECT_EQ(alone.lessons().conflicts, whole.lessons().conflicts);
  EXPECT_EQ(alone.lessons().shares, whole.lessons().shares);
  EXPECT_EQ(choices_of(again.report.record), choices_of(last.report.record));
}

// And so it is with the portfolio, which goes by all executions before.
TEST_F(Learning, AnExecutionOfThePortfolioIsTheSameWhetherTheOnesBeforeWereMadeHereOrNot) {
  Exploration whole = portfolio();
  ServerExecutor executor = this->executor();
  constexpr uint64_t kLast = 70;
  Judged last;
  std::set<std::string> strategies;
  for (uint64_t n = 1; n <= kLast; ++n) {
    last = whole.explore(executor, n);
    strategies.insert(last.report.record.strategy);
  }
  Exploration alone = portfolio();
  const Judged again = alone.explore(executor, kLast);
  EXPECT_EQ(alone.memory().exemplars, whole.memory().exemplars);
  EXPECT_EQ(choices_of(again.report.record), choices_of(last.report.record));
  EXPECT_TRUE(strategies.contains(kVariation));
  EXPECT_GE(strategies.size(), 4u);
}

// What was kept of the first executions is enough for those after it.
TEST_F(Learning, ThePortfolioGoesOnFromItsMemory) {
  Exploration whole = portfolio();
  ServerExecutor executor = this->executor();
  for (uint64_t n = 1; n <= 40; ++n) (void)whole.explore(executor, n);
  Exploration resumed = portfolio();
  resumed.restore(exploration_memory_of(to_bytes(whole.memory())));
  for (uint64_t n = 41; n <= 60; ++n) {
    const Judged one = whole.explore(executor, n);
    const Judged other = resumed.explore(executor, n);
    ASSERT_EQ(choices_of(one.report.record), choices_of(other.report.record)) << n;
    ASSERT_EQ(one.report.record.strategy, other.report.record.strategy) << n;
  }
}

// Variants from the first execution on, of what the earlier hunt found worth it.
TEST_F(Learning, ALaterHuntBeginsWhereAnEarlierOneStood) {
  Exploration earlier = portfolio();
  ServerExecutor executor = this->executor();
  for (uint64_t n = 1; n <= 40; ++n) (void)earlier.explore(executor, n);
  Exploration later = portfolio();
  const auto variants = [&] {
    int count = 0;
    for (uint64_t n = 1; n <= 50; ++n) count += later.plan(n).strategy_text == kVariation;
    return count;
  };
  EXPECT_EQ(variants(), 0);
  later.recall(experience_of(earlier.memory()));
  EXPECT_GT(variants(), 5);
  EXPECT_EQ(later.memory().exemplars, earlier.memory().exemplars);
  for (const ArmFigures& arm : later.arms()) EXPECT_EQ(arm.judged, 0u);
}

TEST_F(Learning, OffFiltersNothing) {
  Exploration exploration = this->exploration(false);
  ServerExecutor executor = this->executor();
  (void)exploration.explore(executor, 1);
  for (uint64_t n = 1; n <= 200; ++n) EXPECT_EQ(exploration.plan(n).conflicts, nullptr);
  EXPECT_TRUE(exploration.lessons().conflicts.empty());
}

}  // namespace
}  // namespace esox
