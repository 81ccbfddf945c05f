// SPDX-License-Identifier: Apache-2.0
// Executions that begin at a program's first thread show its bugs as often as theory says: the
// exact rates of program_models.h, or those of a simulation of them, within four standard
// deviations. Seeds are fixed, so a result here never varies.
#include <ostream>

#include "tests/integration/exec_fixture.h"
#include "tests/models/program_models.h"

namespace esox {
namespace {

using model::four_sigma;

constexpr uint64_t kExecutions = 1'000;
constexpr uint64_t kFewer = 500;  // where there are many strategies
constexpr uint32_t kSimulations = 20'000;

struct Buggy {
  const char* name;
  model::Program model;
};

void PrintTo(const Buggy& one, std::ostream* out) {
  *out << one.name;
}

class ExecHitRate : public ExecTest, public testing::WithParamInterface<Buggy> {
 protected:
  void expect_rate(const std::string& strategy, double expected, double tolerance = 0,
                   uint64_t executions = kExecutions) {
    CampaignPlan plan = plan_for(GetParam().name, strategy, executions);
    plan.expected_points = longest(GetParam().model);
    const CampaignReport report = run(plan);
    ASSERT_EQ(report.judged, executions);
    EXPECT_LE(report.failures.size(), 1u);
    const double rate = static_cast<double>(report.failed) / static_cast<double>(executions);
    EXPECT_NEAR(rate, expected, four_sigma(expected, static_cast<double>(executions)) + tolerance)
        << strategy << ": " << report.failed << " hits";
  }

  // What a strategy goes by (lengths of threads, shared objects) is the model's in the simulation,
  // and what the campaign has measured in the real run.
  void expect_simulated_rate(const char* strategy) {
    const model::Program& program = GetParam().model;
    const double simulated =
        hit_rate(program, strategy, static_cast<uint32_t>(program.threads.size()), longest(program),
                 kSimulations);
    expect_rate(strategy, simulated, four_sigma(simulated, kSimulations), kFewer);
  }
};

TEST_P(ExecHitRate, OfTheRandomWalkAgreesWithTheExactOne) {
  expect_rate("random:p=1", exact_random_walk(GetParam().model));
}

TEST_P(ExecHitRate, OfPctAgreesWithTheExactOne) {
  const uint64_t points = longest(GetParam().model);
  expect_rate("pct:d=1", exact_pct(GetParam().model, points, 1));
  expect_rate("pct:d=2", exact_pct(GetParam().model, points, 2));
}

TEST_P(ExecHitRate, OfOtherStrategiesAgreesWithTheSimulatedOne) {
  for (const char* strategy :
       {"pos", "pos*", "rapos", "wrw:share=1000", "wrw", "surw:objects=0", "pct:d=3"}) {
    expect_simulated_rate(strategy);
  }
}

// Its one shared object is entered twice by a thread and once by another; one of the three orders
// is the bug. The campaign has to learn which object that is, and how often each thread uses it.
TEST_F(ExecTest, SurwComesToAllOrdersOfItsObjectEquallyOften) {
  const CampaignReport report = run(plan_for("string_append", "surw", kExecutions));
  ASSERT_EQ(report.judged, kExecutions);
  const double rate = static_cast<double>(report.failed) / static_cast<double>(kExecutions);
  EXPECT_NEAR(rate, 1.0 / 3, four_sigma(1.0 / 3, kExecutions));
}

INSTANTIATE_TEST_SUITE_P(
    Programs, ExecHitRate,
    testing::Values(Buggy{"lock_order_deadlock", model::real_lock_order_deadlock()},
                    Buggy{"two_stage_update", model::real_two_stage_update()},
                    Buggy{"check_then_act", model::real_check_then_act()},
                    Buggy{"late_check", model::real_late_check()},
                    Buggy{"account_check", model::real_account_check()},
                    Buggy{"class_lock_deadlock", model::real_class_lock_deadlock()},
                    Buggy{"token_ring", model::real_token_ring()},
                    Buggy{"string_append", model::real_string_append()},
                    Buggy{"lost_update", model::real_lost_update()},
                    Buggy{"figure_3_1", model::real_figure_3_1()}),
    [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace esox
