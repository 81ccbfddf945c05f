// SPDX-License-Identifier: Apache-2.0
// What is done with a finding, on a simulated server: replayed, diagnosed, minimised.
#include "harness/findings/diagnosis/diagnosis.h"
#include "harness/findings/minimise/minimise.h"
#include "harness/findings/replay/replayer.h"
#include "tests/unit/simulated/fixture.h"

namespace esox {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr std::chrono::minutes kLong{10};

class FindingsTest : public Simulated {
 protected:
  Diagnosis diagnose_it(const Finding& finding) {
    Exploration exploration(finding.input, settings());
    exploration.prepare(*executor_);
    Trials trials(*executor_, exploration, finding, {kLong, 2'000}, stop_);
    return diagnose(trials, exploration, finding, server_.factory());
  }

  Minimised minimise_it(const Finding& finding) {
    const ExecutorFactory executors = server_.factory();
    const ExplorationSettings as_found = settings();
    const MinimiseBench bench{executors, *executor_, as_found};
    return minimise(bench, finding, {kLong, 20'000, 50}, stop_);
  }

  static ConcreteInput adds_among_others() {
    return input_of("in",
                    {{"SELECT y", "ADD x 1", "UPDATE z 3"}, {"ADD x 1", "SELECT z"}, {"SELECT w"}});
  }
};

TEST_F(FindingsTest, AFindingReplaysToTheLetter) {
  server_.faults.lost_update = true;
  const Finding finding = find(input_of("in", {{"ADD x 1"}, {"ADD x 1"}}));
  Exploration exploration(finding.input, settings());
  exploration.prepare(*executor_);
  Replayer replayer(*executor_, exploration, finding, 100, stop_);
  EXPECT_EQ(replayer.once().result, ReplayResult::kToTheLetter);
  server_.faults = {};
  Exploration sound(finding.input, settings());
  sound.prepare(*executor_);
  Replayer other(*executor_, sound, finding, 20, stop_);
  EXPECT_EQ(other.once().result, ReplayResult::kNotReproduced);
}

TEST_F(FindingsTest, ADiagnosisNamesTheFewestSwitchesAndWhereTheThreadsStand) {
  server_.faults.lost_update = true;
  const Diagnosis diagnosis = diagnose_it(find(input_of("in", {{"ADD x 1"}, {"ADD x 1"}})));
  ASSERT_TRUE(diagnosis.came) << diagnosis.why_not;
  EXPECT_LE(diagnosis.fewest_switches, diagnosis.recorded_switches);
  EXPECT_EQ(diagnosis.fewest_switches, 2U);  // away from the half-made addition, and back
  ASSERT_TRUE(diagnosis.critical) << diagnosis.no_critical;
}

TEST_F(FindingsTest, WhatDoesNotComeAgainIsNotDiagnosed) {
  server_.faults.lost_update = true;
  const Finding finding = find(input_of("in", {{"ADD x 1"}, {"ADD x 1"}}));
  server_.faults = {};
  const Diagnosis diagnosis = diagnose_it(finding);
  EXPECT_FALSE(diagnosis.came);
  EXPECT_THAT(diagnosis.why_not, testing::Not(IsEmpty()));
}

TEST_F(FindingsTest, AMinimisedInputHoldsWhatIsNeeded) {
  server_.faults.lost_update = true;
  const uint64_t executors = server_.executors.load();
  const Minimised minimised = minimise_it(find(adds_among_others()));
  ASSERT_TRUE(minimised.came) << minimised.why_not;
  EXPECT_TRUE(minimised.verified);
  EXPECT_EQ(server_.executors.load(), executors + 1);  // on a server of its own
  const auto& clients = minimised.finding.input.input.clients;
  ASSERT_THAT(clients, SizeIs(2));
  size_t requests = 0;
  for (const InputClient& client : clients) {
    EXPECT_THAT(client.requests, testing::Contains(testing::Field(&Request::text, "ADD x 1")));
    requests += client.requests.size();
  }
  EXPECT_LE(requests, 3U) << "of six";
}

TEST_F(FindingsTest, WhatDoesNotComeAgainIsNotMinimised) {
  server_.faults.lost_update = true;
  const Finding finding = find(adds_among_others());
  server_.faults = {};
  const Minimised minimised = minimise_it(finding);
  EXPECT_FALSE(minimised.came);
}

}  // namespace
}  // namespace esox
