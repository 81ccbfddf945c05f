// SPDX-License-Identifier: Apache-2.0
// What is said of a finding after each night, by nights that are drawn: that nothing is called gone
// or regressed more often than stated, and how soon what is gone is called so.
#include "harness/nights/night/changes.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <functional>
#include <random>

namespace esox {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

std::string night_id(unsigned night) {
  return fmt::format("2026-{:05}", night);
}

StageTrial trial(unsigned night, uint64_t executions, uint64_t hits, uint64_t first_hit = 1) {
  StageTrial one;
  one.night = night_id(night);
  one.server = "tonight";
  one.cell = one.draws = "in on Aria";
  one.seed = night;
  one.executions = executions;
  one.hits = hits;
  one.first_hit = hits > 0 ? first_hit : 0;
  return one;
}

Change after(const FindingPast& past, unsigned night) {
  const std::vector<Change> changes = changes_of(past, night_id(night));
  return changes.empty() ? Change{} : changes.front();
}

std::vector<Fate> fates(const FindingPast& past, unsigned nights) {
  std::vector<Fate> all;
  for (unsigned night = 1; night <= nights; ++night) all.push_back(after(past, night).fate);
  return all;
}

TEST(Changes, AFindingIsNewOnlyInTheNightThatOpenedItAndStillThereAfterwards) {
  FindingPast past;
  past.first_night = night_id(2);
  past.trials = {trial(1, 300, 0), trial(2, 300, 30), trial(3, 300, 25)};
  EXPECT_THAT(changes_of(past, night_id(1)), IsEmpty());
  EXPECT_EQ(after(past, 2).fate, Fate::kNew);
  EXPECT_EQ(after(past, 3).fate, Fate::kStillThere);
  EXPECT_EQ(after(past, 3).last_met, night_id(2));
  EXPECT_EQ(after(past, 3).hits, 25u);
}

TEST(Changes, WhatWasKnownBeforeIsNotNewWhereItIsMetFirst) {
  FindingPast past;
  past.trials = {trial(1, 300, 30)};
  EXPECT_EQ(after(past, 1).fate, Fate::kStillThere);
  EXPECT_TRUE(after(past, 1).first_here);
}

TEST(Changes, ACommonOneIsGoneWithTheFirstNightWithoutIt) {
  FindingPast past;
  past.first_night = night_id(1);
  for (unsigned night = 1; night <= 6; ++night) past.trials.push_back(trial(night, 300, 30, 9));
  past.trials.push_back(trial(7, 300, 0));
  past.trials.push_back(trial(8, 300, 0));
  past.trials.push_back(trial(9, 300, 2));
  EXPECT_THAT(fates(past, 9), ElementsAre(Fate::kNew, Fate::kStillThere, Fate::kStillThere,
                                          Fate::kStillThere, Fate::kStillThere, Fate::kStillThere,
                                          Fate::kGone, Fate::kGoneBefore, Fate::kRegressed));
  const Change gone = after(past, 7);
  EXPECT_EQ(gone.executions_since, 300u);
  EXPECT_NEAR(gone.remaining, 0.01, 0.0001);
  EXPECT_LE(gone.chance, gone.risk);
  EXPECT_EQ(after(past, 8).executions_since, 600u);
  EXPECT_EQ(after(past, 8).gone_since, night_id(7));
  EXPECT_EQ(after(past, 9).gone_since, night_id(7));
}

TEST(Changes, ARareOneIsNotMetForANumberOfNightsBeforeItIsGone) {
  FindingPast past;
  past.first_night = night_id(1);
  for (unsigned night = 1; night <= 8; ++night) past.trials.push_back(trial(night, 300, 1, 200));
  for (unsigned night = 9; night <= 30; ++night) past.trials.push_back(trial(night, 300, 0));
  EXPECT_EQ(after(past, 9).fate, Fate::kNotMet);
  EXPECT_GT(after(past, 9).chance, after(past, 9).risk);
  unsigned gone = 9;
  while (gone < 30 && after(past, gone).fate != Fate::kGone) ++gone;
  EXPECT_GT(gone, 10u);
  EXPECT_LT(gone, 20u);
}

TEST(Changes, ANightWithoutExecutionsOfItsInputSaysNothing) {
  FindingPast past;
  past.first_night = night_id(1);
  for (unsigned night = 1; night <= 6; ++night) past.trials.push_back(trial(night, 300, 30, 9));
  const Change change = after(past, 40);
  EXPECT_EQ(change.fate, Fate::kNotMet);
  EXPECT_EQ(change.executions_since, 0u);
  EXPECT_EQ(change.remaining, 1);
}

TEST(Changes, TheSameSeedAgainSaysNothingNew) {
  FindingPast past;
  past.first_night = night_id(1);
  for (unsigned night = 1; night <= 6; ++night) past.trials.push_back(trial(night, 300, 30, 9));
  for (unsigned night = 7; night <= 40; ++night) {
    StageTrial again = trial(night, 300, 0);
    again.seed = 3;
    past.trials.push_back(again);
  }
  EXPECT_EQ(after(past, 40).fate, Fate::kNotMet);
}

TEST(Changes, MetOnceInALongWhileTakesAsLongAgainManyTimesToBeGone) {
  FindingPast past;
  past.first_night = night_id(10);
  for (unsigned night = 1; night <= 600; ++night) {
    past.trials.push_back(trial(night, 300, night == 10 ? 5 : 0, 150));
  }
  EXPECT_EQ(after(past, 100).fate, Fate::kNotMet);
  EXPECT_EQ(after(past, 300).fate, Fate::kNotMet);
  EXPECT_EQ(after(past, 599).fate, Fate::kNotMet);
}

TEST(Changes, ManyHitsOfOneNightAreOneEventUnlessTheyAreIndependent) {
  FindingPast past;
  past.first_night = night_id(1);
  past.trials = {trial(1, 300, 60, 3), trial(2, 300, 0)};
  EXPECT_EQ(after(past, 2).fate, Fate::kGone);  // 3 executions, and then 300 without
  past.trials[0].first_hit = 100;
  EXPECT_EQ(after(past, 2).fate, Fate::kNotMet);
  past.trials[0].independent = true;
  EXPECT_EQ(after(past, 2).fate, Fate::kGone);
}

TEST(Changes, ItsOwnScheduleIsAMeetingAndARegression) {
  FindingPast past;
  past.first_night = night_id(1);
  for (unsigned night = 1; night <= 6; ++night) past.trials.push_back(trial(night, 300, 30, 9));
  past.trials.push_back(trial(7, 300, 0));
  past.tried_again = {{night_id(7), "tonight", true}};
  EXPECT_EQ(after(past, 7).fate, Fate::kStillThere);
  EXPECT_TRUE(after(past, 7).by_schedule);
  past.tried_again = {{night_id(7), "tonight", false}, {night_id(8), "tonight", true}};
  EXPECT_EQ(after(past, 7).fate, Fate::kGone);
  EXPECT_EQ(after(past, 8).fate, Fate::kRegressed);
  EXPECT_TRUE(after(past, 8).by_schedule);
  EXPECT_EQ(after(past, 8).executions, 0u);
}

TEST(Changes, WhatWasMarkedFixedAndIsMetIsRegressedOnce) {
  FindingPast past;
  past.first_night = night_id(1);
  for (unsigned night = 1; night <= 4; ++night) past.trials.push_back(trial(night, 300, 30, 9));
  past.fixed_from = {night_id(2) + "-later"};
  EXPECT_THAT(fates(past, 4),
              ElementsAre(Fate::kNew, Fate::kStillThere, Fate::kRegressed, Fate::kStillThere));
  EXPECT_TRUE(after(past, 3).marked_fixed);
  EXPECT_FALSE(after(past, 4).marked_fixed);
  past.trials[2].hits = 0;
  EXPECT_EQ(after(past, 3).fate, Fate::kGoneBefore);
  EXPECT_TRUE(after(past, 3).marked_fixed);
}

TEST(Changes, EachServerHasItsOwnFate) {
  FindingPast past;
  past.first_night = night_id(1);
  for (unsigned night = 1; night <= 7; ++night) {
    past.trials.push_back(trial(night, 300, night < 7 ? 30 : 0, 9));
    past.trials.push_back(trial(night, 300, 30, 9));
    past.trials.back().server = "stable";
    past.trials.push_back(trial(night, 300, 0));
    past.trials.back().server = "without";
  }
  const std::vector<Change> changes = changes_of(past, night_id(7));
  ASSERT_THAT(changes, SizeIs(2));
  EXPECT_EQ(changes[0].server, "stable");
  EXPECT_EQ(changes[0].fate, Fate::kStillThere);
  EXPECT_EQ(changes[1].server, "tonight");
  EXPECT_EQ(changes[1].fate, Fate::kGone);
}

// ---- drawn nights

// A finding that comes at this rate in each execution of each cell that has its turn.
struct Drawn {
  std::vector<double> rates;  // by cell
  double turn = 1;            // chance that a cell has executions in a night
  uint64_t executions = 300;  // of a cell, in a night
  bool clustered = true;      // after its first hit of a night, half of the rest hit
  std::function<bool(unsigned)> there = [](unsigned) { return true; };
};

FindingPast drawn_past(const Drawn& drawn, unsigned nights, std::mt19937_64& random) {
  FindingPast past;
  std::bernoulli_distribution has_turn(drawn.turn);
  for (unsigned night = 1; night <= nights; ++night) {
    for (size_t cell = 0; cell < drawn.rates.size(); ++cell) {
      if (!has_turn(random)) continue;
      StageTrial one = trial(night, drawn.executions, 0);
      one.cell = one.draws = fmt::format("cell {}", cell);
      one.seed = random();
      one.independent = !drawn.clustered;
      std::geometric_distribution<uint64_t> gap(drawn.rates[cell]);
      uint64_t at = drawn.there(night) ? gap(random) + 1 : drawn.executions + 1;
      if (at <= drawn.executions) {
        one.first_hit = at;
        one.hits = 1;
        if (drawn.clustered) one.hits += (drawn.executions - at) / 2;
        while (!drawn.clustered && (at += gap(random) + 1) <= drawn.executions) ++one.hits;
        if (past.first_night.empty()) past.first_night = one.night;
      }
      past.trials.push_back(std::move(one));
    }
  }
  return past;
}

struct Account {
  unsigned findings = 0;  // ever met
  unsigned ever_gone = 0;
  unsigned new_again = 0;
  unsigned regressed = 0;
};

// Every night is asked for.
Account account_of(const Drawn& drawn, unsigned findings, unsigned nights, uint64_t seed) {
  std::mt19937_64 random(seed);
  Account account;
  for (unsigned i = 0; i < findings; ++i) {
    const FindingPast past = drawn_past(drawn, nights, random);
    if (past.first_night.empty()) continue;
    ++account.findings;
    bool gone = false;
    unsigned fresh = 0;
    for (unsigned night = 1; night <= nights; ++night) {
      const std::vector<Change> changes = changes_of(past, night_id(night));
      if (changes.empty()) continue;
      gone = gone || changes[0].fate == Fate::kGone;
      fresh += changes[0].fate == Fate::kNew ? 1 : 0;
      account.regressed += changes[0].fate == Fate::kRegressed ? 1 : 0;
    }
    account.ever_gone += gone ? 1 : 0;
    account.new_again += fresh == 1 ? 0 : 1;
  }
  return account;
}

// A share that is at most kGoneRisk gives more than this with less than 1 in 1000.
unsigned most_gone(unsigned findings) {
  const double mean = kGoneRisk * findings;
  return static_cast<unsigned>(mean + 3.1 * std::sqrt(mean) + 1);
}

void expect_as_stated(const Drawn& drawn, uint64_t seed, const std::string& what) {
  const Account account = account_of(drawn, 100, 100, seed);
  SCOPED_TRACE(what);
  EXPECT_EQ(account.new_again, 0u);
  EXPECT_GT(account.findings, 20u);
  EXPECT_LE(account.ever_gone, most_gone(account.findings)) << "of " << account.findings;
  fmt::print("{:44} {:>4} findings, {} ever called gone, {} times regressed\n", what,
             account.findings, account.ever_gone, account.regressed);
}

TEST(DrawnNights, WhatIsStillThereIsHardlyEverCalledGone) {
  expect_as_stated({{0.1}}, 1, "common");
  expect_as_stated({{0.01}}, 2, "met in nineteen nights of twenty");
  expect_as_stated({{0.003}}, 3, "met in most nights");
  expect_as_stated({{0.001}}, 4, "met in every fourth night");
  expect_as_stated({{0.0001}}, 5, "met once a month");
}

TEST(DrawnNights, NorWhereExecutionsAreIndependentAndAllCount) {
  expect_as_stated({{0.01}, 1, 300, false}, 6, "independent, often");
  expect_as_stated({{0.001}, 1, 300, false}, 7, "independent, rare");
}

TEST(DrawnNights, NorWhereInputsOfDifferentRatesTakeTurns) {
  expect_as_stated({{0.05, 0.0005}, 0.3}, 8, "a common and a rare cell, in turns");
  expect_as_stated({{0.01, 0.003, 0.001, 0.0003}, 0.5}, 9, "four cells, in turns");
  expect_as_stated({{0.002, 0.002, 0.002}, 0.2, 300, false}, 10, "three rare ones, independent");
}

TEST(DrawnNights, WhatIsGoneIsCalledSoInTimeAndOnceOnly) {
  std::mt19937_64 random(11);
  struct Case {
    double rate;
    unsigned usual;  // nights until half of them are called gone, at most
  };
  for (const Case& one : {Case{0.1, 1}, Case{0.03, 2}, Case{0.01, 6}}) {
    Drawn drawn{{one.rate}};
    drawn.there = [](unsigned night) { return night > 20 && night <= 40; };
    std::vector<unsigned> delays;
    for (unsigned i = 0; i < 100; ++i) {
      const FindingPast past = drawn_past(drawn, 120, random);
      unsigned night = 41;
      while (night < 120 && after(past, night).fate != Fate::kGone &&
             after(past, night).fate != Fate::kGoneBefore) {
        ++night;
      }
      delays.push_back(night - 40);
      EXPECT_EQ(after(past, 120).fate, Fate::kGoneBefore);
    }
    std::sort(delays.begin(), delays.end());
    EXPECT_LE(delays[50], one.usual) << one.rate;
    fmt::print("rate {:<6} gone after {} nights (half of them), {} (nineteen of twenty)\n",
               one.rate, delays[50], delays[95]);
  }
}

}  // namespace
}  // namespace esox
