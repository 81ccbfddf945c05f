// SPDX-License-Identifier: Apache-2.0
// An input explored on a simulated server: what is found, confirmed, doubted and remembered.
#include "tests/unit/simulated/fixture.h"

namespace esox {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Key;
using testing::Pair;

class ExplorationTest : public Simulated {
 protected:
  Judged first_violation(Exploration& exploration, uint64_t most = 200) {
    for (uint64_t n = 1; n <= most; ++n) {
      Judged judged = exploration.explore(*executor_, n);
      if (judged.verdict.violation()) return judged;
    }
    ADD_FAILURE() << "no violation in " << most << " executions";
    return {};
  }
};

// Nothing is wrong, whatever the schedule.
TEST_F(ExplorationTest, ASoundServerIsNeverFlagged) {
  const std::vector<Requests> inputs = {
      {{"ADD x 1", "SELECT x"}, {"ADD x 2", "TAKE x"}},
      {{"INSERT l 1", "LENGTH l"}, {"INSERT l 2", "LIST l"}},
      {{"WRITE k 1", "READ k"}, {"READ k", "WRITE k 2"}},
      {{"BOTH a b"}, {"BOTH b a"}, {"SELECT a", "SELECT b"}},
      {{"NOW", "ADD x 1"}, {"MOON"}},
      {{"ADD x 1", "SELECT y", "SELECT x"}, {"ADD y 1", "SELECT x", "TAKE y"}}};
  for (const char* strategy : {"pct:d=3", "random:p=0.5", "pos", "pos*", "rapos", "surw", "wrw"}) {
    for (size_t i = 0; i < inputs.size(); ++i) {
      Exploration exploration(input_of("in" + std::to_string(i), inputs[i]), settings(strategy));
      EXPECT_THAT(explore(exploration, 100), ElementsAre(Pair(VerdictClass::kNone, 100)))
          << strategy << " on input " << i;
    }
  }
}

struct Seeded {
  const char* name;
  bool simulated::Faults::*fault;
  Requests requests;
  VerdictClass verdict;
};

class EveryFault : public ExplorationTest, public testing::WithParamInterface<Seeded> {};

TEST_P(EveryFault, IsFoundConfirmedAndNotThereWithoutIt) {
  server_.faults.*GetParam().fault = true;
  Exploration exploration(input_of("in", GetParam().requests), settings());
  EXPECT_THAT(explore(exploration, 200), Contains(Key(GetParam().verdict)));
  server_.faults = {};
  Exploration sound(input_of("in", GetParam().requests), settings());
  EXPECT_THAT(explore(sound, 200), ElementsAre(Pair(VerdictClass::kNone, 200)));
}

INSTANTIATE_TEST_SUITE_P(
    Faults, EveryFault,
    testing::Values(Seeded{"LostUpdate", &simulated::Faults::lost_update, kAdds,
                           VerdictClass::kSemantic},
                    Seeded{"Overdraft",
                           &simulated::Faults::overdraft,
                           {{"UPDATE x 1", "TAKE x"}, {"TAKE x"}},
                           VerdictClass::kError},
                    Seeded{"StaleCache",
                           &simulated::Faults::stale_cache,
                           {{"WRITE k 1", "WRITE k 2"}, {"READ k"}},
                           VerdictClass::kLatent},
                    Seeded{"LostLength",
                           &simulated::Faults::lost_length,
                           {{"INSERT l 1"}, {"INSERT l 2"}},
                           VerdictClass::kLatent},
                    Seeded{"Deadlock",
                           &simulated::Faults::deadlock,
                           {{"BOTH a b"}, {"BOTH b a"}},
                           VerdictClass::kDeadlock},
                    Seeded{"Crash", &simulated::Faults::crash, kAdds, VerdictClass::kCrash},
                    Seeded{"Hang", &simulated::Faults::hang, kAdds, VerdictClass::kHang}),
    [](const auto& one) { return one.param.name; });

TEST_F(ExplorationTest, AnExecutionFollowsFromItsNumber) {
  server_.faults.lost_update = true;
  Exploration one(input_of("in", kAdds), settings());
  Exploration other(input_of("in", kAdds), settings());
  for (uint64_t n = 1; n <= 50; ++n) {
    const Judged a = one.explore(*executor_, n);
    const Judged b = other.explore(*executor_, n);
    EXPECT_EQ(a.report.record.seed, b.report.record.seed);
    EXPECT_EQ(a.report.record.outcome.outputs, b.report.record.outcome.outputs);
    EXPECT_EQ(a.verdict.verdict, b.verdict.verdict);
  }
}

TEST_F(ExplorationTest, AViolationIsReplayedOnceForEachCause) {
  server_.faults.lost_update = true;
  Exploration exploration(input_of("in", kAdds), settings());
  const Judged first = first_violation(exploration);
  EXPECT_TRUE(first.confirmed);
  EXPECT_TRUE(first.new_cause);
  EXPECT_EQ(exploration.replays(), 2U);
  explore(exploration, 100);
  const size_t causes = exploration.memory().causes.size();
  EXPECT_EQ(exploration.replays(), 2 * causes);
}

TEST_F(ExplorationTest, WhatDoesNotReplayIsNotBelievedAndNotLookedIntoForEver) {
  server_.faults.lost_update = true;
  server_.replays_are_sound = true;
  Exploration exploration(input_of("in", kAdds), settings());
  const Judged first = first_violation(exploration);
  EXPECT_FALSE(first.confirmed);
  EXPECT_THAT(first.doubt, HasSubstr("did not give it again"));
  EXPECT_THAT(explore(exploration, 200), ElementsAre(Key(VerdictClass::kNone)));
  const auto doubts = exploration.memory().doubts;
  EXPECT_LE(exploration.replays(), 3 * doubts.size());
  EXPECT_THAT(exploration.memory().causes, IsEmpty());
}

TEST_F(ExplorationTest, AStopWhileConfirmingIsToldAsDoubt) {
  server_.faults.lost_update = true;
  Exploration exploration(input_of("in", kAdds), settings());
  exploration.prepare(*executor_);
  ExecutionReport report = executor_->run(exploration.plan_replay(turns({4, 8, 4}), {}, 2));
  Judged judged = exploration.judge_report(*executor_, std::move(report));
  ASSERT_TRUE(judged.cause);
  executor_->interrupt();
  exploration.confirm(*executor_, judged);
  EXPECT_FALSE(judged.confirmed);
  EXPECT_TRUE(judged.cut_short);
  EXPECT_THAT(judged.doubt, HasSubstr("stopped"));
}

TEST_F(ExplorationTest, ASetupThatFailsIsTheInputs) {
  server_.failing_setups = {"bad"};
  Exploration exploration(input_of("bad", kAdds), settings());
  EXPECT_THROW(exploration.explore(*executor_, 1), SetupError);
  EXPECT_FALSE(exploration.prepared());
}

// What one launch knew, the next one goes on from: the same executions and verdicts.
// (But for the count of serial executions where there are many orders: the graph that merges no
// states, which a new cause is doubted in, is not remembered, and its steps are executed again.)
TEST_F(ExplorationTest, ARestoredExplorationGoesOnAsIfItHadNotEnded) {
  server_.faults.lost_update = true;
  for (const bool many : {false, true}) {
    const ConcreteInput input = input_of("in", many ? Requests{{"ADD x 1", "SELECT x", "SELECT x"},
                                                               {"ADD x 1", "SELECT x", "SELECT x"}}
                                                    : kAdds);
    ExplorationSettings whole = settings();
    whole.portfolio = true;
    Exploration reference(input, whole);
    for (uint64_t n = 1; n <= 60; ++n) reference.explore(*executor_, n);
    Exploration before(input, whole);
    for (uint64_t n = 1; n <= 30; ++n) before.explore(*executor_, n);
    Exploration after(input, whole);
    after.restore(exploration_memory_of(to_bytes(before.memory())));
    for (uint64_t n = 31; n <= 60; ++n) after.explore(*executor_, n);
    ExplorationMemory expected = reference.memory();
    ExplorationMemory restored = after.memory();
    if (many) restored.serial_executions = expected.serial_executions;
    EXPECT_EQ(to_bytes(restored), to_bytes(expected)) << "many orders: " << many;
  }
}

TEST_F(ExplorationTest, ExecutionsLeftOutAreCaughtUpWith) {
  server_.faults.lost_update = true;
  ExplorationSettings learning = settings();
  learning.learn = true;
  for (const bool portfolio : {false, true}) {
    learning.portfolio = portfolio;
    Exploration all(input_of("in", kAdds), learning);
    for (uint64_t n = 1; n < 40; ++n) all.explore(*executor_, n);
    Exploration late(input_of("in", kAdds), learning);
    const Judged a = all.explore(*executor_, 40);
    const Judged b = late.explore(*executor_, 40);
    EXPECT_EQ(a.report.record.strategy, b.report.record.strategy);
    EXPECT_EQ(a.report.record.outcome.outputs, b.report.record.outcome.outputs);
  }
}

TEST_F(ExplorationTest, ThePortfolioCountsWhatEachStrategyEarned) {
  server_.faults.lost_update = true;
  ExplorationSettings whole = settings();
  whole.portfolio = true;
  Exploration exploration(input_of("in", {{"ADD x 1", "SELECT x"}, {"ADD x 1", "SELECT x"}}),
                          whole);
  explore(exploration, 200);
  uint64_t executions = 0;
  size_t used = 0;
  double earned = 0;
  for (const ArmFigures& arm : exploration.arms()) {
    executions += arm.judged;
    used += arm.judged > 0 ? 1 : 0;
    earned += arm.earned;
  }
  EXPECT_GT(used, 2U);
  EXPECT_GT(earned, 0);
  EXPECT_LE(executions, 200U);  // those that were predicted earn nothing
  EXPECT_GT(executions, 150U);
}

// The two halves of one addition in the middle of other requests.
const Requests kLongAdds = {{"SELECT a", "SELECT a", "ADD x 1", "SELECT a"},
                            {"SELECT b", "SELECT b", "ADD x 1", "SELECT b"}};

TEST_F(ExplorationTest, ThePortfolioComesToARarePlaceWhateverItsSeed) {
  server_.faults.lost_update = true;
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    ExplorationSettings whole = settings();
    whole.portfolio = true;
    whole.hunt_seed = seed;
    Exploration exploration(input_of("in", kLongAdds), whole);
    bool found = false;
    for (uint64_t n = 1; n <= 150 && !found; ++n) {
      found = exploration.explore(*executor_, n).confirmed;
    }
    EXPECT_TRUE(found) << seed;
  }
}

TEST_F(ExplorationTest, ThePortfolioTellsWhenEveryScheduleWithOnePreemptionWasTried) {
  const ConcreteInput input = input_of("in", {{"ADD x 1", "ADD y 1"}, {"SELECT x", "ADD y 1"}});
  ExplorationSettings whole = settings();
  whole.portfolio = true;
  Exploration exploration(input, whole);
  explore(exploration, 300);
  const exhaustive::PassFigures figures = exploration.systematic().value();
  EXPECT_TRUE(figures.one.done);
  EXPECT_EQ(figures.one.covered(), figures.one.known);
  EXPECT_EQ(figures.one.executed, figures.one.known);
  EXPECT_THAT(text_of(figures), testing::StartsWith("every schedule with one preemption: done ("));
  server_.degrade_each = 2;
  Exploration degraded(input, whole);
  explore(degraded, 300);
  EXPECT_THAT(text_of(degraded.systematic().value()), testing::Not(HasSubstr("done")));
}

TEST_F(ExplorationTest, TheSystematicPassGoesOnWheneverItWasLaidDown) {
  server_.faults.lost_update = true;
  for (const Requests& requests :
       {kLongAdds, Requests{{"ADD x 1"}, {"ADD x 1"}, {"SELECT x", "ADD x 1"}}}) {
    ExplorationSettings whole = settings();
    whole.portfolio = true;
    Exploration reference(input_of("in", requests), whole);
    Exploration laid_down(input_of("in", requests), whole);
    for (uint64_t n = 1; n <= 150; ++n) {
      reference.explore(*executor_, n);
      laid_down.rest();
      laid_down.explore(*executor_, n);
    }
    EXPECT_EQ(to_bytes(laid_down.memory()), to_bytes(reference.memory()));
  }
}

TEST_F(ExplorationTest, ASearchFindsTheFaultAndEnds) {
  server_.faults.lost_update = true;
  ExplorationSettings searching = settings();
  searching.strategy_text = "exhaustive";
  searching.search = exhaustive::search_spec_of("exhaustive");
  Exploration exploration(input_of("in", kAdds), searching);
  uint64_t violations = 0;
  uint64_t n = 0;
  while (!exploration.searched() && n < 1'000) {
    violations += exploration.explore(*executor_, ++n).confirmed ? 1 : 0;
  }
  EXPECT_TRUE(exploration.searched());
  EXPECT_GT(violations, 0U);
  EXPECT_TRUE(exploration.search()->exhausted());
  EXPECT_THAT(exploration.search_text(), testing::Not(IsEmpty()));
}

}  // namespace
}  // namespace esox
