// SPDX-License-Identifier: Apache-2.0
// Bugs of lock-free programs are out of reach for control of library calls, and within reach where
// memory accesses are scheduling points. (Rates over many executions:
// tests/soak/lock_free_rates.cpp.)
//
// Seeds are fixed, and executions repeatable, so a result here never varies.
#include "tests/integration/tsan_fixture.h"

namespace esox {
namespace {

constexpr uint64_t kExecutions = 100;
constexpr uint64_t kEnough = 500;  // executions, to find each; the rarest shows in 1 of 60

class LockFreeProgram : public TsanTest,
                        public testing::WithParamInterface<std::tuple<std::string, std::string>> {
 protected:
  void SetUp() override { SKIP_WITHOUT(compiler()); }

  const std::string& compiler() const { return std::get<0>(GetParam()); }
  ProgramPlan plan(Variant variant, AccessLevel level, const std::string& strategy) {
    return tsan_plan(compiler(), std::get<1>(GetParam()), variant, level, strategy);
  }

  // How many executions until the bug shows; 0: it does not.
  uint64_t executions_to_hit(ProgramPlan plan) {
    for (plan.seed = 1; plan.seed <= kEnough; ++plan.seed) {
      const ProgramResult result = run(plan);
      EXPECT_TRUE(hit(result) || clean(result)) << plan.seed << ": " << text_of(result);
      EXPECT_EQ(result.degraded, 0u) << "seed " << plan.seed;
      if (hit(result)) return plan.seed;
    }
    return 0;
  }
};

TEST_P(LockFreeProgram, NeverShowsItsBugUnderControlOfLibraryCalls) {
  ProgramPlan plan = this->plan(Variant::kSeeded, AccessLevel::kNone, "random:p=1");
  for (plan.seed = 1; plan.seed <= kExecutions; ++plan.seed) {
    const ProgramResult result = run(plan);
    ASSERT_TRUE(clean(result)) << plan.seed << ": " << text_of(result);
  }
}

TEST_P(LockFreeProgram, ShowsItsBugWhereAllAccessesAreOffered) {
  EXPECT_NE(executions_to_hit(plan(Variant::kSeeded, AccessLevel::kAll, "random:p=0.3")), 0u);
}

TEST_P(LockFreeProgram, ShowsItsBugWhereConflictingAccessesAreOffered) {
  ProgramPlan plan = this->plan(Variant::kSeeded, AccessLevel::kConflicting, "random:p=0.3");
  learn_sites(&plan);
  EXPECT_NE(executions_to_hit(plan), 0u);
}

TEST_P(LockFreeProgram, IsFoundCorrectWhereItIs) {
  for (const char* strategy : {"random:p=0.3", "pct:d=3"}) {
    ProgramPlan plan = this->plan(Variant::kCorrect, AccessLevel::kAll, strategy);
    for (plan.seed = 1; plan.seed <= kExecutions; ++plan.seed) {
      const ProgramResult result = run(plan);
      ASSERT_TRUE(clean(result)) << plan.seed << ": " << text_of(result);
      ASSERT_EQ(result.degraded, 0u) << "seed " << plan.seed;
    }
  }
}

TEST_P(LockFreeProgram, ShowsItsBugAgainInAReplay) {
  ProgramPlan plan = this->plan(Variant::kSeeded, AccessLevel::kConflicting, "random:p=0.3");
  learn_sites(&plan);
  plan.seed = executions_to_hit(plan);
  ASSERT_NE(plan.seed, 0u);
  const ProgramResult found = run(plan);
  for (int i = 0; i < 20; ++i) {
    const ProgramResult again = replay(plan, found);
    ASSERT_EQ(control_.block().diverged, 0u);
    ASSERT_TRUE(same_trace(found, again));
    ASSERT_TRUE(same_choices(found, again));
    ASSERT_TRUE(same_end(found, again)) << text_of(found) << text_of(again);
  }
}

INSTANTIATE_TEST_SUITE_P(Programs, LockFreeProgram,
                         testing::Combine(testing::Values("gcc", "clang"),
                                          testing::ValuesIn(kLockFreePrograms)),
                         compiler_and_program);

}  // namespace
}  // namespace esox
