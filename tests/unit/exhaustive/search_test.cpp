// SPDX-License-Identifier: Apache-2.0
// Searches visit what there is, all of it, and as often as they say.
//
// The programs are models (tests/unit/strategy/model.h); what they can do is counted by brute
// force, over all schedules, by code that shares nothing with the searches but conflict.h.
#include "harness/exhaustive/search.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/exhaustive/step_order.h"
#include "tests/unit/exhaustive/model_runner.h"
#include "tests/unit/strategy/partial_order.h"
#include "tests/unit/strategy/programs.h"
#include "tests/unit/strategy/random_program.h"

namespace esox::exhaustive {
namespace {

using model::access;
using model::lock;
using model::Operation;
using model::Program;
using model::read;
using model::unlock;
using testing::HasSubstr;
using testing::StartsWith;

SearchResult searched(const Program& program, SearchOptions options = {}) {
  ModelRunner runner(program);
  return search(runner, options);
}

SearchResult searched_within(const Program& program, uint32_t preemptions) {
  SearchOptions options;
  options.bound = Bound::kPreemptions;
  options.most = preemptions;
  return searched(program, options);
}

// Of `threads` threads, `steps` steps each: on a cell of each thread's own, or all on one.
Program steps(int threads, int steps, bool on_one_cell) {
  Program program{"steps", {}};
  for (int i = 0; i < threads; ++i) {
    program.threads.emplace_back(steps, access(on_one_cell ? 0 : i, {}));
  }
  return program;
}

TEST(Search, ExecutesIndependentThreadsOnce) {
  for (int threads = 1; threads <= 5; ++threads) {
    const SearchResult result = searched(steps(threads, 6, false));
    EXPECT_EQ(result.executions, 1u);
    EXPECT_EQ(result.partial_orders, 1u);
    EXPECT_TRUE(result.exhausted);
  }
}

// Where everything conflicts, every interleaving is a partial order of its own: (nk)! / (k!)^n.
TEST(Search, ExecutesEveryInterleavingOfConflictingSteps) {
  EXPECT_EQ(searched(steps(2, 1, true)).partial_orders, 2u);
  EXPECT_EQ(searched(steps(2, 4, true)).partial_orders, 70u);
  EXPECT_EQ(searched(steps(3, 2, true)).partial_orders, 90u);
  EXPECT_EQ(searched(steps(4, 1, true)).partial_orders, 24u);
  EXPECT_EQ(searched(steps(3, 2, true)).executions, 90u);
}

TEST(Search, ExecutesTwoThreadsOnOneLockTwice) {
  const std::vector<Operation> section = {lock(0), unlock(0)};
  const SearchResult result = searched({"one lock", {section, section}});
  EXPECT_EQ(result.partial_orders, 2u);
  EXPECT_EQ(result.executions, 2u);
  EXPECT_TRUE(result.exhausted);
}

TEST(Search, ExecutesReadersInOneOrderOnly) {
  const SearchResult result = searched({"readers", {{read(0, 1)}, {read(0, 2)}, {read(0, 3)}}});
  EXPECT_EQ(result.executions, 1u);
  const Program with_writer{"a writer", {{read(0, 1)}, {read(0, 2)}, {access(0, {})}}};
  EXPECT_EQ(searched(with_writer).partial_orders, 4u);  // the writer before or after each
}

TEST(Search, FindsADeadlockAndSaysHow) {
  const Program program{
      "opposite orders",
      {{lock(0), lock(1), unlock(1), unlock(0)}, {lock(1), lock(0), unlock(0), unlock(1)}}};
  const SearchResult result = searched(program);
  ASSERT_EQ(result.violations.size(), 1u);
  EXPECT_EQ(result.violations[0].what, "deadlock");
  EXPECT_EQ(result.partial_orders, 3u);  // one is through first, the other is, or neither
  EXPECT_TRUE(result.exhausted);
  EXPECT_THAT(text_of(result), StartsWith("exhausted: 1 violation (3 partial orders in "));
}

// No execution is wasted where no race needs a second look; sleepers cost some elsewhere.
void expect_as_by_brute_force(const Program& program) {
  const AllSchedules all = enumerate(program);
  const SearchResult result = searched(program);
  ASSERT_TRUE(result.exhausted);
  EXPECT_EQ(result.partial_orders, all.partial_orders.size());
  EXPECT_EQ(result.violations.size(), all.violations.size());
  EXPECT_EQ(result.executions, result.partial_orders + result.redundant);
  EXPECT_EQ(result.unusable, 0u);
  EXPECT_LE(result.executions, all.schedules);
}

TEST(Search, VisitsEachPartialOrderOfFigure31Once) {
  expect_as_by_brute_force(model::figure_3_1());
  EXPECT_EQ(searched(model::figure_3_1()).partial_orders, 12u);
}

TEST(Search, VisitsEachPartialOrderOfSmallBuggyProgramsOnce) {
  for (const Program& program :
       {model::use_before_init(), model::write_between_two_reads(1), model::gap_then_late_write(),
        model::two_gaps(), model::deadlock01(), model::twostage()}) {
    SCOPED_TRACE(program.name);
    expect_as_by_brute_force(program);
  }
}

// Never one twice: what ended redundantly was cut short, none came to a known partial order.
class NoneTwice final : public ScheduleRunner {
 public:
  explicit NoneTwice(const Program& program) : runner_(program) {}
  ExecutedSchedule run(const Beginning& beginning) override { return runner_.run(beginning); }

 private:
  ModelRunner runner_;
};

bool small_enough(const Program& program) {
  size_t operations = 0;
  for (const auto& thread : program.threads) operations += thread.size();
  return operations > 0 && operations <= 10;
}

TEST(Search, VisitsEachPartialOrderOfRandomProgramsOnce) {
  Rng rng(61);
  int programs = 0;
  uint64_t partial_orders = 0;
  uint64_t executions = 0;
  while (programs < 150) {
    const Program program = model::random_program(rng);
    if (!small_enough(program)) continue;
    ++programs;
    SCOPED_TRACE(programs);
    expect_as_by_brute_force(program);
    const SearchResult result = searched(program);
    partial_orders += result.partial_orders;
    executions += result.executions;
  }
  printf("%lu partial orders in %lu executions\n", partial_orders, executions);
}

TEST(SearchWithinBound, ReachesWhatBruteForceReaches) {
  Rng rng(62);
  int programs = 0;
  while (programs < 80) {
    const Program program = model::random_program(rng);
    if (!small_enough(program)) continue;
    ++programs;
    for (const uint32_t preemptions : {0, 1, 2, 3}) {
      SCOPED_TRACE(preemptions);
      const AllSchedules all = enumerate(program, preemptions);
      const SearchResult result = searched_within(program, preemptions);
      ASSERT_TRUE(result.exhausted);
      EXPECT_EQ(result.partial_orders, all.partial_orders.size());
      EXPECT_EQ(result.violations.size(), all.violations.size());
      EXPECT_LE(result.executions, all.schedules);
    }
  }
}

}  // namespace
}  // namespace esox::exhaustive
