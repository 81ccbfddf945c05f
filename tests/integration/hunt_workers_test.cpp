// SPDX-License-Identifier: Apache-2.0
// How workers share the work, and how a hunt ends for all of them.
#include <thread>

#include "tests/integration/hunt_fixture.h"

namespace esox {
namespace {

using testing::HasSubstr;
using namespace std::chrono_literals;

void ignore(const HuntReport&) {}

TEST_F(HuntTest, EveryInputGetsItsExecutionsWhateverTheNumberOfWorkers) {
  HuntSettings wanted = settings();
  wanted.jobs = 3;
  make_out(wanted.out);
  Hunt hunt(executors(), harmless(4), wanted, stop_);
  hunt.run(ignore);
  const HuntReport report = hunt.report();
  EXPECT_EQ(hunt.failure(), nullptr) << report.failure;
  EXPECT_EQ(report.executions, 8u);
  EXPECT_EQ(report.touched, 4u);
  EXPECT_EQ(report.serial_executions, 16u);
  EXPECT_TRUE(report.ended);
  EXPECT_FALSE(report.interrupted);
}

TEST_F(HuntTest, AStopAskedForBeforehandExecutesNothing) {
  make_out(settings().out);
  stop_ = true;
  Hunt hunt(executors(), harmless(2), settings(), stop_);
  hunt.run(ignore);
  EXPECT_EQ(hunt.report().executions, 0u);
  EXPECT_TRUE(hunt.report().interrupted);
}

TEST_F(HuntTest, AStopEndsAfterTheExecutionsUnderWay) {
  HuntSettings wanted = settings();
  wanted.executions_each = 100'000;
  make_out(wanted.out);
  Hunt hunt(executors(), harmless(2), wanted, stop_);
  hunt.run([&](const HuntReport& report) {
    if (report.executions > 0) stop_ = true;
  });
  EXPECT_GT(hunt.report().executions, 0u);
  EXPECT_LT(hunt.report().executions, wanted.executions_each);  // a minute of them
  EXPECT_TRUE(hunt.report().interrupted);
}

TEST_F(HuntTest, ASetupThatFailsInOneWorkerEndsAllAndIsKept) {
  std::vector<ConcreteInput> all = harmless(1);
  for (ConcreteInput& bad : inputs("id: bad\nsetup: [SELEKT 1]\n"
                                   "clients: [{name: A, requests: [SELECT 1]}]\n")) {
    all.push_back(std::move(bad));
  }
  HuntSettings wanted = settings();
  wanted.executions_each = 100'000;
  make_out(wanted.out);
  Hunt hunt(executors(), all, wanted, stop_);
  hunt.run(ignore);
  EXPECT_THAT(hunt.report().failure, HasSubstr("SELEKT"));
  EXPECT_THROW(std::rethrow_exception(hunt.failure()), SetupError);
  EXPECT_TRUE(hunt.report().ended);
}

TEST_F(HuntTest, AReportThatCannotBeSavedEndsTheHunt) {
  HuntSettings wanted = settings();
  wanted.executions_each = 100'000;
  Hunt hunt(executors(), harmless(2), wanted, stop_);  // OUT was not made
  hunt.run(ignore);
  EXPECT_THROW(std::rethrow_exception(hunt.failure()), OutError);
}

TEST_F(HuntTest, AWatcherThatThrowsLeavesNoWorkerBehind) {
  make_out(settings().out);
  Hunt hunt(executors(), harmless(2), settings(), stop_);
  EXPECT_THROW(hunt.run([](const HuntReport&) { throw std::runtime_error("watcher"); }),
               std::runtime_error);
}

TEST_F(HuntTest, TheGatePreparesWhatTheHuntUses) {
  make_out(settings().out);
  Hunt hunt(executors(), harmless(1), settings(), stop_);
  const GateReport gate = hunt.gate();
  EXPECT_EQ(gate.runs, 1u);
  EXPECT_EQ(gate.same_outcome, 1u) << testing::PrintToString(gate.differences);
  hunt.run(ignore);
  EXPECT_EQ(hunt.report().serial_executions, 4u);
  ASSERT_TRUE(hunt.report().gate);
  EXPECT_EQ(hunt.report().gate->runs, 1u);
}

}  // namespace
}  // namespace esox
