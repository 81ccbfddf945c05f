// SPDX-License-Identifier: Apache-2.0
// What every test needs that runs a small program (tests/programs) many times by forks, as esox
// exec does.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <vector>

#include "base/process/private_directory.h"
#include "harness/programs/campaign.h"
#include "tests/integration/program_fixture.h"

namespace esox {

inline constexpr const char* kWalk = "random:p=1";

// For messages of tests.
inline std::string told(const CampaignReport& report) {
  std::string text = std::to_string(report.failed) + " of " + std::to_string(report.executions);
  for (const FoundFailure& found : report.failures) {
    text += std::string("; ") + failure_name(found.failure.kind) + ": " + found.failure.title;
  }
  for (const auto& [doubt, count] : report.doubts) text += "; " + doubt;
  return text;
}

class ExecTest : public testing::Test {
 protected:
  ProgramTarget target_for(const std::string& program, std::vector<std::string> arguments = {}) {
    ProgramTarget target;
    target.program = program_path(program);
    target.arguments = std::move(arguments);
    target.folder = folder_.path();
    target.preload_library = ESOX_PRELOAD;
    target.control = program_control();
    return target;
  }

  CampaignPlan plan_for(const std::string& program, const std::string& strategy,
                        uint64_t executions, std::vector<std::string> arguments = {}) {
    CampaignPlan plan;
    plan.target = target_for(program, std::move(arguments));
    plan.strategy = strategy_from_text(strategy);
    plan.strategy_text = strategy;
    plan.seed = 1;
    plan.executions = executions;
    plan.limit = std::chrono::minutes(2);  // no test is to fail by the clock
    return plan;
  }

  CampaignReport run(const CampaignPlan& plan) {
    return Campaign(plan, stop_).run([](const CampaignProgress&) {});
  }

  PrivateDirectory folder_{temporary_base()};
  std::atomic<bool> stop_{false};
};

}  // namespace esox
