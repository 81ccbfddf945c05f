// SPDX-License-Identifier: Apache-2.0
// Hunts on a simulated server: who gets which executions, and what becomes of a hunt in which
// something fails, or which is killed.
#include "harness/hunt/hunt.h"

#include <sys/wait.h>
#include <unistd.h>

#include "base/process/private_directory.h"
#include "harness/records/finding_file.h"
#include "harness/records/out_folder.h"
#include "harness/records/triage/signature.h"
#include "tests/unit/simulated/fixture.h"

namespace esox {
namespace {

namespace fs = std::filesystem;
using testing::Contains;
using testing::Each;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;
using testing::SizeIs;

void ignore(const HuntReport&) {}

const Requests kHarmless = {{"UPDATE x 1"}, {"SELECT x"}};

class HuntTest : public Simulated {
 protected:
  HuntSettings hunt_settings(uint64_t executions_each) const {
    HuntSettings wanted;
    wanted.exploration = settings();
    wanted.executions_each = executions_each;
    wanted.jobs = 1;
    wanted.out = folder_.path() / "out";
    wanted.control = {{"step_limit", "1000"}};
    wanted.stuck_after = std::chrono::seconds(600);
    return wanted;
  }

  static std::vector<ConcreteInput> inputs(size_t count, const Requests& requests) {
    std::vector<ConcreteInput> all;
    for (size_t i = 0; i < count; ++i) all.push_back(input_of("in" + std::to_string(i), requests));
    return all;
  }

  // From its beginning to its end.
  HuntReport run(const std::vector<ConcreteInput>& all, const HuntSettings& wanted) {
    make_out(wanted.out);
    Hunt hunt(server_.factory(), all, wanted, stop_);
    hunt.run(ignore);
    failure_ = hunt.failure();
    finished_ = hunt.finished();
    return hunt.report();
  }

  PrivateDirectory folder_{temporary_base()};
  std::exception_ptr failure_;
  bool finished_ = false;
};

TEST_F(HuntTest, EveryInputGetsItsExecutionsWhateverTheNumberOfWorkers) {
  for (const unsigned jobs : {1U, 3U}) {
    HuntSettings wanted = hunt_settings(130);  // not a whole number of batches
    wanted.jobs = jobs;
    wanted.out = folder_.path() / std::to_string(jobs);
    const HuntReport report = run(inputs(4, kHarmless), wanted);
    EXPECT_EQ(report.failure, "");
    EXPECT_EQ(report.executions, 4U * 130U);
    EXPECT_EQ(report.planned, 4U * 130U);
    EXPECT_EQ(report.touched, 4U);
    EXPECT_EQ(report.serial_executions, 16U);
    EXPECT_EQ(report.lives.forked, server_.runs.exchange(0));
    EXPECT_TRUE(report.ended);
    EXPECT_TRUE(finished_);
    EXPECT_THAT(report.findings, IsEmpty());
  }
}

TEST_F(HuntTest, AFindingIsOnDiskWithItsHits) {
  server_.faults.lost_update = true;
  const HuntReport report = run(inputs(1, kAdds), hunt_settings(100));
  ASSERT_THAT(report.findings, testing::Not(IsEmpty()));
  uint64_t hits = 0;
  for (const HuntFinding& line : report.findings) {
    const Finding finding = read_finding(line.folder / "finding.yaml");
    EXPECT_EQ(finding.hits, line.hits);
    EXPECT_EQ(finding.executions, 100U);
    EXPECT_EQ(finding.control.at("step_limit"), "1000");
    EXPECT_TRUE(fs::exists(line.folder / "comparison.txt"));
    hits += line.hits;
  }
  EXPECT_GT(hits, 10U);
  EXPECT_EQ(report.replays, 2 * report.findings.size());
  EXPECT_TRUE(fs::exists(folder_.path() / "out" / "hunt.json"));
}

TEST_F(HuntTest, AViolationThatDoesNotReplayIsToldAndIsNoFinding) {
  server_.faults.lost_update = true;
  server_.replays_are_sound = true;
  const HuntReport report = run(inputs(1, kAdds), hunt_settings(100));
  EXPECT_THAT(report.findings, IsEmpty());
  ASSERT_THAT(report.unconfirmed, testing::Not(IsEmpty()));
  EXPECT_GT(report.unconfirmed_hits(), 3U);
  EXPECT_THAT(report.unconfirmed[0].doubt, HasSubstr("did not give it again"));
}

TEST_F(HuntTest, LostControlIsCountedAndAHopelessInputGivenUp) {
  server_.faults.lost_update = true;
  server_.degrade_each = 1;
  const HuntReport report = run(inputs(1, kAdds), hunt_settings(1'000));
  EXPECT_EQ(report.degraded, report.executions);
  EXPECT_EQ(report.executions, 100U);  // the third batch shows that nothing is to be had
  EXPECT_THAT(report.degraded_reasons, Contains(Pair("a thread was lost", 100)));
  ASSERT_THAT(report.skipped, SizeIs(1));
  EXPECT_THAT(report.skipped[0].why, HasSubstr("control was lost in each of 100"));
  EXPECT_THAT(report.findings, IsEmpty());
}

TEST_F(HuntTest, SomeLostControlHidesNoFinding) {
  server_.faults.lost_update = true;
  server_.degrade_each = 5;
  const HuntReport report = run(inputs(1, kAdds), hunt_settings(200));
  EXPECT_GT(report.degraded, 10U);
  EXPECT_LT(report.degraded, 80U);
  EXPECT_THAT(report.findings, testing::Not(IsEmpty()));
}

TEST_F(HuntTest, WhatIsNotDeterminedIsMaskedAndNamed) {
  const HuntReport report = run(inputs(1, {{"NOW"}, {"MOON"}}), hunt_settings(100));
  EXPECT_THAT(report.findings, IsEmpty());
  EXPECT_THAT(report.unconfirmed, IsEmpty());
  ASSERT_THAT(report.nondeterminism, SizeIs(1));
  EXPECT_THAT(report.nondeterminism[0].places, SizeIs(2));
}

TEST_F(HuntTest, ASetupThatFailsEndsTheHuntOrIsLeftOut) {
  server_.failing_setups = {"bad"};
  std::vector<ConcreteInput> all = inputs(2, kHarmless);
  all.push_back(input_of("bad", kHarmless));
  const HuntReport report = run(all, hunt_settings(100'000));
  EXPECT_THAT(report.failure, HasSubstr("setup fails"));
  EXPECT_THROW(std::rethrow_exception(failure_), SetupError);
  EXPECT_FALSE(finished_);
  HuntSettings lenient = hunt_settings(50);
  lenient.skip_failing_setups = true;
  lenient.out = folder_.path() / "lenient";
  const HuntReport rest = run(all, lenient);
  EXPECT_EQ(rest.failure, "");
  EXPECT_EQ(rest.executions, 100U);
  ASSERT_THAT(rest.skipped, SizeIs(1));
  EXPECT_EQ(rest.skipped[0].input, "bad");
  EXPECT_TRUE(finished_);
}

TEST_F(HuntTest, AServerMayFailToStartOnceButNotTwice) {
  server_.failing_runs = 1;
  const HuntReport report = run(inputs(1, kHarmless), hunt_settings(50));
  EXPECT_EQ(report.failure, "");
  EXPECT_EQ(report.server_failures, 1U);
  EXPECT_EQ(report.executions, 50U);
  server_.failing_runs = UINT64_MAX;
  HuntSettings again = hunt_settings(50);
  again.out = folder_.path() / "again";
  EXPECT_THAT(run(inputs(1, kHarmless), again).failure, HasSubstr("does not start"));
  EXPECT_THROW(std::rethrow_exception(failure_), ServerError);
}

TEST_F(HuntTest, AnInputWithWhoseOptionsNoServerStartsIsLeftOut) {
  server_.failing_starts = {"bad"};
  std::vector<ConcreteInput> all = inputs(2, kHarmless);
  all.push_back(input_of("bad", kHarmless));
  all.back().input.server_options = {"--of-another-release"};
  HuntSettings lenient = hunt_settings(50);
  lenient.skip_failing_setups = true;
  const HuntReport report = run(all, lenient);
  EXPECT_EQ(report.failure, "");
  EXPECT_EQ(report.executions, 100U);
  ASSERT_THAT(report.skipped, SizeIs(1));
  EXPECT_THAT(report.skipped[0].why, HasSubstr("with the server_options of bad"));
}

TEST_F(HuntTest, AWorkerWhoseExecutionDoesNotEndIsReplaced) {
  server_.endless = "in0";
  HuntSettings wanted = hunt_settings(50);
  wanted.stuck_after = std::chrono::seconds(2);  // no other execution takes a thousandth of it
  const HuntReport report = run(inputs(3, kHarmless), wanted);
  EXPECT_EQ(report.failure, "");
  EXPECT_EQ(report.workers_replaced, 1U);
  EXPECT_EQ(server_.interruptions.load(), 1U);
  EXPECT_EQ(server_.executors.load(), 3U);  // the fixture's, the worker's, the one after it
  EXPECT_EQ(report.executions, 100U);
  ASSERT_THAT(report.skipped, SizeIs(1));
  EXPECT_THAT(report.skipped[0].why, HasSubstr("did not end"));
  EXPECT_FALSE(finished_);  // in0 has executions left
}

TEST_F(HuntTest, AStopAskedForBeforehandExecutesNothing) {
  stop_ = true;
  const HuntReport report = run(inputs(2, kHarmless), hunt_settings(50));
  EXPECT_EQ(report.executions, 0U);
  EXPECT_EQ(server_.runs.load(), 0U);
  EXPECT_TRUE(report.interrupted);
}

TEST_F(HuntTest, AStopEndsAfterTheExecutionsUnderWay) {
  server_.before_run = [this](uint64_t run) {
    if (run == 20) stop_ = true;
  };
  const HuntReport report = run(inputs(2, kHarmless), hunt_settings(100'000));
  EXPECT_EQ(report.executions, 12U);  // eight were serial
  EXPECT_EQ(server_.runs.load(), 20U);
  EXPECT_TRUE(report.interrupted);
  EXPECT_FALSE(finished_);
}

TEST_F(HuntTest, ABudgetThatIsSpentGivesNobodyABatch) {
  HuntSettings wanted = hunt_settings(50);
  wanted.budget = std::chrono::milliseconds(0);
  EXPECT_EQ(run(inputs(2, kHarmless), wanted).executions, 0U);
  EXPECT_FALSE(finished_);
}

// Where time is what is given, it goes where there is more to be had; all executions that were
// planned are had all the same.
TEST_F(HuntTest, SaturatedInputsHandTheirExecutionsToFertileOnes) {
  HuntSettings wanted = hunt_settings(500);
  wanted.budget = std::chrono::hours(10);
  std::vector<ConcreteInput> all = {input_of("poor", {{"SELECT x"}, {"SELECT y"}}),
                                    input_of("rich", {{"INSERT l 1", "INSERT l 2", "INSERT l 3"},
                                                      {"INSERT l 4", "INSERT l 5"},
                                                      {"INSERT l 6", "INSERT l 7"}})};
  const HuntReport report = run(all, wanted);
  ASSERT_THAT(report.figures, SizeIs(2));
  EXPECT_LT(report.figures[0].executions, 500U);
  EXPECT_GT(report.figures[1].executions, 500U);
  EXPECT_EQ(report.figures[0].executions + report.figures[1].executions, report.executions);
  EXPECT_LE(report.executions, 1'000U);
  EXPECT_TRUE(finished_);
}

// The second hunt is the first one again.
TEST_F(HuntTest, WhatEarlierHuntsHaveShownEarnsAnInputNoTime) {
  server_.faults.lost_update = true;
  const auto fertile = [this](const std::set<std::string>& known) {
    HuntSettings wanted = hunt_settings(40);
    wanted.budget = std::chrono::hours(10);
    wanted.known_families = known;
    wanted.out = folder_.path() / (known.empty() ? "first" : "second");
    std::vector<std::string> yields;
    for (const InputFigures& one : run(inputs(3, kAdds), wanted).figures) {
      yields.push_back(one.yield);
    }
    return yields;
  };
  EXPECT_THAT(fertile({}), Contains("fertile"));
  std::set<std::string> known;
  for (const fs::directory_entry& one : fs::directory_iterator(folder_.path() / "first/findings")) {
    known.insert(signature_of(read_finding(one.path() / "finding.yaml"), std::nullopt).plain);
  }
  EXPECT_THAT(fertile(known), Each("some"));
}

TEST_F(HuntTest, AReportThatCannotBeSavedEndsTheHunt) {
  const HuntSettings wanted = hunt_settings(100'000);
  Hunt hunt(server_.factory(), inputs(2, kHarmless), wanted, stop_);  // OUT was not made
  hunt.run(ignore);
  EXPECT_THROW(std::rethrow_exception(hunt.failure()), OutError);
}

TEST_F(HuntTest, AWatcherThatThrowsLeavesNoWorkerBehind) {
  const HuntSettings wanted = hunt_settings(100'000);
  make_out(wanted.out);
  Hunt hunt(server_.factory(), inputs(2, kHarmless), wanted, stop_);
  EXPECT_THROW(hunt.run([](const HuntReport&) { throw std::runtime_error("watcher"); }),
               std::runtime_error);
}

TEST_F(HuntTest, TheGatePreparesWhatTheHuntUses) {
  const HuntSettings wanted = hunt_settings(2);
  make_out(wanted.out);
  Hunt hunt(server_.factory(), inputs(1, kHarmless), wanted, stop_);
  const GateReport gate = hunt.gate();
  EXPECT_EQ(gate.runs, 1U);
  EXPECT_EQ(gate.same_trace, 1U);
  EXPECT_EQ(gate.same_outcome, 1U) << testing::PrintToString(gate.differences);
  hunt.run(ignore);
  EXPECT_EQ(hunt.report().serial_executions, 4U);
  ASSERT_TRUE(hunt.report().gate);
  EXPECT_EQ(hunt.report().gate->runs, 1U);
}

TEST_F(HuntTest, TheGateTellsAServerThatIsNotDeterministic) {
  server_.moved_each = 2;
  const HuntSettings wanted = hunt_settings(2);
  make_out(wanted.out);
  const Requests inserts = {{"INSERT l 1", "INSERT l 2", "INSERT l 3"},
                            {"INSERT l 4", "INSERT l 5", "INSERT l 6"}};
  Hunt hunt(server_.factory(), inputs(3, inserts), wanted, stop_);
  const GateReport gate = hunt.gate();
  EXPECT_EQ(gate.runs, 3U);
  EXPECT_LT(gate.same_trace, 3U);
  EXPECT_THAT(gate.differences, testing::Not(IsEmpty()));
}

// ---- a hunt that is killed

class KilledHuntTest : public HuntTest {
 protected:
  // What must not depend on how often the hunt was ended: all but times and launches.
  static std::string essence(const HuntReport& report) {
    std::string text = "executions " + std::to_string(report.executions) + ", serial " +
                       std::to_string(report.serial_executions) + ", replays " +
                       std::to_string(report.replays) + ", degraded " +
                       std::to_string(report.degraded) + "\n";
    std::set<std::string> lines;
    for (const HuntFinding& finding : report.findings) {
      lines.insert(finding.id + " " + finding.input + " hits " + std::to_string(finding.hits) +
                   " first " + std::to_string(finding.first_execution) + " seed " +
                   std::to_string(finding.seed));
    }
    for (const UnconfirmedViolation& one : report.unconfirmed) {
      lines.insert("unconfirmed " + one.input + " hits " + std::to_string(one.hits));
    }
    for (const InputFigures& one : report.figures) {
      lines.insert(one.input + ": executions " + std::to_string(one.executions) + ", violations " +
                   std::to_string(one.violations) + ", schedules " +
                   std::to_string(one.coverage.schedules));
    }
    for (const std::string& line : lines) text += line + "\n";
    return text;
  }

  static std::vector<ConcreteInput> three_inputs() {
    return {input_of("adds", kAdds), input_of("list", {{"INSERT l 1"}, {"INSERT l 2"}}),
            input_of("harmless", kHarmless)};
  }

  // One launch, begun or gone on with.
  HuntReport launch(const HuntSettings& wanted) {
    const bool first = !fs::exists(wanted.out / "hunt.db");
    if (first) make_out(wanted.out);
    std::shared_ptr<HuntState> state =
        first ? HuntState::begin(wanted.out, {}, three_inputs()) : HuntState::open(wanted.out);
    Hunt hunt(server_.factory(), state->inputs(), wanted, stop_);
    hunt.use(state);
    state->begin_launch();
    hunt.run(ignore);
    EXPECT_EQ(hunt.failure(), nullptr) << hunt.report().failure;
    EXPECT_TRUE(hunt.finished());
    return hunt.report();
  }

  // In a process of its own, killed before its `last` run. Says whether it came that far.
  bool launch_until(const HuntSettings& wanted, uint64_t last) {
    const pid_t child = fork();
    if (child == 0) {
      server_.runs = 0;
      server_.before_run = [last](uint64_t run) {
        if (run == last) kill(getpid(), SIGKILL);
      };
      launch(wanted);
      _exit(0);
    }
    int status = 0;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    return WIFSIGNALED(status);
  }

  HuntSettings small() const {
    HuntSettings wanted = hunt_settings(30);  // three batches each
    wanted.exploration.portfolio = true;
    return wanted;
  }
};

TEST_F(KilledHuntTest, KeepsWhatDidNotReplayUnderItsOwnName) {
  server_.faults.lost_update = true;
  server_.replays_are_sound = true;
  const HuntReport report = launch(small());
  std::map<std::string, uint64_t> verdicts;
  for (const KeptExploration& one : HuntState::open(small().out)->take_explorations()) {
    for (const auto& [verdict, count] : one.tally->verdicts) verdicts[verdict] += count;
  }
  EXPECT_THAT(verdicts, testing::UnorderedElementsAre(
                            Pair("none", report.executions - report.unconfirmed_hits()),
                            Pair("unconfirmed", report.unconfirmed_hits())));
}

TEST_F(KilledHuntTest, GoesOnAsIfItHadNotBeenWhereverItWasKilled) {
  server_.faults.lost_update = true;
  server_.faults.lost_length = true;
  HuntSettings wanted = small();
  wanted.out = folder_.path() / "whole";
  const std::string expected = essence(launch(wanted));
  const uint64_t runs = server_.runs.load();
  ASSERT_GT(runs, 100U);
  constexpr uint64_t kStride = 7;  // and so before and after each save
  for (uint64_t last = 1; last <= runs; last += kStride) {
    wanted.out = folder_.path() / ("killed-" + std::to_string(last));
    ASSERT_TRUE(launch_until(wanted, last)) << last;
    ASSERT_EQ(essence(launch(wanted)), expected) << "killed before run " << last;
    fs::remove_all(wanted.out);
  }
}

TEST_F(KilledHuntTest, MayBeKilledAgainAndAgain) {
  server_.faults.lost_update = true;
  HuntSettings wanted = small();
  wanted.out = folder_.path() / "whole";
  const std::string expected = essence(launch(wanted));
  wanted.out = folder_.path() / "killed";
  size_t kills = 0;
  while (kills < 50 && launch_until(wanted, 60)) ++kills;
  EXPECT_GT(kills, 1U);
  EXPECT_LT(kills, 50U) << "no launch gets further than the one before";
  EXPECT_TRUE(HuntState::open(wanted.out)->ended());
  EXPECT_EQ(essence(launch(wanted)), expected);
}

}  // namespace
}  // namespace esox
