// SPDX-License-Identifier: Apache-2.0
// What tests of the hunt on a simulated server share: one server, inputs in its language, schedules
// by hand.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "filters/reader.h"
#include "harness/hunt/exploration.h"
#include "harness/search/strategy_text.h"
#include "tests/simulated/simulated_server.h"
#include "tests/simulated/target.h"

namespace esox {

using simulated::input_of;
using Requests = std::vector<std::vector<std::string>>;

inline const Requests kAdds = {{"ADD x 1"}, {"ADD x 1"}};

class Simulated : public testing::Test {
 protected:
  static void SetUpTestSuite() { simulated::register_target(); }

  static ExplorationSettings settings(const std::string& strategy = "random:p=0.5") {
    ExplorationSettings settings;
    settings.strategy_text = strategy;
    settings.strategy = strategy_from_text(strategy);
    return settings;
  }

  // Rules that hold for every input here.
  static std::shared_ptr<const RuleSet> rules(const std::string& keys) {
    return std::make_shared<const RuleSet>(parse_rules(
        "server: simulated\nrules:\n  - {name: it, reason: r, owner: o, " + keys + "}\n", "f.yaml",
        simulated::known_servers()));
  }

  // Client 0 makes the first number of steps, client 1 the next one, and so on in turns; then the
  // first that can.
  static std::vector<Choice> turns(const std::vector<uint32_t>& steps, size_t clients = 2) {
    std::vector<Choice> choices;
    uint32_t point = 0;
    for (size_t i = 0; i < steps.size(); ++i) {
      if (steps[i] > 0) choices.push_back({point, static_cast<ThreadId>(i % clients), 0});
      point += steps[i];
    }
    return choices;
  }

  // One execution by such a schedule, judged.
  Judged judge_turns(Exploration& exploration, const std::vector<uint32_t>& steps) {
    exploration.prepare(*executor_);
    const ExecutionPlan plan =
        exploration.plan_replay(turns(steps, exploration.input().input.clients.size()), {}, seed_);
    ExecutionReport report = executor_->run(plan);
    EXPECT_EQ(report.diverged, 0U);
    return exploration.judge_report(*executor_, std::move(report));
  }

  // How often each class was the verdict on so many executions; unconfirmed ones are not counted.
  std::map<VerdictClass, uint64_t> explore(Exploration& exploration, uint64_t count) {
    std::map<VerdictClass, uint64_t> verdicts;
    for (uint64_t n = 1; n <= count; ++n) {
      const Judged judged = exploration.explore(*executor_, n);
      if (!judged.verdict.violation() || judged.confirmed) ++verdicts[judged.verdict.verdict];
    }
    return verdicts;
  }

  // Explores until one is confirmed.
  Finding find(const ConcreteInput& input) {
    Exploration exploration(input, settings());
    for (uint64_t n = 1; n <= 500; ++n) {
      const Judged judged = exploration.explore(*executor_, n);
      if (!judged.confirmed) continue;
      Finding finding =
          make_finding(input, judged.report.record, judged.verdict, exploration.serial_runs(),
                       exploration.masks(), *judged.cause, exploration.rules());
      finding.strategy = "random:p=0.5";
      return finding;
    }
    ADD_FAILURE() << "nothing was found";
    return {};
  }

  simulated::SimulatedServer server_;
  std::unique_ptr<Executor> executor_ = server_.factory()({});
  uint64_t seed_ = 2;  // even: no moon
  std::atomic<bool> stop_{false};
};

}  // namespace esox
