// SPDX-License-Identifier: Apache-2.0
// Every way in which an execution comes to its verdict, by schedules made by hand.
//
// A request of one locked access has five steps: it begins, locks, reads or writes, unlocks, ends.
// ADD and TAKE have six, and eight where they are served in two halves.
#include "tests/unit/simulated/fixture.h"

namespace esox {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::StartsWith;

class JudgeTest : public Simulated {
 protected:
  static std::vector<std::string> reasons(const Judged& judged) {
    return judged.verdict.degraded_reasons;
  }
};

TEST_F(JudgeTest, AnExtremeOrderThatExplainsIsEnough) {
  Exploration exploration(input_of("in", {{"UPDATE x 1"}, {"SELECT x"}}), settings());
  const Judged judged = judge_turns(exploration, {5, 5});
  EXPECT_EQ(judged.verdict.verdict, VerdictClass::kNone);
  ASSERT_THAT(judged.verdict.matched, SizeIs(1));
  EXPECT_THAT(judged.verdict.table[judged.verdict.matched[0]].order, ElementsAre(0, 1));
  EXPECT_EQ(exploration.serial_executions(), 4U);  // two orders, two dates
}

// A server without threads of its own under control: what was executed to see that is the first
// execution of its order.
TEST_F(JudgeTest, LookingForTheServersOwnWorkTakesNoExecutionsMore) {
  ExplorationSettings looking = settings();
  looking.background = Background::kAuto;
  server_.faults.lost_update = true;
  Exploration exploration(input_of("in", {{"ADD x 1"}, {"ADD x 1"}}), looking);
  EXPECT_EQ(judge_turns(exploration, {8, 8}).verdict.verdict, VerdictClass::kNone);
  EXPECT_EQ(exploration.serial_executions(), 4U);
  EXPECT_EQ(judge_turns(exploration, {4, 8, 4}).verdict.verdict, VerdictClass::kSemantic);
}

// A1 B1 A2 B2 is neither extreme order.
TEST_F(JudgeTest, OrdersThatRealTimeAllowsAreExecutedWhenNeeded) {
  Exploration exploration(input_of("in", {{"ADD x 1", "SELECT x"}, {"ADD x 10", "SELECT x"}}),
                          settings());
  const Judged judged = judge_turns(exploration, {6, 6, 5, 5});
  EXPECT_EQ(judged.verdict.verdict, VerdictClass::kNone);
  ASSERT_THAT(judged.verdict.matched, SizeIs(1));
  EXPECT_THAT(judged.verdict.table[judged.verdict.matched[0]].order, ElementsAre(0, 1, 0, 1));
  EXPECT_GT(exploration.serial_executions(), 4U);
  const uint64_t before = exploration.serial_executions();
  EXPECT_EQ(judge_turns(exploration, {6, 6, 5, 5}).verdict.verdict, VerdictClass::kNone);
  EXPECT_EQ(exploration.serial_executions(), before);  // known by now
}

TEST_F(JudgeTest, ALostUpdateIsSemanticAndNamesItsCause) {
  server_.faults.lost_update = true;
  Exploration exploration(input_of("in", {{"ADD x 1"}, {"ADD x 1"}}), settings());
  const Judged judged = judge_turns(exploration, {4, 8, 4});
  EXPECT_EQ(judged.verdict.verdict, VerdictClass::kSemantic);
  EXPECT_TRUE(judged.verdict.latent);  // the sum is wrong for good
  ASSERT_TRUE(judged.cause);
  EXPECT_THAT(judged.cause->text, HasSubstr("semantic"));
  EXPECT_EQ(judge_turns(exploration, {8, 8}).verdict.verdict, VerdictClass::kNone);
}

TEST_F(JudgeTest, AnErrorThatNoOrderGivesIsAnError) {
  server_.faults.overdraft = true;
  Exploration exploration(input_of("in", {{"UPDATE x 1", "TAKE x"}, {"TAKE x"}}), settings());
  const Judged judged = judge_turns(exploration, {5 + 4, 8, 4});
  EXPECT_EQ(judged.verdict.verdict, VerdictClass::kError);
}

TEST_F(JudgeTest, DamageThatNoReplyTellsIsLatent) {
  server_.faults.lost_length = true;
  Exploration exploration(input_of("in", {{"INSERT l 1"}, {"INSERT l 2"}}), settings());
  const Judged judged = judge_turns(exploration, {5, 7, 2});
  EXPECT_EQ(judged.verdict.verdict, VerdictClass::kLatent);
  EXPECT_THAT(judged.cause->text, HasSubstr("check:l"));
}

TEST_F(JudgeTest, ACacheMayHoldLessButNothingWrong) {
  const ConcreteInput input = input_of("in", {{"WRITE k old", "WRITE k new"}, {"READ k"}});
  Exploration sound(input, settings());
  EXPECT_EQ(judge_turns(sound, {6, 4, 6, 4}).verdict.verdict, VerdictClass::kNone);
  server_.faults.stale_cache = true;
  Exploration exploration(input, settings());
  const Judged judged = judge_turns(exploration, {8 + 4, 8, 4});
  EXPECT_EQ(judged.verdict.verdict, VerdictClass::kLatent);
  ASSERT_TRUE(judged.cause);
  EXPECT_THAT(judged.cause->text, HasSubstr("cache"));
}

TEST_F(JudgeTest, EndingsAreJudgedByThemselves) {
  server_.faults.deadlock = true;
  Exploration both(input_of("in", {{"BOTH a b"}, {"BOTH b a"}}), settings());
  EXPECT_EQ(judge_turns(both, {2, 2}).verdict.verdict, VerdictClass::kDeadlock);
  server_.faults = {};
  server_.faults.crash = true;
  Exploration crash(input_of("in", {{"ADD x 1"}, {"ADD x 1"}}), settings());
  EXPECT_EQ(judge_turns(crash, {4, 8, 4}).verdict.verdict, VerdictClass::kCrash);
  server_.faults = {};
  server_.faults.hang = true;
  Exploration hang(input_of("in", {{"ADD x 1"}, {"ADD x 1"}}), settings());
  EXPECT_EQ(judge_turns(hang, {4, 8, 4}).verdict.verdict, VerdictClass::kHang);
}

// B waits for ever, before A and after it.
TEST_F(JudgeTest, WhatASerialOrderDoesTooIsNotTheSchedulesDoing) {
  Exploration exploration(input_of("in", {{"SELECT x"}, {"AWAIT x"}}), settings());
  const Judged judged = judge_turns(exploration, {5, 1});
  EXPECT_EQ(judged.verdict.verdict, VerdictClass::kSerial);
  ASSERT_TRUE(judged.cause);
  EXPECT_THAT(judged.cause->text, StartsWith("class serial\nending deadlock\n"));
}

// The same where orders are steps of a graph: none is executed once it is known.
TEST_F(JudgeTest, NoStepIsExecutedOnceASerialOrderFailsAlike) {
  Exploration exploration(
      input_of("in", {{"SELECT x", "SELECT x", "SELECT x"}, {"SELECT x", "SELECT x", "AWAIT x"}}),
      settings());
  Judged judged = judge_turns(exploration, {15, 11});
  ASSERT_EQ(judged.verdict.verdict, VerdictClass::kSerial);
  exploration.confirm(*executor_, judged);
  EXPECT_EQ(judged.verdict.verdict, VerdictClass::kSerial);
  EXPECT_LE(exploration.serial_executions(), 10U);
}

TEST_F(JudgeTest, AWaitForWhatASessionMayHoldIsNotJudged) {
  Exploration exploration(input_of("in", {{"HOLD"}, {"AWAIT x"}}), settings());
  const Judged judged = judge_turns(exploration, {5, 1});
  EXPECT_EQ(judged.verdict.verdict, VerdictClass::kDegraded);
  EXPECT_THAT(reasons(judged), Contains(HasSubstr("a serial order ends in deadlock too")));
  EXPECT_FALSE(judged.cause);
  EXPECT_EQ(exploration.explore(*executor_, 1).verdict.verdict, VerdictClass::kDegraded);
}

TEST_F(JudgeTest, WhatNeedsConcurrencyIsNoSerialFailure) {
  server_.faults.deadlock = true;
  Exploration both(input_of("in", {{"BOTH a b"}, {"BOTH b a"}}), settings());
  EXPECT_EQ(explore(both, 100)[VerdictClass::kSerial], 0U);
  server_.faults = {};
  server_.faults.crash = true;
  Exploration crash(input_of("in", {{"ADD x 1"}, {"ADD x 1"}}), settings());
  EXPECT_EQ(explore(crash, 100)[VerdictClass::kSerial], 0U);
}

TEST_F(JudgeTest, AnOrderThatWaitsForALaterRequestExplainsNothing) {
  Exploration exploration(input_of("in", {{"UPDATE x 1"}, {"AWAIT x"}}), settings());
  const Judged judged = judge_turns(exploration, {0, 1, 5, 2});
  EXPECT_EQ(judged.verdict.verdict, VerdictClass::kNone);
  ASSERT_THAT(exploration.serial_runs(), SizeIs(2));
  EXPECT_THAT(exploration.serial_runs()[1].infeasible, HasSubstr("waited"));
}

// Its background work waits until no client has a request in its hands.
class WorksWhenIdle final : public Executor {
 public:
  explicit WorksWhenIdle(Executor& server) : server_(server) {}
  ExecutionReport run(const ExecutionPlan& plan) override {
    ExecutionReport report = server_.run(plan);
    report.diverged += plan.contexts_first != ContextsFirst::kNo ? 1 : 0;
    ++runs_;
    return report;
  }
  const RunLives& lives() const override { return server_.lives(); }
  uint64_t memory_kib() const override { return server_.memory_kib(); }
  unsigned runs() const { return runs_; }

 private:
  Executor& server_;
  unsigned runs_ = 0;
};

TEST_F(JudgeTest, BackgroundWorkThatCannotComeAtOnceComesLate) {
  ExplorationSettings under = settings();
  under.background = Background::kOn;
  Exploration exploration(input_of("in", {{"ADD x 1"}, {"SELECT x"}}), under);
  WorksWhenIdle server(*executor_);
  exploration.prepare(server);
  ASSERT_THAT(exploration.serial_runs(), SizeIs(2));
  for (const SerialRun& run : exploration.serial_runs()) EXPECT_EQ(run.infeasible, "");
  EXPECT_EQ(server.runs(), exploration.serial_executions());
}

// Whoever waits for what a session holds does so late as well.
TEST_F(JudgeTest, AnOrderThatWaitsForASessionIsNotAskedForTwice) {
  ExplorationSettings under = settings();
  under.background = Background::kOn;
  Exploration exploration(input_of("in", {{"HOLD"}, {"AWAIT x"}}), under);
  WorksWhenIdle server(*executor_);
  exploration.prepare(server);
  EXPECT_EQ(server.runs(), 2U);
}

TEST_F(JudgeTest, LostControlIsNeverJudged) {
  server_.faults.lost_update = true;
  Exploration exploration(input_of("in", {{"ADD x 1"}, {"ADD x 1"}}), settings());
  exploration.prepare(*executor_);
  server_.degrade_each = 1;
  const Judged judged = judge_turns(exploration, {4, 8, 4});
  EXPECT_EQ(judged.verdict.verdict, VerdictClass::kDegraded);
  EXPECT_FALSE(judged.cause);
}

// Nothing sound to compare with: no verdict, however wrong it looks.
TEST_F(JudgeTest, WithoutSerialOrdersNothingIsJudged) {
  server_.faults.lost_update = true;
  server_.degrade_each = 1;
  Exploration exploration(input_of("in", {{"ADD x 1"}, {"ADD x 1"}}), settings());
  exploration.prepare(*executor_);
  EXPECT_THAT(exploration.serial_runs(), IsEmpty());
  server_.degrade_each = 0;
  const Judged judged = judge_turns(exploration, {4, 8, 4});
  EXPECT_EQ(judged.verdict.verdict, VerdictClass::kDegraded);
}

// Two of three attempts fail; the order is among the runs all the same.
TEST_F(JudgeTest, ASerialOrderOutOfLuckIsTriedAgain) {
  server_.degrade_each = 2;
  Exploration exploration(input_of("in", {{"ADD x 1"}, {"SELECT x"}}), settings());
  exploration.prepare(*executor_);
  EXPECT_THAT(exploration.serial_runs(), SizeIs(2));
  EXPECT_GT(exploration.serial_executions(), 4U);
}

TEST_F(JudgeTest, WhatDiffersBetweenEqualSerialRunsIsMaskedAndNamed) {
  Exploration exploration(input_of("in", {{"NOW"}, {"ADD x 1"}}), settings());
  ExecutionReport report;
  exploration.prepare(*executor_);
  EXPECT_FALSE(exploration.masks().empty());
  ExecutionPlan plan = exploration.plan_replay(turns({5, 6}), {}, seed_);
  plan.clock_base_ns = 12'345;  // a date that no serial order had
  const Judged judged = exploration.judge_report(*executor_, executor_->run(plan));
  EXPECT_EQ(judged.verdict.verdict, VerdictClass::kNone);
}

// What a rewound server has lost is no fault of the server's: where it makes a difference, serial
// orders on fresh ones show it.
TEST_F(JudgeTest, AViolationIsDoubtedOnFreshServers) {
  seed_ = 1;  // the moon shines
  server_.faults.lost_moon = true;
  for (const bool many : {false, true}) {
    Requests requests{{"MOON"}, {"SELECT x"}};
    if (many) requests.push_back({"SELECT x", "SELECT x"});
    Exploration exploration(input_of("in", requests), settings());
    Judged judged = judge_turns(exploration, many ? std::vector{5U, 5U, 10U} : std::vector{5U, 5U});
    ASSERT_EQ(judged.verdict.verdict, VerdictClass::kSemantic) << "the others were not rewound";
    exploration.confirm(*executor_, judged);
    EXPECT_EQ(judged.verdict.verdict, VerdictClass::kNone);
    EXPECT_FALSE(judged.confirmed);
  }
}

// Neither of the two dates shows it; two more do.
TEST_F(JudgeTest, ADoubtedViolationMayBeRareNondeterminism) {
  seed_ = 1;  // the moon shines
  Exploration exploration(input_of("in", {{"MOON"}, {"SELECT x"}}), settings());
  Judged judged = judge_turns(exploration, {5, 5});
  ASSERT_EQ(judged.verdict.verdict, VerdictClass::kSemantic);
  exploration.confirm(*executor_, judged);
  EXPECT_EQ(judged.verdict.verdict, VerdictClass::kNone);
  EXPECT_FALSE(judged.cause);
  EXPECT_FALSE(judged.confirmed);
}

const Requests kManyOrders = {{"ADD x 1", "ADD x 1", "SELECT x"},
                              {"ADD x 1", "ADD x 1", "SELECT x"}};

// No step ends as early as most do: what may wait for a session's lock is given up at first, all
// else is awaited at once. An order is found all the same, and what none explains is no better off.
TEST_F(JudgeTest, WhatWaitsForTheServersOwnThreadsIsAwaitedBeforeItIsFlagged) {
  server_.late_wakes = true;
  Exploration many(input_of("in", kManyOrders), settings());
  EXPECT_EQ(judge_turns(many, {6, 6, 6, 6, 5, 5}).verdict.verdict, VerdictClass::kNone);
  const ConcreteInput holds =
      input_of("in", {{"HOLD", "ADD x 1", "SELECT x"}, {"HOLD", "ADD x 1", "SELECT x"}});
  Exploration exploration(holds, settings());
  EXPECT_EQ(judge_turns(exploration, {5, 5, 6, 6, 5, 5}).verdict.verdict, VerdictClass::kNone);
  const uint64_t before = exploration.serial_executions();
  EXPECT_EQ(judge_turns(exploration, {5, 5, 6, 6, 5, 5}).verdict.verdict, VerdictClass::kNone);
  EXPECT_EQ(exploration.serial_executions(), before);
  // The order of the replies, which is executed whole, does not explain it: A's is the later one.
  Exploration other(holds, settings());
  EXPECT_EQ(judge_turns(other, {5, 5, 5, 11, 6}).verdict.verdict, VerdictClass::kNone);
  server_.faults.lost_update = true;
  Exploration faulty(holds, settings());
  const Judged lost = judge_turns(faulty, {5, 5, 4, 8, 4, 5, 5});
  EXPECT_EQ(lost.verdict.verdict, VerdictClass::kSemantic);
}

TEST_F(JudgeTest, OfManyOrdersAGraphIsSearched) {
  Exploration exploration(input_of("in", kManyOrders), settings());
  EXPECT_EQ(judge_turns(exploration, {6, 6, 6, 6, 5, 5}).verdict.verdict, VerdictClass::kNone);
  EXPECT_EQ(exploration.serial_counts().steps, 6U);  // real time allows one order
}

TEST_F(JudgeTest, AGraphSearchedToItsEndMakesAViolation) {
  server_.faults.lost_update = true;
  Exploration exploration(input_of("in", kManyOrders), settings());
  const Judged judged = judge_turns(exploration, {4, 8 + 8, 4, 5, 8 + 5});
  EXPECT_EQ(judged.verdict.verdict, VerdictClass::kSemantic);
  EXPECT_GT(exploration.serial_counts().merged, 0U);
  // The order of the replies was executed whole, for the reader.
  EXPECT_THAT(exploration.serial_runs(), SizeIs(3));
}

// A remembers 2, then the register is 1 again: the state is that of one in which A remembers 1.
TEST_F(JudgeTest, ADoubtedViolationIsSearchedWithoutMerging) {
  Exploration exploration(input_of("in", {{"REMEMBER x", "SELECT y", "RECALL"},
                                          {"UPDATE x 2", "UPDATE x 1", "SELECT x"}}),
                          settings());
  Judged judged = judge_turns(exploration, {1, 5, 3, 5, 1 + 5 + 5, 5});
  ASSERT_EQ(judged.verdict.verdict, VerdictClass::kSemantic) << "merged states hid the order";
  exploration.confirm(*executor_, judged);
  EXPECT_EQ(judged.verdict.verdict, VerdictClass::kNone);
  EXPECT_FALSE(judged.cause);
}

TEST_F(JudgeTest, AToleratedErrorIsOneIfAllElseIsAsWithoutTheRequest) {
  server_.faults.overdraft = true;
  const ConcreteInput input = input_of("in", {{"UPDATE x 1", "TAKE x"}, {"TAKE x"}});
  ExplorationSettings tolerant = settings();
  tolerant.filters = rules("kind: tolerate, errors: [2]");
  Exploration exploration(input, tolerant);
  const Judged judged = judge_turns(exploration, {5 + 4, 8, 4});
  EXPECT_EQ(judged.verdict.verdict, VerdictClass::kNone);
  ASSERT_THAT(judged.verdict.forgiven, SizeIs(1));
  EXPECT_EQ(judged.verdict.forgiven[0].rule, "it");
  tolerant.filters = rules("kind: tolerate, errors: [3]");
  Exploration other(input, tolerant);
  EXPECT_EQ(judge_turns(other, {5 + 4, 8, 4}).verdict.verdict, VerdictClass::kError);
}

const Requests kCheck = {{"CHECK a b"}, {"UPDATE a 1", "UPDATE b 1"}};

// A looks at a before B writes it, and at b after: no order of whole requests.
TEST_F(JudgeTest, ARequestThatCountsAsSeveralIsExplainedByItsParts) {
  Exploration strict(input_of("in", kCheck), settings());
  EXPECT_EQ(judge_turns(strict, {4, 10, 4}).verdict.verdict, VerdictClass::kSemantic);
  ExplorationSettings split = settings();
  split.filters = rules("kind: split, into: names, statement: CHECK, beside: UPDATE");
  Exploration exploration(input_of("in", kCheck), split);
  const Judged judged = judge_turns(exploration, {4, 10, 4});
  EXPECT_EQ(judged.verdict.verdict, VerdictClass::kNone);
  ASSERT_THAT(judged.verdict.forgiven, SizeIs(1));
  EXPECT_THAT(judged.verdict.forgiven[0].what, HasSubstr("A1 part 1"));
}

TEST_F(JudgeTest, PartsDoNotExplainAFaultBesideThem) {
  server_.faults.lost_update = true;
  ExplorationSettings split = settings();
  split.filters = rules("kind: split, into: names, statement: CHECK, beside: UPDATE");
  Exploration exploration(input_of("in", {{"CHECK a b"}, {"ADD c 1"}, {"UPDATE b 1", "ADD c 1"}}),
                          split);
  const Judged judged = judge_turns(exploration, {4, 0, 5, 0, 4, 8, 0, 4, 0, 4});
  EXPECT_EQ(judged.verdict.verdict, VerdictClass::kSemantic);
}

// A call is two steps.
TEST_F(JudgeTest, ACallBesideOthersIsJudgedByItsEndingOnly) {
  Exploration exploration(input_of("in", {{"CALL p"}, {"SELECT p"}}), settings());
  const Judged judged = judge_turns(exploration, {4, 5, 4});
  EXPECT_EQ(judged.verdict.verdict, VerdictClass::kDegraded);
  EXPECT_THAT(reasons(judged), Contains(HasSubstr("several steps")));
  EXPECT_EQ(judge_turns(exploration, {8, 5}).verdict.verdict, VerdictClass::kNone);
}

TEST_F(JudgeTest, DamageBesideACallIsDamage) {
  server_.faults.lost_length = true;
  Exploration exploration(input_of("in", {{"CALL p"}, {"INSERT l 1"}, {"INSERT l 2"}}), settings());
  const Judged judged = judge_turns(exploration, {4, 5, 7, 4, 2});
  EXPECT_EQ(judged.verdict.verdict, VerdictClass::kLatent);
}

TEST_F(JudgeTest, AFaultThatNoCallWasBesideIsJudged) {
  server_.faults.lost_update = true;
  Exploration exploration(input_of("in", {{"CALL p"}, {"ADD x 1"}, {"ADD x 1"}}), settings());
  const Judged judged = judge_turns(exploration, {8, 4, 8, 0, 4});
  EXPECT_EQ(judged.verdict.verdict, VerdictClass::kSemantic);
}

// A crash, a deadlock and a reply that is none need no concurrency: told once by the serial order,
// then by whatever schedule ends so.
TEST_F(JudgeTest, AServerThatIsWrongSeriallyIsTold) {
  const std::map<std::string, std::string> endings = {
      {"DIE", "ending crash"}, {"AWAIT x", "ending deadlock"}, {"MUMBLE", "reply A1: none"}};
  for (const auto& [request, fact] : endings) {
    Exploration exploration(input_of("in", {{request}, {"SELECT y"}}), settings());
    const Judged first = exploration.explore(*executor_, 1);
    EXPECT_EQ(first.verdict.verdict, VerdictClass::kSerial) << request;
    EXPECT_TRUE(first.confirmed && first.new_cause) << request << ": " << first.doubt;
    EXPECT_EQ(first.report.record.number, 1U);
    EXPECT_EQ(first.report.record.strategy, "serial");
    ASSERT_TRUE(first.cause);
    EXPECT_THAT(first.cause->text, HasSubstr(fact));
    const Judged next = exploration.explore(*executor_, 2);
    EXPECT_EQ(next.verdict.verdict, VerdictClass::kSerial);
    EXPECT_TRUE(next.confirmed && !next.new_cause);
    EXPECT_NE(next.report.record.strategy, "serial");
    ASSERT_TRUE(next.cause);
    EXPECT_EQ(next.cause->id, first.cause->id);
  }
}

}  // namespace
}  // namespace esox
