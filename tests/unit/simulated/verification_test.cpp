// SPDX-License-Identifier: Apache-2.0
// Verifications on simulated servers: mended rightly, by half, by a narrower window, by another
// one, by the wrong lock, not at all. What is wrong is never called fixed, whatever the seed, not
// even where the finding's schedule says nothing any more.
#include "harness/findings/verify/verification.h"

#include "tests/unit/sanitized.h"
#include "tests/unit/simulated/fixture.h"

namespace esox {
namespace {

using simulated::Mending;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr uint64_t kSeeds = repeated(100);

class VerificationTest : public Simulated {
 protected:
  VerificationTest() {
    server_.faults.lost_update = true;
    finding_ = find(input_of("in", {{"ADD x 1"}, {"ADD x 2"}}));
    limits_.draws = 300;
    limits_.most_draws = 20'000;
    limits_.budget = std::chrono::hours(1);  // nothing here depends on the clock
  }

  Verification verify_it(simulated::SimulatedServer& now, uint64_t seed = 1) {
    const std::unique_ptr<Executor> after = now.factory()({});
    ExplorationSettings as_found = settings();
    as_found.hunt_seed = seed;
    return verify({*executor_, as_found}, {*after, as_found}, finding_, limits_, stop_);
  }

  // The store with its fault, as somebody has mended it.
  Verification verify_mended(Mending mending, uint64_t seed = 1) {
    simulated::SimulatedServer now;
    now.faults.lost_update = true;
    now.faults.mending = mending;
    return verify_it(now, seed);
  }

  // As if the finding's schedule said nothing to other servers.
  void forget_the_schedule() {
    finding_.choices.clear();
    finding_.operations = {};
    limits_.variants = 0;
  }

  void expect_never_fixed(Mending mending) {
    std::map<std::string, int> conclusions;
    for (uint64_t seed = 1; seed <= kSeeds; ++seed) {
      const Verification verification = verify_mended(mending, seed);
      ++conclusions[conclusion_name(verification.conclusion())];
      EXPECT_NE(verification.conclusion(), Conclusion::kFixed)
          << "seed " << seed << ": " << verification.reason();
    }
    EXPECT_EQ(conclusions["still there"], static_cast<int>(kSeeds));
  }

  Finding finding_;
  VerifyLimits limits_;
};

TEST_F(VerificationTest, ARightFixIsFixedWhateverTheSeed) {
  for (uint64_t seed = 1; seed <= kSeeds; ++seed) {
    simulated::SimulatedServer fixed;
    const Verification verification = verify_it(fixed, seed);
    EXPECT_EQ(verification.conclusion(), Conclusion::kFixed)
        << "seed " << seed << ": " << verification.reason();
    EXPECT_TRUE(verification.after.complete);
    EXPECT_EQ(verification.before.draws.hits, kWantedHits) << "and no more were wanted";
    EXPECT_GE(verification.after.draws.executions, limits_.draws);
  }
}

struct WrongFix {
  const char* name;
  Mending mending;
};

class WrongFixes : public VerificationTest, public testing::WithParamInterface<WrongFix> {};

TEST_P(WrongFixes, AreNeverCalledFixed) {
  expect_never_fixed(GetParam().mending);
}

TEST_P(WrongFixes, NorWhereTheScheduleSaysNothing) {
  forget_the_schedule();
  expect_never_fixed(GetParam().mending);
}

INSTANTIATE_TEST_SUITE_P(Mendings, WrongFixes,
                         testing::Values(WrongFix{"Nothing", Mending::kNothing},
                                         WrongFix{"Logged", Mending::kLogged},
                                         WrongFix{"OnePath", Mending::kOnePath},
                                         WrongFix{"Moved", Mending::kMoved},
                                         WrongFix{"Narrowed", Mending::kNarrowed},
                                         WrongFix{"WrongLock", Mending::kWrongLock}),
                         [](const auto& fix) { return std::string(fix.param.name); });

// No schedule with one preemption shows what is left of the bug.
TEST_F(VerificationTest, WhatNeedsTwoPreemptionsIsSeenByDraws) {
  finding_ = find(input_of("in", {{"ADD x 1"}, {"ADD x 2"}, {"ADD x 4"}}));
  forget_the_schedule();
  uint64_t complete = 0;
  for (uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const Verification verification = verify_mended(Mending::kNearlyRight, seed);
    EXPECT_EQ(verification.conclusion(), Conclusion::kStillThere) << verification.reason();
    EXPECT_EQ(verification.after.systematic.hits, 0U);
    complete += verification.after.complete ? 1 : 0;
  }
  EXPECT_LT(complete, kSeeds) << "it is seen before that search has ended";
}

// Two preemptions in sessions that are long for this store.
TEST_F(VerificationTest, ARareBugIsPursuedToTheLimit) {
  server_.faults.mending = Mending::kNearlyRight;
  const std::vector<std::string> others(6, "SELECT y");
  std::vector<std::vector<std::string>> clients;
  for (const char* add : {"ADD x 1", "ADD x 2", "ADD x 4"}) {
    std::vector<std::string>& requests = clients.emplace_back(others);
    requests.insert(requests.begin() + 3, add);
  }
  finding_.input = input_of("in", clients);
  forget_the_schedule();
  limits_.draws = 20;
  limits_.most_draws = 60;
  limits_.systematic = 50;
  simulated::SimulatedServer fixed;
  const Verification verification = verify_it(fixed);
  EXPECT_EQ(verification.after.draws.executions, limits_.most_draws);
  EXPECT_EQ(verification.conclusion(), Conclusion::kCannotTell) << verification.reason();
}

TEST_F(VerificationTest, WhereTheRateIsNotKnownAllSchedulesWithOnePreemptionSay) {
  limits_.draws = 3;  // on the old server, too: too few hits to know its rate
  limits_.most_draws = 3;
  simulated::SimulatedServer fixed;
  const Verification few = verify_it(fixed);
  EXPECT_EQ(few.conclusion(), Conclusion::kCannotTell) << few.reason();
  limits_.most_draws = 40;
  finding_.strategy = "pct:d=1";  // which never shows it
  forget_the_schedule();
  const Verification all = verify_it(fixed);
  ASSERT_TRUE(all.after.complete);
  EXPECT_EQ(all.before.systematic.hits, 1U);
  EXPECT_EQ(all.conclusion(), Conclusion::kFixed) << all.reason();
}

TEST_F(VerificationTest, AnotherViolationOnTheNewServerIsToldApart) {
  simulated::SimulatedServer worse;
  worse.faults.crash = true;
  const Verification verification = verify_it(worse);
  EXPECT_EQ(verification.conclusion(), Conclusion::kNewViolations) << verification.reason();
  EXPECT_THAT(verification.brought, Not(IsEmpty()));
  EXPECT_THAT(verification.shared, IsEmpty());
}

// It may be another face of the same bug.
TEST_F(VerificationTest, WhereTheInputStillBreaksInAnotherWayNothingIsFixed) {
  const ConcreteInput input =
      input_of("in", {{"ADD x 1", "INSERT l a"}, {"ADD x 2", "INSERT l b"}});
  finding_ = find(input);
  server_.faults.lost_length = true;
  simulated::SimulatedServer half;
  half.faults.lost_length = true;
  const Verification verification = verify_it(half);
  EXPECT_EQ(verification.conclusion(), Conclusion::kCannotTell) << verification.reason();
  EXPECT_THAT(verification.reason(), HasSubstr("another face of the same bug"));
  EXPECT_THAT(verification.shared, Not(IsEmpty()));
}

// The other client is told wrong, only the state is: the finding's cause is another one.
TEST_F(VerificationTest, AnotherFaceIsOfTheFamily) {
  finding_.cause = "class semantic\nreply B1: result 1 rows missing and extra\n";
  EXPECT_EQ(verify_mended(Mending::kNothing).conclusion(), Conclusion::kStillThere);
  finding_.cause = "class semantic, latent\ncomponent rows:registers: missing and extra\n";
  EXPECT_EQ(verify_mended(Mending::kNothing).conclusion(), Conclusion::kStillThere);
}

TEST_F(VerificationTest, AServerThatLosesControlSaysNothing) {
  simulated::SimulatedServer lost;
  lost.degrade_each = 1;
  const Verification all = verify_it(lost);
  EXPECT_EQ(all.conclusion(), Conclusion::kCannotTell);
  EXPECT_THAT(all.reason(), HasSubstr("on the new server could not be judged"));
  lost.degrade_each = 7;  // it may be just those
  lost.runs = 0;
  const Verification some = verify_it(lost);
  EXPECT_EQ(some.conclusion(), Conclusion::kCannotTell);
  EXPECT_THAT(some.reason(), HasSubstr("more than on the old one"));
}

TEST_F(VerificationTest, WhatNoReplayConfirmsIsNotFixed) {
  forget_the_schedule();
  simulated::SimulatedServer shy;
  shy.faults.lost_update = true;
  shy.replays_are_sound = true;
  const Verification verification = verify_it(shy);
  EXPECT_EQ(verification.conclusion(), Conclusion::kCannotTell) << verification.reason();
  EXPECT_THAT(verification.reason(), HasSubstr("no replay gave it again"));
}

TEST_F(VerificationTest, AServerThatRefusesTheRequestIsNotFixed) {
  simulated::SimulatedServer older;
  older.faults.unknown = "ADD";
  const Verification verification = verify_it(older);
  EXPECT_EQ(verification.conclusion(), Conclusion::kCannotTell);
  EXPECT_THAT(verification.reason(), HasSubstr("refuses a request: A1 (ADD x 1): error 3"));
}

TEST_F(VerificationTest, AnOldServerWithoutTheBugIsNotWaitedFor) {
  simulated::SimulatedServer fixed;
  server_.faults = {};
  const Verification verification = verify_it(fixed);
  EXPECT_EQ(verification.conclusion(), Conclusion::kCannotTell);
  EXPECT_THAT(verification.reason(), HasSubstr("is it the one of the finding?"));
  EXPECT_LT(verification.after.draws.executions, limits_.most_draws);
}

TEST_F(VerificationTest, StoppedItCannotTell) {
  simulated::SimulatedServer fixed;
  fixed.before_run = [this](uint64_t run) { stop_ = stop_ || run == 300; };
  const Verification verification = verify_it(fixed);
  EXPECT_EQ(verification.conclusion(), Conclusion::kCannotTell);
  EXPECT_EQ(verification.reason(), "esox was stopped");
}

TEST_F(VerificationTest, EqualSeedsSayTheSame) {
  simulated::SimulatedServer fixed;
  const std::string once = verification_json(verify_it(fixed, 7), finding_);
  EXPECT_EQ(verification_json(verify_it(fixed, 7), finding_), once);
}

TEST_F(VerificationTest, TheTextSaysOfWhatItsNumbersAre) {
  simulated::SimulatedServer fixed;
  EXPECT_THAT(verification_text(verify_it(fixed)),
              AllOf(HasSubstr("Every schedule with one preemption\n  old: number "),
                    HasSubstr(", which are all\n"), HasSubstr("Fresh draws (random:p=0.5 50 %, "),
                    HasSubstr("old: 20 of "), HasSubstr("new: none of "),
                    HasSubstr(" fresh draws (99 %: at most "), HasSubstr("\nfixed: none in ")));
}

TEST(VerificationByReproducer, ShowsThatItIsStillThereAndNeverThatItIsNot) {
  Verification verification;
  verification.played = PlayedRounds{.rounds = 20, .violated = 19, .as_made = true};
  EXPECT_EQ(verification.conclusion(), Conclusion::kStillThere);
  EXPECT_THAT(verification_text(verification), HasSubstr("its reproducer shows it there"));
  verification.played->as_made = false;
  EXPECT_EQ(verification.conclusion(), Conclusion::kCannotTell);
  verification.played->as_made = true;
  verification.played->control_violated = 1;
  EXPECT_EQ(verification.conclusion(), Conclusion::kCannotTell);
}

}  // namespace
}  // namespace esox
