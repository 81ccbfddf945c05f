// SPDX-License-Identifier: Apache-2.0
// Locks that a program makes itself are points where it tells of them (interpose/esox_latch.h), and
// who waits for one is controlled by its futex.
#include <algorithm>

#include "tests/integration/exec_fixture.h"

namespace esox {
namespace {

constexpr uint64_t kExecutions = 200;

class ToldLatch : public ExecTest {
 protected:
  CampaignReport with(const std::vector<std::string>& arguments) {
    return run(plan_for("told_latch", kWalk, kExecutions, arguments));
  }
};

TEST_F(ToldLatch, ShowsWhatHappensBetweenTwoOfItsSections) {
  const CampaignReport report = with({});
  ASSERT_FALSE(report.failures.empty());
  EXPECT_GT(report.failed, kExecutions / 4) << told(report);
  EXPECT_THAT(report.doubts, testing::IsEmpty());
  const FoundFailure& found = report.failures.front();
  EXPECT_EQ(found.replayed, found.replays);
  for (const OpKind kind : {OpKind::kLatchTake, OpKind::kLatchLeft}) {
    const auto is_kind = [kind](const TraceEvent& event) { return event.kind == kind; };
    EXPECT_TRUE(std::ranges::any_of(found.record.trace, is_kind));
  }
}

TEST_F(ToldLatch, IsNeededForThat) {
  const CampaignReport report = with({"untold"});
  EXPECT_EQ(report.failed, 0u) << told(report);
  EXPECT_EQ(report.judged, kExecutions);
}

TEST_F(ToldLatch, IsWaitedForUnderControl) {
  const CampaignReport report = with({"correct"});
  EXPECT_EQ(report.failed, 0u) << told(report);
  EXPECT_EQ(report.judged, kExecutions);
  EXPECT_THAT(report.doubts, testing::IsEmpty());
}

}  // namespace
}  // namespace esox
