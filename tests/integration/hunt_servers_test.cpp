// SPDX-License-Identifier: Apache-2.0
// On each real server the same choices give the same outcome from a snapshot, again from it, and
// after a restart.
#include "analysis/nondeterminism.h"
#include "inputs/engine.h"
#include "preload/strategy/registry.h"
#include "targets/registry.h"
#include "tests/integration/hunt_fixture.h"
#include "tests/integration/leftovers.h"
#include "tests/integration/real_servers.h"

namespace esox {
namespace {

constexpr int64_t kDate_ns = 1'750'000'000'000'000'000;
constexpr const char* kStrategy = "random:p=0.3";

class ServerIsolation : public testing::TestWithParam<RealServer> {
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

  static ExecutionPlan plan(const ConcreteInput& input, uint64_t seed) {
    ExecutionPlan plan;
    plan.input = &input;
    char error[kStrategyErrorBytes];
    EXPECT_TRUE(parse_strategy(kStrategy, &plan.strategy, error, sizeof error)) << error;
    plan.strategy_text = kStrategy;
    plan.seed = seed;
    plan.clock_base_ns = kDate_ns;
    return plan;
  }

  static ExecutionPlan replay(const ConcreteInput& input, const ExecutionRecord& record) {
    ExecutionPlan plan;
    plan.input = &input;
    plan.strategy.kind = StrategyKind::kReplay;
    plan.seed = record.seed;
    plan.choices = record.choices;
    plan.values = record.values;
    plan.clock_base_ns = kDate_ns;
    return plan;
  }

  static void expect_equal(const Outcome& first, const Outcome& second) {
    const Masks differing = differing_places(first, second);
    EXPECT_TRUE(differing.outputs.empty());
    EXPECT_TRUE(differing.state.empty());
  }

  PrivateDirectory folder_{temporary_base()};
};

// A boot takes its time, and each execution after a restart is one.
TEST_P(ServerIsolation, TheSameChoicesGiveTheSameOutcomeHoweverAServerIsHad) {
  constexpr uint64_t kSeeds = 4;
  constexpr uint64_t kRestarted = 2;
  const std::unique_ptr<Server> server = this->server();
  const ConcreteInput input = shipped("04-insert-select.yaml");
  ServerExecutor forking(*server, with(Isolation::kSnapshot));
  ServerExecutor restarting(*server, with(Isolation::kRestart));
  for (uint64_t seed = 1; seed <= kSeeds; ++seed) {
    SCOPED_TRACE(seed);
    const ExecutionReport first = forking.run(plan(input, seed));
    ASSERT_EQ(first.record.ending.kind, EndingKind::kFinished);
    EXPECT_FALSE(first.record.choices.empty());
    const ExecutionReport again = forking.run(plan(input, seed));
    EXPECT_EQ(again.record.choices.size(), first.record.choices.size());
    expect_equal(first.record.outcome, again.record.outcome);
    if (seed > kRestarted) continue;
    const ExecutionReport restarted = restarting.run(replay(input, first.record));
    ASSERT_EQ(restarted.record.ending.kind, EndingKind::kFinished);
    EXPECT_EQ(restarted.diverged, 0U);
    expect_equal(first.record.outcome, restarted.record.outcome);
  }
  EXPECT_EQ(forking.isolation(), Isolation::kSnapshot);
  EXPECT_EQ(restarting.isolation(), Isolation::kRestart);
}

INSTANTIATE_TEST_SUITE_P(Servers, ServerIsolation, testing::ValuesIn(kRealServers), test_name);

}  // namespace
}  // namespace esox
