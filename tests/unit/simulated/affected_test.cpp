// SPDX-License-Identifier: Apache-2.0
// Servers asked for a finding, on simulated ones: every answer that a row can have.
#include <cmath>
#include <system_error>

#include "base/statistics/confidence.h"
#include "harness/findings/affected/affected_server.h"
#include "tests/unit/simulated/fixture.h"

namespace esox {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

class AffectedTest : public Simulated {
 protected:
  AffectedTest() {
    server_.faults.lost_update = true;
    finding_ = find(input_of("in", {{"ADD x 1"}, {"ADD x 1"}}));
  }

  AffectedRow ask(simulated::SimulatedServer& server, bool count = false,
                  const std::string& strategy = "random:p=0.5") {
    AffectedRow row;
    return answered(row, server, count, strategy);
  }

  // What is in the row already is known of that server.
  AffectedRow& answered(AffectedRow& row, simulated::SimulatedServer& server, bool count = false,
                        const std::string& strategy = "random:p=0.5") {
    const std::unique_ptr<Executor> executor = server.factory()({});
    const ExplorationSettings as_found = settings(strategy);
    row.version = "1.0";
    ask_server(row, {*executor, finding_, as_found}, limits_, count, stop_);
    return row;
  }

  // As if the finding's schedule said nothing to other servers.
  void forget_the_schedule() {
    finding_.choices.clear();
    finding_.operations = {};
    limits_.variants = 0;
  }

  Finding finding_;
  SearchLimits limits_{200, std::nullopt, 100};
  simulated::SimulatedServer other_;  // without faults
};

TEST_F(AffectedTest, TheServerWhereItWasFoundHasItByItsScheduleAndCountsIt) {
  const AffectedRow row = ask(server_, /*count=*/true);
  EXPECT_EQ(row.answer, Affected::kHasIt);
  EXPECT_EQ(row.replay, "to the letter");
  ASSERT_THAT(row.searches, SizeIs(1));
  EXPECT_EQ(row.searches[0].executions, 200U);
  EXPECT_GT(row.searches[0].hits, 0U);
  EXPECT_EQ(answer_text(row), "has it (" + std::to_string(row.searches[0].hits) + " of 200)");
}

PlayedRounds seen_by_the_script(bool as_made) {
  return {.rounds = 20,
          .violated = 20,
          .what = {{"violated", 20}},
          .control_rounds = 20,
          .control_violated = 0,
          .as_made = as_made};
}

TEST_F(AffectedTest, WhereTheReproducerShowsItNothingIsExecuted) {
  AffectedRow row;
  row.played = seen_by_the_script(true);
  EXPECT_EQ(answered(row, other_).answer, Affected::kHasIt);
  EXPECT_EQ(answer_text(row), "has it (its reproducer)");
  EXPECT_EQ(other_texts(row).at(0), "its reproducer: violated 20 of 20");
  EXPECT_EQ(row.replay, "");
}

// Whatever that is, esox has not judged it.
TEST_F(AffectedTest, AnotherOutcomeOfTheReproducerDecidesNothing) {
  AffectedRow row;
  row.played = seen_by_the_script(false);
  EXPECT_EQ(answered(row, other_).answer, Affected::kNotSeen);
  EXPECT_THAT(other_texts(row).at(0), HasSubstr("otherwise than where it was made"));
  row = {};
  row.played = seen_by_the_script(true);
  row.played->control_violated = 1;
  EXPECT_EQ(answered(row, other_).answer, Affected::kNotSeen);
}

TEST_F(AffectedTest, WhereTheScheduleShowsItNothingIsSearched) {
  const AffectedRow row = ask(server_);
  EXPECT_THAT(row.searches, IsEmpty());
  EXPECT_EQ(answer_text(row), "has it (its schedule, to the letter)");
}

TEST_F(AffectedTest, WhereTheScheduleDoesNotTheSearchDoes) {
  forget_the_schedule();
  const AffectedRow row = ask(server_);
  EXPECT_EQ(row.replay, "not reproduced");
  EXPECT_EQ(row.answer, Affected::kHasIt);
  ASSERT_THAT(row.searches, SizeIs(1));
  EXPECT_EQ(row.searches[0].strategy, "random:p=0.5");
}

TEST_F(AffectedTest, WhereTheFindingsStrategyMissesItASearchFindsIt) {
  forget_the_schedule();
  const AffectedRow row = ask(server_, false, "pct:d=1");
  EXPECT_EQ(row.answer, Affected::kHasIt);
  ASSERT_THAT(row.searches, SizeIs(2));
  EXPECT_EQ(row.searches[0].hits, 0U);
  EXPECT_GT(row.searches[1].first_hit, 0U);
  EXPECT_THAT(answer_text(row), HasSubstr(", by exhaustive:preemptions=1)"));
}

// Two preemptions, and a strategy without any.
TEST_F(AffectedTest, WhereThatMissesItTooThePortfolioFindsIt) {
  server_.faults.mending = simulated::Mending::kNearlyRight;
  finding_.input = input_of("in", {{"ADD x 1"}, {"ADD x 2"}, {"ADD x 4"}});
  forget_the_schedule();
  limits_.executions = 1000;
  const AffectedRow row = ask(server_, false, "pct:d=1");
  ASSERT_THAT(row.searches, SizeIs(3));
  EXPECT_EQ(row.searches[1].hits, 0U);
  EXPECT_THAT(answer_text(row), HasSubstr(" of 1000, by the portfolio)"));
}

TEST_F(AffectedTest, OfAServerWithoutItIsSaidHowProbablyItWouldHaveBeenSeen) {
  AffectedTable table;
  table.rows = {ask(other_), ask(server_, true)};
  EXPECT_EQ(table.rows[0].answer, Affected::kNotSeen);
  ASSERT_THAT(table.rows[0].searches, SizeIs(3));
  const uint64_t executions = 400 + table.rows[0].searches[1].executions;
  EXPECT_EQ(table.rows[0].executions(), executions) << "by all of them";
  table.rows[1].version = "0.9";
  table.rows[1].home = true;
  state_probabilities(table);
  const AffectedSearch& home = table.rows[1].searches[0];
  const auto& there = table.rows[0].searches[0];
  const double least = lower_bound_of_rate(home.drawn_hits(), home.drawn());
  EXPECT_LT(least, static_cast<double>(home.drawn_hits()) / static_cast<double>(home.drawn()));
  ASSERT_TRUE(table.rows[0].would_have_been_seen);
  EXPECT_NEAR(*table.rows[0].would_have_been_seen, 1 - std::pow(1 - least, there.drawn()), 1e-9)
      << "the others' executions count for nothing";
  EXPECT_THAT(answer_text(table.rows[0]),
              AllOf(HasSubstr("not in " + std::to_string(executions) +
                              " executions; would have been seen with probability 0."),
                    HasSubstr("as frequent as on 0.9")));
}

// A schedule that was predicted is not drawn.
TEST_F(AffectedTest, PredictedSchedulesCountForNoRate) {
  AffectedTable table;
  AffectedRow home = ask(server_, true);
  home.searches[0].predicted = 4;
  home.searches[0].predicted_hits = home.searches[0].hits;
  table.rows = {home, ask(other_)};
  state_probabilities(table);
  EXPECT_FALSE(table.rows[1].would_have_been_seen);
}

TEST_F(AffectedTest, WithoutAMeasuredRateNothingIsClaimed) {
  AffectedTable table;
  table.rows = {ask(other_), ask(server_)};
  EXPECT_FALSE(has_rate(table.rows)) << "the schedule alone is no rate";
  state_probabilities(table);
  EXPECT_FALSE(table.rows[0].would_have_been_seen);
  EXPECT_THAT(answer_text(table.rows[0]), HasSubstr("is not known"));
}

TEST_F(AffectedTest, TheRateIsThatOfHomeElseOfTheFirstThatHasOne) {
  AffectedTable table;
  AffectedRow rare = ask(server_, true);
  rare.version = "rare";
  rare.searches[0].hits = 1;
  AffectedRow home = ask(server_, true);
  home.version = "home";
  table.rows = {rare, home, ask(other_)};
  state_probabilities(table);
  EXPECT_EQ(table.rows[2].as_frequent_as, "rare");
  table.rows[1].home = true;
  state_probabilities(table);
  EXPECT_EQ(table.rows[2].as_frequent_as, "home");
}

TEST_F(AffectedTest, ASetupThatFailsThereIsARefusal) {
  other_.failing_setups = {"in"};
  const AffectedRow row = ask(other_);
  EXPECT_EQ(answer_text(row), "refused there: in: its setup fails");
  EXPECT_THAT(row.searches, IsEmpty());
}

TEST_F(AffectedTest, ARequestThatEveryOrderRefusesThereIsNamedWithTheServersError) {
  other_.faults.unknown = "ADD";
  const AffectedRow row = ask(other_);
  EXPECT_EQ(answer_text(row), "refused there: A1 (ADD x 1): error 3 (HY000): unknown request");
  EXPECT_EQ(row.replay, "");
}

// The two orders that are executed first refuse A1; others do not.
TEST_F(AffectedTest, ARequestThatSomeOrderAcceptsIsNotRefused) {
  server_.faults = {};
  server_.faults.overdraft = true;
  finding_ = find(input_of("in", {{"TAKE x"}, {"TAKE x"}, {"UPDATE x 1"}}));
  EXPECT_EQ(ask(server_).answer, Affected::kHasIt);
  forget_the_schedule();
  EXPECT_EQ(ask(other_).answer, Affected::kNotSeen);
}

TEST_F(AffectedTest, WhereOrdersAreManyARefusalIsToldOnlyAfterTheSearch) {
  finding_ = find(input_of("in", {{"ADD x 1", "ADD x 1", "SELECT y"}, {"ADD x 1", "SELECT y"}}));
  other_.faults.unknown = "ADD";
  const AffectedRow row = ask(other_);
  EXPECT_THAT(answer_text(row), HasSubstr("refused there: A1 (ADD x 1): error 3"));
  EXPECT_GE(row.executions(), 400U);
}

TEST_F(AffectedTest, AServerThatLosesControlCannotTell) {
  other_.degrade_each = 1;
  EXPECT_THAT(answer_text(ask(other_)),
              "cannot tell: 200 of 200 executions could not be judged: a thread was lost");
}

// Not every pair of schedules ends differently.
TEST_F(AffectedTest, OneThatDoesNotRepeatItselfCannotTellWhatItHasNot) {
  std::vector<std::string> answers;
  for (other_.moved_each = 1; other_.moved_each <= 6; ++other_.moved_each) {
    other_.runs = 0;
    answers.push_back(answer_text(ask(other_)));
  }
  EXPECT_THAT(answers,
              testing::Contains(HasSubstr(
                  "cannot tell: equal seeds did not give equal executions: in: the reply")));
  server_.moved_each = 3;
  EXPECT_EQ(ask(server_).answer, Affected::kHasIt) << "what was seen was seen";
}

TEST_F(AffectedTest, OneThatDoesNotStartCannotTell) {
  other_.failing_runs = 1'000'000;
  EXPECT_EQ(answer_text(ask(other_)), "cannot tell: the server does not start");
}

TEST_F(AffectedTest, WhatNoReplayConfirmsCannotBeTold) {
  forget_the_schedule();
  server_.replays_are_sound = true;
  EXPECT_THAT(answer_text(ask(server_)),
              AllOf(HasSubstr("cannot tell: it was seen in "), HasSubstr("no replay gave it")));
}

TEST_F(AffectedTest, AServerThatIsLostInBetweenKeepsWhatItHasShown) {
  forget_the_schedule();
  server_.before_run = [](uint64_t run) {
    if (run > 150) throw ServerError("the server is gone");
  };
  server_.runs = 0;
  const AffectedRow with = ask(server_);
  EXPECT_EQ(with.answer, Affected::kHasIt);
  EXPECT_LT(with.searches.at(0).executions, 200U);
  other_.before_run = server_.before_run;
  const AffectedRow without = ask(other_);
  EXPECT_EQ(answer_text(without), "cannot tell: the server is gone");
  EXPECT_GT(without.searches.at(0).executions, 0U);
}

TEST_F(AffectedTest, AnotherViolationIsToldAsSuch) {
  other_.faults.crash = true;
  const AffectedRow row = ask(other_);
  EXPECT_EQ(row.answer, Affected::kNotSeen);
  ASSERT_THAT(other_texts(row), Not(IsEmpty()));
  EXPECT_THAT(other_texts(row)[0],
              AllOf(HasSubstr("another violation, in "), HasSubstr("class crash")));
}

TEST_F(AffectedTest, StoppedItTellsWhatIsKnown) {
  forget_the_schedule();
  other_.before_run = [this](uint64_t run) { stop_ = stop_ || run == 60; };
  const AffectedRow row = ask(other_);
  EXPECT_EQ(row.answer, Affected::kNotSeen);
  EXPECT_GT(row.executions(), 0U);
  EXPECT_LT(row.executions(), 60U);
  EXPECT_EQ(answer_text(ask(other_)), "cannot tell: esox was stopped") << "before it began";
}

TEST_F(AffectedTest, OutOfTimeItTellsSo) {
  limits_.budget = std::chrono::milliseconds(0);
  EXPECT_THAT(answer_text(ask(other_)), HasSubstr("the time was over"));
}

TEST_F(AffectedTest, WhatOpeningThrowsOfTheServersOwnIsToldAndNothingElse) {
  AffectedRow row;
  ask_guarded(row, [] { throw ServerError("no such program"); });
  EXPECT_EQ(answer_text(row), "cannot tell: no such program");
  ask_guarded(row, [] { throw std::system_error(std::make_error_code(std::errc::io_error)); });
  EXPECT_THAT(row.reason, Not(IsEmpty()));
  EXPECT_THROW(ask_guarded(row, [] { throw FindingError("the file is cut off"); }), FindingError);
}

}  // namespace
}  // namespace esox
