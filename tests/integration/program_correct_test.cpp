// SPDX-License-Identifier: Apache-2.0
// Correct programs stay correct under every schedule, and under control to the end: whatever fails
// here is a fault of the preload (a lost wake-up, a broken lock, a time-out before its time).
#include "tests/integration/program_fixture.h"

namespace esox {
namespace {

constexpr uint64_t kExecutions = 200;

using ProgramAndStrategy = std::tuple<std::string, std::string>;

class CorrectProgram : public ProgramTest,
                       public testing::WithParamInterface<ProgramAndStrategy> {};

TEST_P(CorrectProgram, NeverFailsAndIsNeverDegraded) {
  const auto& [program, strategy] = GetParam();
  for (uint64_t seed = 1; seed <= kExecutions; ++seed) {
    ProgramPlan plan = plan_for(program, strategy, seed);
    plan.spec.expected_points = 300;
    const ProgramResult result = run(plan);
    ASSERT_TRUE(clean(result.end)) << "seed " << seed << ": " << text_of(result);
    ASSERT_EQ(result.end.degraded, 0u) << "seed " << seed;
    ASSERT_GT(result.end.points, 10u) << "it was not controlled at all";
  }
}

std::string name_of(const testing::TestParamInfo<ProgramAndStrategy>& test) {
  static constexpr const char* kWords[] = {"Pct", "Walk", "LongWalk"};
  return std::get<0>(test.param) + kWords[test.index % 3];
}

INSTANTIATE_TEST_SUITE_P(Programs, CorrectProgram,
                         testing::Combine(testing::ValuesIn(std::vector<std::string>{
                                              "bounded_queue_correct", "rwlock_correct",
                                              "sleepers_correct", "c11_correct"}),
                                          testing::ValuesIn(std::vector<std::string>{
                                              "pct:d=3", "random:p=1", "random:p=0.1"})),
                         name_of);

}  // namespace
}  // namespace esox
