// SPDX-License-Identifier: Apache-2.0
// Correct programs come to their end at every level of accesses too: also those that spin in
// memory, and where the C library copies memory under locks of its own (localtime, pthread_exit).
#include "tests/integration/tsan_fixture.h"

namespace esox {
namespace {

class GeneratedPrograms : public testing::TestWithParam<AccessLevel> {
 protected:
  void expect_correct(uint64_t programs, uint64_t executions) {
    for (uint64_t number = 1; number <= programs; ++number) {
      ProgramTarget target;
      target.program = std::filesystem::path(ESOX_LOCK_FREE) / "lock_free_generated_correct";
      target.arguments = {std::to_string(number)};
      if (GetParam() != AccessLevel::kNone) target.arguments.emplace_back("spins in memory");
      target.folder = folder_.path();
      target.preload_library = ESOX_PRELOAD;
      target.control = program_control();
      target.accesses.level = GetParam();
      ProgramServer server(target, stop_);
      if (GetParam() == AccessLevel::kConflicting) learn_access_sites(server, 1, 10, kLimit);
      for (const char* strategy :
           {"surw", "wrw", "random:p=1", "random", "pos", "pos*", "rapos", "pct:d=3"}) {
        for (uint64_t seed = 1; seed <= executions; ++seed) {
          ProgramSpec spec;
          spec.strategy = strategy_of(strategy);
          spec.seed = seed;
          spec.expected_points = 300;
          spec.limit = kLimit;
          const ProgramEnd end = server.run(spec);
          ASSERT_TRUE(clean(end)) << "program " << number << ", " << strategy << ", seed " << seed
                                  << ": " << text_of(end);
          ASSERT_EQ(end.degraded, 0u) << "program " << number << ", " << strategy;
        }
      }
    }
  }

 private:
  static constexpr std::chrono::minutes kLimit{2};  // no test is to fail by the clock
  PrivateDirectory folder_{temporary_base()};
  std::atomic<bool> stop_{false};
};

TEST_P(GeneratedPrograms, NeverFailUnderAnyStrategy) {
  expect_correct(8, 2);
}

TEST_P(GeneratedPrograms, NeverFailInHundredsOfThousandsOfExecutionsSoak) {
  expect_correct(300, 100);
}

INSTANTIATE_TEST_SUITE_P(Levels, GeneratedPrograms,
                         testing::Values(AccessLevel::kAll, AccessLevel::kConflicting,
                                         AccessLevel::kAtomics, AccessLevel::kNone));

}  // namespace
}  // namespace esox
