// SPDX-License-Identifier: Apache-2.0
// The portfolio of esox exec on real programs: repeatable whoever makes the executions, and never
// far behind the best of its arms.
#include "tests/integration/exec_fixture.h"

namespace esox {
namespace {

class ExecPortfolio : public ExecTest {
 protected:
  CampaignReport explore(const std::string& program, uint64_t executions, unsigned jobs) {
    CampaignPlan plan = plan_for(program, "random:p=1", executions);
    plan.portfolio = true;
    plan.strategy_text = kPortfolioName;
    plan.jobs = jobs;
    return run(plan);
  }
};

TEST_F(ExecPortfolio, MakesTheSameExecutionsWithOneWorkerAndWithMany) {
  for (const char* program : {"check_then_act", "lost_wakeup", "token_ring"}) {
    SCOPED_TRACE(program);
    const CampaignReport one = explore(program, 300, 1);
    const CampaignReport many = explore(program, 300, 4);
    EXPECT_EQ(many.failed, one.failed);
    EXPECT_EQ(many.points, one.points);
    EXPECT_EQ(many.switches, one.switches);
    ASSERT_EQ(many.failures.size(), one.failures.size());
    for (size_t i = 0; i < one.failures.size(); ++i) {
      EXPECT_EQ(many.failures[i].record.number, one.failures[i].record.number);
      EXPECT_EQ(many.failures[i].record.strategy, one.failures[i].record.strategy);
    }
    ASSERT_EQ(many.arms.size(), one.arms.size());
    for (size_t i = 0; i < one.arms.size(); ++i) {
      EXPECT_EQ(many.arms[i].executions, one.arms[i].executions) << one.arms[i].strategy;
      EXPECT_EQ(many.arms[i].failed, one.arms[i].failed) << one.arms[i].strategy;
    }
  }
}

TEST_F(ExecPortfolio, GivesEachArmExecutionsAndMostToThoseThatFindFailures) {
  const CampaignReport report = explore("string_append", 1'500, 2);
  ASSERT_EQ(report.judged, 1'500u);
  uint64_t executions = 0;
  for (const ProgramArm& arm : report.arms) {
    EXPECT_GT(arm.executions, 30u) << arm.strategy;
    executions += arm.executions;
  }
  EXPECT_EQ(executions, 1'500u);
}

TEST_F(ExecPortfolio, ReplaysWhatItFinds) {
  const CampaignReport report = explore("two_stage_update", 1'000, 2);
  ASSERT_EQ(report.failures.size(), 1u);
  const FoundFailure& found = report.failures.front();
  EXPECT_EQ(found.replayed, found.replays);
  EXPECT_GT(found.replays, 0u);
  EXPECT_NE(found.record.strategy, kPortfolioName) << "the arm's own name, which repeats it";
}

TEST_F(ExecPortfolio, FindsNothingInACorrectProgram) {
  const CampaignReport report = explore("bounded_queue_correct", 500, 2);
  EXPECT_EQ(report.failed, 0u);
  EXPECT_EQ(report.judged, 500u);
}

}  // namespace
}  // namespace esox
