// SPDX-License-Identifier: Apache-2.0
// The long measurements of the control itself (make soak): what the short tests show for hundreds
// of executions must hold for thousands, with the settings that hunts use.
#include "tests/integration/program_fixture.h"

namespace esox {
namespace {

using ProgramAndStrategy = std::tuple<std::string, std::string>;

class ProgramSoak : public ProgramTest, public testing::WithParamInterface<ProgramAndStrategy> {};

TEST_P(ProgramSoak, CorrectProgramsNeverFail) {
  const auto& [program, strategy] = GetParam();
  for (uint64_t seed = 1; seed <= 3'000; ++seed) {
    ProgramPlan plan = plan_for(program, strategy, seed);
    plan.spec.expected_points = 300;
    plan.target.control = ControlSettings{};
    const ProgramResult result = run(plan);
    ASSERT_TRUE(clean(result.end)) << "seed " << seed << ": " << text_of(result);
    ASSERT_EQ(result.end.degraded, 0u) << "seed " << seed;
  }
}

TEST_P(ProgramSoak, EqualSeedsGiveEqualTraces) {
  const auto& [program, strategy] = GetParam();
  for (uint64_t seed = 1; seed <= 1'000; ++seed) {
    ProgramPlan plan = plan_for(program, strategy, seed);
    plan.spec.expected_points = 300;
    plan.target.control = ControlSettings{};
    const ProgramResult first = run(plan);
    ASSERT_TRUE(same_trace(first, run(plan))) << "seed " << seed;
  }
}

INSTANTIATE_TEST_SUITE_P(Programs, ProgramSoak,
                         testing::Combine(testing::ValuesIn(std::vector<std::string>{
                                              "bounded_queue_correct", "rwlock_correct",
                                              "sleepers_correct", "locking_malloc"}),
                                          testing::ValuesIn(std::vector<std::string>{
                                              "pct:d=3", "random:p=1", "random:p=0.05"})),
                         [](const auto& test) {
                           return std::get<0>(test.param) + std::to_string(test.index % 3);
                         });

}  // namespace
}  // namespace esox
