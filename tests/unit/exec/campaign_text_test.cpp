// SPDX-License-Identifier: Apache-2.0
// What is said of a campaign: rates with their intervals, and nothing found told as what it is.
#include "harness/programs/campaign_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/statistics/confidence.h"

namespace esox {
namespace {

using testing::HasSubstr;
using testing::Not;

// By R's binom.test.
TEST(RateInterval, IsThatOfClopperAndPearson) {
  const RateInterval half = interval_of_rate(5, 10);
  EXPECT_NEAR(half.low, 0.1871, 0.0001);
  EXPECT_NEAR(half.high, 0.8129, 0.0001);
  const RateInterval none = interval_of_rate(0, 100);
  EXPECT_EQ(none.low, 0);
  EXPECT_NEAR(none.high, 0.0362, 0.0001);
  const RateInterval all = interval_of_rate(100, 100);
  EXPECT_NEAR(all.low, 0.9638, 0.0001);
  EXPECT_EQ(all.high, 1);
}

TEST(RateInterval, IsFoundForMillions) {
  const RateInterval many = interval_of_rate(400'000, 1'000'000);
  EXPECT_NEAR(many.low, 0.39904, 0.0001);
  EXPECT_NEAR(many.high, 0.40096, 0.0001);
}

CampaignReport quiet_report() {
  CampaignReport report;
  report.executions = report.judged = 1000;
  report.threads = 3;
  report.longest = 12;
  report.seconds = 0.5;
  return report;
}

TEST(CampaignText, SaysWhatSilenceIsWorth) {
  const std::string text = campaign_text({}, quiet_report(), {});
  EXPECT_THAT(text, HasSubstr("0 distinct failures in 0 failing of 1000 executions"));
  EXPECT_THAT(text, HasSubstr("more than 0.3 %"));
}

TEST(CampaignText, CountsWhatWasNotJudged) {
  CampaignReport report = quiet_report();
  report.judged = 990;
  report.doubts["the trace was full"] = 10;
  EXPECT_THAT(campaign_text({}, report, {}),
              HasSubstr("10 executions not judged: the trace was full"));
}

TEST(CampaignText, TellsOfThreadsLeftUnlessTheyAreFailures) {
  CampaignReport report = quiet_report();
  report.leaking = 7;
  CampaignPlan plan;
  EXPECT_THAT(campaign_text(plan, report, {}), HasSubstr("7 executions left threads"));
  plan.thread_leaks = true;
  EXPECT_THAT(campaign_text(plan, report, {}), Not(HasSubstr("left threads")));
}

CampaignReport failing_report() {
  CampaignReport report = quiet_report();
  FoundFailure found;
  found.failure = {FailureClass::kDeadlock, "threads wait for each other", "key"};
  found.hits = report.failed = 245;
  found.record.number = 3;
  found.record.seed = 9;
  found.record.strategy = "pct:d=3";
  found.record.trace = {
      {0, 0x1000, 0, 0, 1, OpKind::kMutexLock, kTraceOffered | kTraceSwitchedAway},
      {0, 0x1000, 0, 1, 2, OpKind::kMutexLock, kTraceOffered | kTraceBlocked}};
  found.record.choices = {{0, 2, 0}};
  found.threads = {"main", "T1 (one)", "T2 (two)"};
  found.standing = {"T1 stands"};
  found.output = "first line\n\x01second line\n";
  found.replays = found.replayed = 3;
  report.failures.push_back(found);
  return report;
}

TEST(CampaignText, TellsAFailureWithRateScheduleOutputAndReplay) {
  const std::string text = campaign_text({}, failing_report(), {"out/1-deadlock.json"});
  EXPECT_THAT(text, HasSubstr("1. deadlock: threads wait for each other"));
  EXPECT_THAT(text, HasSubstr("in 245 of 1000 executions: 24.5 % (95 %: 21.9 to 27.3 %)"));
  EXPECT_THAT(text, HasSubstr("T1 stands"));
  EXPECT_THAT(text, HasSubstr("(2 operations, 1 switch; strategy pct:d=3, seed 9)"));
  EXPECT_THAT(text, HasSubstr("T1 (one)"));
  EXPECT_THAT(text, HasSubstr("T2 goes on; T1 could have gone on"));
  EXPECT_THAT(text, HasSubstr("| \\x01second line"));
  EXPECT_THAT(text, HasSubstr("replayed 3 of 3: esox exec --replay out/1-deadlock.json"));
}

TEST(CampaignJson, HoldsTheFigures) {
  const auto json =
      nlohmann::json::parse(campaign_json({}, failing_report(), {"out/1-deadlock.json"}, "0.1.0"));
  EXPECT_EQ(json.at("executions"), 1000);
  EXPECT_EQ(json.at("failures").size(), 1u);
  const auto& failure = json.at("failures").at(0);
  EXPECT_EQ(failure.at("class"), "deadlock");
  EXPECT_EQ(failure.at("hits"), 245);
  EXPECT_NEAR(failure.at("rate_low").get<double>(), 0.219, 0.001);
  EXPECT_EQ(failure.at("file"), "out/1-deadlock.json");
}

TEST(ExecutionSeed, DiffersBetweenExecutionsAndCampaigns) {
  EXPECT_NE(execution_seed(1, 1), execution_seed(1, 2));
  EXPECT_NE(execution_seed(1, 2), execution_seed(2, 1));
  EXPECT_EQ(execution_seed(7, 7), execution_seed(7, 7));
}

}  // namespace
}  // namespace esox
