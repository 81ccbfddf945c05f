// SPDX-License-Identifier: Apache-2.0
// The search of real programs visits each partial order that they have, once, and says so: the
// scheduler tells rightly who could have run, what all were about to do, and what was done.
//
// How many there are is known: counted by hand (tests/programs/counted_orders.cpp) or of the
// thesis.
#include <ostream>

#include "tests/integration/exec_fixture.h"

namespace esox {
namespace {

using exhaustive::Bound;
using exhaustive::JobState;
using exhaustive::SearchResult;
using exhaustive::SearchSpec;
using testing::HasSubstr;
using testing::StartsWith;

class ProgramSearch : public ExecTest {
 protected:
  CampaignReport searched(const std::string& program, const SearchSpec& spec,
                          std::vector<std::string> arguments = {}) {
    CampaignPlan plan = plan_for(program, "pos*", 100'000, std::move(arguments));
    plan.search = spec;
    plan.strategy_text = text_of(spec);
    return run(plan);
  }

  static SearchSpec within(uint32_t preemptions) {
    return {.bound = Bound::kPreemptions, .most = preemptions};
  }
};

struct Counted {
  std::string program;
  std::vector<std::string> arguments;
  uint64_t partial_orders;
  uint64_t failing = 0;
};

void PrintTo(const Counted& one, std::ostream* out) {
  *out << one.program;
  for (const std::string& argument : one.arguments) *out << " " << argument;
}

class CountedSearch : public ProgramSearch, public testing::WithParamInterface<Counted> {};

TEST_P(CountedSearch, VisitsEachPartialOrderOnceAndSaysSo) {
  const CampaignReport report = searched(GetParam().program, {}, GetParam().arguments);
  const SearchResult& result = *report.search;
  EXPECT_EQ(result.partial_orders, GetParam().partial_orders);
  EXPECT_EQ(result.violating, GetParam().failing);
  EXPECT_EQ(result.repeated, 0u);
  EXPECT_EQ(result.unusable, 0u);
  EXPECT_EQ(result.executions, result.partial_orders + result.cut_short);
  EXPECT_EQ(report.executions, result.executions);
  EXPECT_EQ(report.failed, result.violating);
  EXPECT_TRUE(result.exhausted) << text_of(result);
}

// With more preemptions than there are points, the other way of searching comes to the same.
class SmallCountedSearch : public CountedSearch {};

TEST_P(SmallCountedSearch, ComesToTheSameByAllSchedules) {
  const CampaignReport report = searched(GetParam().program, within(100), GetParam().arguments);
  EXPECT_EQ(report.search->partial_orders, GetParam().partial_orders);
  EXPECT_EQ(report.search->violating, GetParam().failing);
  EXPECT_TRUE(report.search->exhausted) << text_of(*report.search);
}

const auto kSmallPrograms = testing::Values(
    Counted{"counted_orders", {"shared", "2", "1"}, 2}, Counted{"counted_orders", {"made_late"}, 3},
    Counted{"counted_orders", {"woken"}, 2}, Counted{"figure_3_1", {}, 12, 1},
    Counted{"lock_order_deadlock", {}, 3, 1}, Counted{"lost_update", {}, 6, 4});

// That a thread has come to stand before a try is an operation of its own, for it makes a point of
// the release that the try may meet: of three orders some are executed under two names.
TEST_F(ProgramSearch, OfTriesNoOrderIsLeftOut) {
  const Counted one{"counted_orders", {"trylock"}, 3};
  for (const SearchSpec& spec : {SearchSpec{}, within(100)}) {
    const CampaignReport report = searched(one.program, spec, one.arguments);
    EXPECT_GE(report.search->partial_orders, one.partial_orders);
    EXPECT_LE(report.search->partial_orders, 8u);
    EXPECT_EQ(report.search->violating, 0u);
    EXPECT_TRUE(report.search->exhausted) << text_of(*report.search);
  }
}

INSTANTIATE_TEST_SUITE_P(SmallPrograms, CountedSearch, kSmallPrograms);
INSTANTIATE_TEST_SUITE_P(SmallPrograms, SmallCountedSearch, kSmallPrograms);
INSTANTIATE_TEST_SUITE_P(Programs, CountedSearch,
                         testing::Values(Counted{"counted_orders", {"private", "2", "20"}, 1},
                                         Counted{"counted_orders", {"private", "5", "1"}, 1},
                                         Counted{"counted_orders", {"shared", "2", "3"}, 20},
                                         Counted{"counted_orders", {"shared", "2", "4"}, 70},
                                         Counted{"counted_orders", {"shared", "3", "2"}, 90},
                                         Counted{"counted_orders", {"shared", "4", "1"}, 24},
                                         Counted{"counted_orders", {"readers", "4"}, 1},
                                         Counted{"counted_orders", {"writer", "3"}, 8}));

// A thread's second section comes after a preemption in at most so many of the orders.
TEST_F(ProgramSearch, ReachesWithinABoundWhatTheBoundAllows) {
  const CampaignReport none = searched("lost_update", within(0));
  EXPECT_EQ(none.search->violating, 0u);
  EXPECT_THAT(text_of(*none.search), StartsWith("exhausted: no violation within 0 preemptions ("));
  const CampaignReport one = searched("lost_update", within(1));
  EXPECT_EQ(one.search->violating, 2u);
  EXPECT_EQ(one.failures.size(), 1u);
  EXPECT_EQ(one.failures.front().replayed, one.failures.front().replays);
}

// Beyond its one preemption a schedule has the two take turns for ever, would they not be drawn.
TEST_F(ProgramSearch, HoldsNothingAgainstThreadsThatBackOffInStep) {
  const CampaignReport report = searched("backs_off_correct", within(1));
  EXPECT_TRUE(report.search->exhausted) << text_of(*report.search);
  EXPECT_EQ(report.failed, 0u) << told(report);
}

// The end of the process is one more operation, tried before and after each of the others'.
TEST_F(ProgramSearch, TriesWhatThreadsDoThatNobodyWaitsFor) {
  const CampaignReport seeded = searched("main_does_not_wait", {});
  EXPECT_GT(seeded.search->violating, 0u);
  const CampaignReport correct = searched("main_does_not_wait", {}, {"correct"});
  EXPECT_TRUE(correct.search->exhausted) << text_of(*correct.search);
  EXPECT_EQ(correct.search->violating, 0u);
  EXPECT_EQ(correct.search->repeated, 0u);
}

// Main's next point comes after all are made: only at the creation can a thread run before.
TEST_F(ProgramSearch, TriesBothOrdersOfAThreadsStartIfAskedTo) {
  CampaignPlan plan = plan_for("started_too_early", "pos*", 100'000);
  plan.search = SearchSpec{};
  EXPECT_EQ(run(plan).failed, 0u);
  plan.target.control.data_choices = DataChoiceModes{.start_order = DataChoiceMode::kOn};
  const CampaignReport report = run(plan);
  ASSERT_GT(report.failed, 0u);
  EXPECT_EQ(report.failures.front().replayed, report.failures.front().replays);
}

TEST_F(ProgramSearch, SaysWhatIsNotKnownWhereExecutionsEndEarly) {
  const CampaignReport report = searched("use_before_init_crash", {});
  EXPECT_GT(report.search->violating, 0u);
  EXPECT_FALSE(report.search->exhausted);
  EXPECT_THAT(text_of(*report.search), HasSubstr("is not known"));
}

TEST_F(ProgramSearch, EndsWithTheFirstFailureIfItIsToldTo) {
  CampaignPlan plan = plan_for("lost_update", "pos*", 1000);
  plan.search = SearchSpec{};
  plan.until_failure = true;
  const CampaignReport report = run(plan);
  EXPECT_EQ(report.failed, 1u);
  EXPECT_FALSE(report.search->exhausted);
}

class IterativeProgramSearch : public ProgramSearch {
 protected:
  CampaignReport searched_iteratively(const std::string& program, uint64_t executions,
                                      std::vector<std::string> arguments = {}) {
    CampaignPlan plan = plan_for(program, "pos*", executions, std::move(arguments));
    plan.search = SearchSpec{.iterative = true};
    return run(plan);
  }

  static const SearchJob* job_of(const CampaignReport& report, const std::string& points) {
    for (const SearchJob& job : report.jobs) {
      if (job.points == points) return &job;
    }
    return nullptr;
  }
};

TEST_F(IterativeProgramSearch, ExhaustsAllJobsOfASmallProgram) {
  const CampaignReport report = searched_iteratively("figure_3_1", 100'000);
  EXPECT_TRUE(report.jobs_exhausted);
  uint64_t most = 0;
  for (const SearchJob& job : report.jobs) {
    EXPECT_TRUE(job.state == JobState::kExhausted || job.state == JobState::kCancelled)
        << job.points;
    most = std::max(most, job.result.partial_orders);
  }
  EXPECT_EQ(most, 12u);
  ASSERT_EQ(report.failures.size(), 1u);
  EXPECT_EQ(report.failures.front().replayed, report.failures.front().replays);
}

// 12!/(3!)^4 = 369,600 orders: the job with all locks cannot be ended, the smaller ones can.
TEST_F(IterativeProgramSearch, SuspendsTheJobsThatAreTooLargeAndGrowsOthersFromConflicts) {
  const CampaignReport report = searched_iteratively("counted_orders", 2'000, {"shared", "4", "3"});
  EXPECT_FALSE(report.jobs_exhausted);
  ASSERT_NE(job_of(report, "none"), nullptr);
  EXPECT_EQ(job_of(report, "none")->state, JobState::kExhausted);
  EXPECT_EQ(job_of(report, "none")->result.partial_orders, 24u);
  ASSERT_NE(job_of(report, "locks"), nullptr);
  EXPECT_EQ(job_of(report, "locks")->state, JobState::kSuspended);
  const bool by_site = std::any_of(report.jobs.begin(), report.jobs.end(), [](const auto& job) {
    return job.points.find("enter") != std::string::npos;
  });
  EXPECT_TRUE(by_site);
  EXPECT_EQ(report.executions, 2'000u);
}

}  // namespace
}  // namespace esox
