// SPDX-License-Identifier: Apache-2.0
// What every test needs that runs a lock-free program (tests/programs/lock_free) whose memory
// accesses are scheduling points. Each test runs with the programs of both compilers.
#pragma once

#include "harness/execution/access_learning.h"
#include "tests/integration/program_fixture.h"

namespace esox {

inline const std::vector<std::string> kLockFreePrograms = {
    "aba_stack",    "bounded_queue",  "reorder",      "seqlock",
    "shared_queue", "stopped_driver", "work_stealing"};

enum class Variant { kSeeded, kCorrect };

class TsanTest : public ProgramTest {
 protected:
  static constexpr uint32_t kLearning = 10;  // executions

  // Of `program` as `compiler` built it: "gcc" stands for this build's own.
  ProgramPlan tsan_plan(const std::string& compiler, const std::string& program, Variant variant,
                        AccessLevel level, const std::string& strategy = "random:p=0.3") {
    ProgramPlan plan = plan_for("", strategy, 1);
    const std::string prefix = compiler == "clang" ? "clang_lock_free_" : "lock_free_";
    plan.program = std::filesystem::path(ESOX_LOCK_FREE) / (prefix + program);
    plan.arguments = {variant == Variant::kSeeded ? "seeded" : "correct"};
    plan.expected_points = 60;
    plan.accesses.level = level;
    return plan;
  }

  void learn_sites(ProgramPlan* plan) {
    plan->accesses.sites = learn_access_sites(control_, *plan, kLearning);
  }
};

// Skips where there is no such compiler.
#define SKIP_WITHOUT(compiler)                                               \
  if (std::string(compiler) == "clang" && std::string(ESOX_CLANG).empty()) { \
    GTEST_SKIP() << "there is no clang++ here: install Debian's clang";      \
  }

inline std::string compiler_and_program(
    const testing::TestParamInfo<std::tuple<std::string, std::string>>& test) {
  return std::get<0>(test.param) + "_" + std::get<1>(test.param);
}

}  // namespace esox
