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
constexpr uint64_t kEnough = 1'000;  // executions, to find each

class LockFreeProgram : public testing::TestWithParam<std::tuple<std::string, std::string>> {
 protected:
  void SetUp() override { SKIP_WITHOUT(std::get<0>(GetParam())); }

  LockFree make(Variant variant, AccessLevel level) {
    const auto& [compiler, program] = GetParam();
    return {folder_.path(), compiler, program, variant, level};
  }

  // How many executions until the bug shows; 0: it does not.
  static uint64_t executions_to_hit(LockFree& program) {
    for (uint64_t seed = 1; seed <= kEnough; ++seed) {
      const ProgramEnd end = program.run("random:p=0.3", seed);
      EXPECT_TRUE(hit(end) || clean(end)) << "seed " << seed << ": " << text_of(end);
      EXPECT_EQ(end.degraded, 0u) << "seed " << seed;
      if (hit(end)) return seed;
    }
    return 0;
  }

  PrivateDirectory folder_{temporary_base()};
};

TEST_P(LockFreeProgram, NeverShowsItsBugUnderControlOfLibraryCalls) {
  LockFree program = make(Variant::kSeeded, AccessLevel::kNone);
  for (uint64_t seed = 1; seed <= kExecutions; ++seed) {
    const ProgramEnd end = program.run("random:p=1", seed);
    ASSERT_TRUE(clean(end)) << "seed " << seed << ": " << text_of(end);
  }
}

TEST_P(LockFreeProgram, ShowsItsBugWhereAllAccessesAreOffered) {
  LockFree program = make(Variant::kSeeded, AccessLevel::kAll);
  EXPECT_NE(executions_to_hit(program), 0u);
}

TEST_P(LockFreeProgram, ShowsItsBugWhereConflictingAccessesAreOffered) {
  LockFree program = make(Variant::kSeeded, AccessLevel::kConflicting);
  EXPECT_NE(executions_to_hit(program), 0u);
}

TEST_P(LockFreeProgram, IsFoundCorrectWhereItIs) {
  LockFree program = make(Variant::kCorrect, AccessLevel::kAll);
  for (const char* strategy : {"random:p=0.3", "pct:d=3"}) {
    for (uint64_t seed = 1; seed <= kExecutions; ++seed) {
      const ProgramEnd end = program.run(strategy, seed);
      ASSERT_TRUE(clean(end)) << "seed " << seed << ": " << text_of(end);
      ASSERT_EQ(end.degraded, 0u) << "seed " << seed;
    }
  }
}

TEST_P(LockFreeProgram, ShowsItsBugAgainInEveryReplay) {
  for (const AccessLevel level : {AccessLevel::kAll, AccessLevel::kConflicting}) {
    LockFree program = make(Variant::kSeeded, level);
    const uint64_t seed = executions_to_hit(program);
    ASSERT_NE(seed, 0u);
    const ExecutionRecord found = program.run_undisturbed("random:p=0.3", seed);
    for (int i = 0; i < 100; ++i) {
      const ProgramEnd again = program.replay_undisturbed(found);
      ASSERT_TRUE(hit(again)) << text_of(again);
      ASSERT_EQ(again.diverged, 0u);
      ASSERT_TRUE(same_trace(program.server().record().trace, found.trace));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Programs, LockFreeProgram,
                         testing::Combine(testing::Values("gcc", "clang"),
                                          testing::ValuesIn(kLockFreePrograms)),
                         [](const auto& test) {
                           return std::get<0>(test.param) + "_" + std::get<1>(test.param);
                         });

}  // namespace
}  // namespace esox
