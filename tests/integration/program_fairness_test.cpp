// SPDX-License-Identifier: Apache-2.0
// Correct programs in which threads wait for each other in all the ways there are, spinning among
// them, come to their end under every strategy, and under control (preload/scheduler/fairness.h).
// Each seed is a program of its own: tests/programs/generated_correct.cpp.
#include "preload/protocol/strategy_spec.h"
#include "tests/integration/program_fixture.h"

namespace esox {
namespace {

// As exec has them measured: long, and of threads that all have something to do.
constexpr uint64_t kExpectedPoints = 300;

std::vector<std::string> strategies() {
  std::vector<std::string> texts = {"random:p=1", "pct:d=1"};
  for (const StrategyKind kind : strategy_kinds()) {
    char text[kStrategyTextBytes];
    if (!explores(kind)) continue;
    format_strategy({.kind = kind}, text, sizeof text);
    texts.emplace_back(text);
  }
  return texts;
}

class GeneratedPrograms : public ProgramTest {
 protected:
  void expect_correct(uint64_t program, uint64_t executions) {
    for (const std::string& strategy : strategies()) {
      for (uint64_t seed = 1; seed <= executions; ++seed) {
        ProgramPlan plan = plan_for("generated_correct", strategy, 1000 * program + seed);
        plan.target.arguments = {std::to_string(program)};
        plan.spec.expected_points = kExpectedPoints;
        plan.spec.expected_points_of.assign(4, kExpectedPoints / 4);
        const ProgramResult result = run(plan);
        ASSERT_TRUE(clean(result.end)) << "program " << program << ", " << strategy << ", seed "
                                       << plan.spec.seed << ": " << text_of(result);
        ASSERT_EQ(result.end.degraded, 0u) << "program " << program << ", " << strategy;
      }
    }
  }
};

TEST_F(GeneratedPrograms, NeverFailUnderAnyStrategy) {
  for (uint64_t program = 1; program <= 12; ++program) expect_correct(program, 3);
}

// Two poll the clock for seconds, and one waits again and again for a millisecond: time must pass
// faster than by what the last one lets it.
TEST_F(GeneratedPrograms, TimeThatIsPolledForComesBesideALoopAroundATimedWait) {
  expect_correct(18, 1);
}

TEST_F(GeneratedPrograms, NeverFailInAMillionExecutionsSoak) {
  for (uint64_t program = 1; program <= 300; ++program) expect_correct(program, 400);
}

}  // namespace
}  // namespace esox
