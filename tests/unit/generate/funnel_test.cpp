// SPDX-License-Identifier: Apache-2.0
// One made input on its way through the funnel, on the simulated server.
#include "harness/generate/funnel.h"

#include "harness/generate/generation_state.h"
#include "harness/generate/group_executor.h"
#include "harness/generate/mutant_runs.h"
#include "harness/generate/shrinking.h"
#include "tests/unit/simulated/fixture.h"

namespace esox {
namespace {

using testing::IsEmpty;
using testing::IsSupersetOf;
using testing::Not;
using testing::SizeIs;

class FunnelTest : public Simulated {
 protected:
  static Mutant mutant(const Requests& requests, uint64_t seed = 1) {
    Mutant made;
    made.input = input_of("m", requests);
    made.input.input.id = made_id(made.input.input);
    made.made_by = "fresh";
    made.seed = seed;
    return made;
  }

  static FunnelSettings funnel_settings() {
    FunnelSettings wanted;
    wanted.exploration = settings();
    wanted.exploration.portfolio = true;
    wanted.exploration.clock_base_ns = kClockBase_ns;
    return wanted;
  }

  MutantResult run(const Requests& requests, uint64_t seed = 1) {
    return run_through_funnel(*executor_, *executor_, mutant(requests, seed), wanted_, known_);
  }

  // Of replies and state.
  static uint64_t outcome_of(const ExecutionReport& report) {
    return behaviour_of(report.record, report.record.outcome.outputs.size(), {}).outcome;
  }

  FeatureCounts counts_;
  FunnelSettings wanted_ = funnel_settings();
  Known known_{&counts_, kLeastGain, nullptr};
};

TEST_F(FunnelTest, WhatIsNewIsConfirmedAndKept) {
  const MutantResult result = run({{"ADD x 1"}, {"UPDATE x 5"}});
  EXPECT_EQ(result.fate, Fate::kKept);
  EXPECT_TRUE(result.judged);
  EXPECT_THAT(result.unseen, Not(IsEmpty()));
  EXPECT_THAT(result.features, IsSupersetOf(result.unseen));
  EXPECT_THAT(result.replies, SizeIs(2));
  EXPECT_THAT(result.found, IsEmpty());
  EXPECT_EQ(result.executions, server_.runs.load() - result.tally.serial_executions - 3)
      << "forward, once more with the state, and backward";
}

TEST_F(FunnelTest, OfWhatAllShowedNothingIsKept) {
  const MutantResult first = run({{"ADD x 1"}, {"UPDATE x 5"}});
  for (int i = 0; i < 1'000; ++i) counts_.add(first.features);
  size_t judged = 0;
  constexpr size_t kTries = 200;
  for (uint64_t seed = 1; seed <= kTries; ++seed) {
    const MutantResult second = run({{"ADD y 1"}, {"UPDATE y 5"}}, seed);
    EXPECT_EQ(second.fate, Fate::kNothingNew);
    EXPECT_LT(second.gain, kLeastGain);
    judged += second.judged ? 1 : 0;
  }
  EXPECT_NEAR(static_cast<double>(judged), double{kTries} / kByChance, 20) << "by chance";
}

TEST_F(FunnelTest, WhatTheParentShowsIsNotItsOwnGain) {
  Mutant child = mutant({{"ADD x 1"}, {"UPDATE x 5"}});
  child.parents = run({{"ADD x 1"}, {"UPDATE x 5"}}).features;
  const MutantResult result = run_through_funnel(*executor_, *executor_, child, wanted_, known_);
  EXPECT_LT(result.gain, kLeastGain);
}

TEST_F(FunnelTest, OnlyWhatIsAmongTheBestIsJudged) {
  known_.judge_from = 1e6;
  const MutantResult result = run({{"ADD x 1"}, {"UPDATE x 5"}});
  EXPECT_FALSE(result.judged);
  EXPECT_EQ(result.tally.executions, 0U);
  EXPECT_EQ(result.fate, Fate::kKept) << "it showed something all the same";
}

TEST_F(FunnelTest, AClientOfWhomNothingSucceedsIsNotTried) {
  const MutantResult result = run({{"ADD x 1"}, {"TAKE y"}});
  EXPECT_EQ(result.fate, Fate::kFails);
  EXPECT_EQ(result.executions, 0U);
  EXPECT_EQ(server_.runs.load(), 1U);
}

TEST_F(FunnelTest, WhatDoesNotReplayIsNotNew) {
  server_.moved_each = 1;  // no two runs of one seed are alike
  size_t kept = 0;
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    const MutantResult result = run({{"ADD x 1", "ADD y 1"}, {"UPDATE x 5", "UPDATE y 1"}}, seed);
    for (const Feature one : result.unseen) {
      kept += kind_of(one) == FeatureKind::kPair ? 1 : 0;
    }
  }
  server_.moved_each = 0;
  size_t kept_here = 0;
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    const MutantResult result = run({{"ADD x 1", "ADD y 1"}, {"UPDATE x 5", "UPDATE y 1"}}, seed);
    for (const Feature one : result.unseen) {
      kept_here += kind_of(one) == FeatureKind::kPair ? 1 : 0;
    }
  }
  EXPECT_LE(kept, kept_here);
}

// ---- violations

TEST_F(FunnelTest, AViolationIsFoundConfirmedAndItsInputKeptAsItWasThen) {
  server_.faults.lost_update = true;
  const MutantResult result = run({{"ADD x 1", "SELECT y"}, {"ADD x 1"}});
  ASSERT_THAT(result.found, Not(IsEmpty()));
  EXPECT_EQ(result.fate, Fate::kKept);
  ASSERT_TRUE(result.kept.has_value());
  EXPECT_THAT(result.kept->clients, SizeIs(2));
  for (const FoundViolation& one : result.found) {
    EXPECT_TRUE(one.judged.confirmed);
    EXPECT_EQ(one.finding.input.input, *result.kept);
    EXPECT_EQ(one.finding.executions, result.tally.executions);
    EXPECT_EQ(one.line.id, one.finding.id);
  }
}

TEST_F(FunnelTest, AKnownCauseIsNoNewsAndNotLookedInto) {
  server_.faults.lost_update = true;
  known_.is_cause = [](const std::vector<std::string>&) { return true; };
  const MutantResult result = run({{"ADD x 1"}, {"ADD x 1"}});
  EXPECT_THAT(result.found, IsEmpty());
  EXPECT_THAT(result.known_causes, Not(IsEmpty()));
  EXPECT_EQ(result.fate, Fate::kNothingNew);
  EXPECT_EQ(result.tally.replays, 0U);
  EXPECT_LT(result.tally.executions, kJudged) << "it goes on where it pays";
}

TEST_F(FunnelTest, ADeadlockInAGlanceIsJudgedWhateverTheGain) {
  server_.faults.deadlock = true;
  known_.judge_from = 1e6;
  size_t found = 0;
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    const MutantResult result = run({{"BOTH a b"}, {"BOTH b a"}}, seed);
    found += result.found.empty() ? 0 : 1;
  }
  EXPECT_GT(found, 2U);
}

TEST_F(FunnelTest, WhatGoesWrongWithoutConcurrencyIsFoundToo) {
  const MutantResult result = run({{"DIE"}, {"SELECT x"}});
  ASSERT_THAT(result.found, SizeIs(1));
  EXPECT_EQ(result.found[0].judged.verdict.verdict, VerdictClass::kSerial);
}

TEST_F(FunnelTest, WithoutFeedbackChanceDecides) {
  wanted_.feedback = false;
  size_t judged = 0;
  size_t kept = 0;
  constexpr size_t kTries = 200;
  for (uint64_t seed = 1; seed <= kTries; ++seed) {
    const MutantResult result = run({{"ADD x 1"}, {"UPDATE x 5"}}, seed);
    judged += result.judged ? 1 : 0;
    kept += result.fate == Fate::kKept ? 1 : 0;
    counts_.add(result.features);
  }
  EXPECT_NEAR(static_cast<double>(judged), double{kTries} / kByChance, 20);
  EXPECT_NEAR(static_cast<double>(kept), double{kTries} / kByChance, 20);
}

// ---- made smaller

TEST_F(FunnelTest, WhatHasNoPartInItGoes) {
  const ConcreteInput input =
      input_of("m", {{"SELECT a", "ADD x 1"}, {"SELECT b"}, {"UPDATE x 5", "SELECT c"}});
  MutantRuns runs(*executor_, input, 3);
  ASSERT_TRUE(is_sound(runs.forward()));
  const Showing showing = showing_of(runs.glance(0), 0, input.input);
  // The order of ADD and UPDATE alone.
  const ConcreteInput small = input_of("s", {{"ADD x 1"}, {"UPDATE x 5"}});
  Features kept_for;
  for (size_t which = 0; which < kGlances.size(); ++which) {
    MutantRuns of_small(*executor_, small, 3 + which);
    ASSERT_TRUE(is_sound(of_small.forward()));
    const Features own = showing_of(of_small.glance(which), which, small.input).features;
    const Features common = features_beside(own, features_beside(own, showing.features));
    if (common.size() > kept_for.size()) kept_for = common;
  }
  ASSERT_THAT(kept_for, Not(IsEmpty()));
  const Input left = shrunk(runs, showing, kept_for);
  ASSERT_THAT(left.clients, SizeIs(2));
  EXPECT_EQ(left.clients[0].name, "A");
  EXPECT_EQ(left.clients[1].name, "B");
  EXPECT_THAT(left.clients[0].requests, SizeIs(1));
  EXPECT_THAT(left.clients[1].requests, SizeIs(1));
  EXPECT_EQ(left.clients[0].requests[0].text, "ADD x 1");
  EXPECT_EQ(left.clients[1].requests[0].text, "UPDATE x 5");
}

TEST_F(FunnelTest, OfWhatDoesNotEndIsLeftWhatWasNotAnswered) {
  server_.faults.deadlock = true;
  const ConcreteInput input =
      input_of("m", {{"SELECT x"}, {"SELECT c", "BOTH a b", "SELECT d"}, {"SELECT c", "BOTH b a"}});
  size_t tried = 0;
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    MutantRuns runs(*executor_, input, seed);
    ASSERT_TRUE(is_sound(runs.forward()));
    const ExecutionReport report = runs.glance(0);
    if (report.record.ending.kind != EndingKind::kDeadlock) continue;
    ++tried;
    const Shrunk left = shrunk_wrong(runs, 0, report);
    ASSERT_THAT(left.input.clients, SizeIs(2));
    EXPECT_EQ(left.input.clients[0].requests.back().text, "BOTH a b");
    EXPECT_EQ(left.input.clients[1].requests.back().text, "BOTH b a");
    const ConcreteInput small{left.input, "", ""};
    MutantRuns of_small(*executor_, small, seed);
    EXPECT_EQ(of_small.reduced(left.showing, {}, 0).record.ending.kind, EndingKind::kDeadlock);
  }
  EXPECT_GT(tried, 0U);
}

// ---- groups

TEST_F(FunnelTest, AnInputOfAGroupIsExecutedAsItIsAlone) {
  const std::vector<Requests> all = {{{"ADD x 1"}, {"UPDATE x 5", "SELECT x"}},
                                     {{"ADD y 2", "ADD x 3"}, {"SELECT y"}},
                                     {{"UPDATE x 7"}, {"ADD x 1"}},
                                     {{"UPDATE x 7"}, {"ADD x 1"}, {"SELECT x", "ADD x 4"}}};
  std::vector<ConcreteInput> inputs;
  std::vector<const Input*> group;
  for (const Requests& one : all) inputs.push_back(input_of("m", one));
  for (const ConcreteInput& one : inputs) group.push_back(&one.input);
  GroupExecutor together(*executor_, group);
  for (const ConcreteInput& one : inputs) {
    for (size_t which = 0; which < kGlances.size(); ++which) {
      MutantRuns alone(*executor_, one, 5);
      MutantRuns grouped(together, one, 5);
      EXPECT_EQ(outcome_of(alone.forward()), outcome_of(grouped.forward()));
      const ExecutionReport a = alone.glance(which);
      const ExecutionReport b = grouped.glance(which);
      EXPECT_EQ(outcome_of(a), outcome_of(b));
      EXPECT_EQ(features_of(a, one.input), features_of(b, one.input));
      const RequestSet without = {{0, 0}};
      EXPECT_EQ(outcome_of(alone.reduced(showing_of(a, which, one.input), without, 1)),
                outcome_of(grouped.reduced(showing_of(b, which, one.input), without, 1)));
    }
  }
}

TEST_F(FunnelTest, AGroupIsOfOneSetup) {
  const Input one = input_of("a", {{"ADD x 1"}, {"SELECT x"}}).input;
  Input other = input_of("b", {{"SELECT y", "SELECT x"}, {"ADD y 1"}}).input;
  EXPECT_TRUE(same_group(one, other));
  other.setup = {"UPDATE x 1"};
  EXPECT_FALSE(same_group(one, other));
  Input larger = input_of("c", {{"ADD x 1"}, {"SELECT x"}, {"SELECT y"}}).input;
  EXPECT_TRUE(same_group(one, larger));
  larger.clients[0].setup = {"SET a"};
  EXPECT_FALSE(same_group(one, larger));
}

}  // namespace
}  // namespace esox
