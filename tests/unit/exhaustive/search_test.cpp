// SPDX-License-Identifier: Apache-2.0
// Searches visit what there is, all of it, and as often as they say.
//
// The programs are models (tests/models/model.h); what they can do is counted by brute
// force, over all schedules, by code that shares nothing with the searches but conflict.h.
#include "harness/search/exhaustive/search.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/search/exhaustive/step_precedence.h"
#include "tests/models/partial_order.h"
#include "tests/models/programs.h"
#include "tests/models/whole_search.h"
#include "tests/unit/exhaustive/model_runner.h"
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
using testing::Not;
using testing::StartsWith;

SearchResult searched(const Program& program, const SearchOptions& options = {},
                      const SearchLimits& limits = {}) {
  ModelRunner runner(program);
  return search(runner, options, limits);
}

SearchResult searched_within(Bound bound, uint32_t most, const Program& program) {
  SearchOptions options;
  options.bound = bound;
  options.most = most;
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

// Each partial order once: as many as there are, and none a second time. What more executions there
// were had been cut short.
void expect_as_by_brute_force(const Program& program) {
  const AllSchedules all = enumerate(program);
  const SearchResult result = searched(program);
  ASSERT_TRUE(result.exhausted);
  EXPECT_EQ(result.partial_orders, all.partial_orders.size());
  EXPECT_EQ(result.violations.size(), all.violations.size());
  EXPECT_EQ(result.repeated, 0u);
  EXPECT_EQ(result.executions, result.partial_orders + result.cut_short);
  EXPECT_LE(result.executions, all.schedules);
  EXPECT_EQ(result.share, 1);
}

TEST(Search, VisitsEachPartialOrderOfFigure31Once) {
  expect_as_by_brute_force(model::figure_3_1());
  EXPECT_EQ(searched(model::figure_3_1()).partial_orders, 12u);
}

TEST(Search, VisitsEachPartialOrderOfSmallBuggyProgramsOnce) {
  for (const Program& program :
       {model::use_before_init(), model::write_between_two_reads(1), model::gap_then_late_write(),
        model::two_gaps(), model::deadlock01(), model::twostage(), model::lost_wakeup(),
        model::check_then_act()}) {
    SCOPED_TRACE(program.name);
    expect_as_by_brute_force(program);
  }
}

TEST(Search, VisitsEachPartialOrderOfRandomProgramsOnce) {
  Rng rng(61);
  for (int i = 0; i < 110; ++i) {
    SCOPED_TRACE(i);
    expect_as_by_brute_force(model::small_random_program(rng));
  }
}

// Accesses of three threads to two cells, half of them reads: races everywhere.
TEST(Search, VisitsEachPartialOrderOfRacingProgramsOnce) {
  Rng rng(63);
  for (int i = 0; i < 28; ++i) {
    SCOPED_TRACE(i);
    Program program{"racing", {}};
    for (int thread = 0; thread < 3; ++thread) {
      std::vector<Operation>& operations = program.threads.emplace_back();
      for (int step = 0; step < 3; ++step) {
        const auto cell = static_cast<int>(rng.below(2));
        operations.push_back(rng.below(2) == 0 ? read(cell, 4 + thread) : access(cell, {}));
      }
    }
    expect_as_by_brute_force(program);
  }
}

TEST(SearchWithinBound, ReachesWhatBruteForceReaches) {
  Rng rng(62);
  for (int i = 0; i < 30; ++i) {
    const Program program = model::small_random_program(rng);
    uint64_t schedules = 0;
    for (const uint32_t preemptions : {0, 1, 2, 3}) {
      SCOPED_TRACE(preemptions);
      const AllSchedules all = enumerate(program, preemptions);
      const SearchResult result = searched_within(Bound::kPreemptions, preemptions, program);
      ASSERT_TRUE(result.exhausted);
      EXPECT_EQ(result.partial_orders, all.partial_orders.size());
      EXPECT_EQ(result.violations.size(), all.violations.size());
      schedules += all.schedules;
      EXPECT_LE(result.executions, schedules) << "in all rounds";
    }
  }
}

TEST(SearchWithinBound, SaysWhetherTheBoundLeftAnythingOut) {
  const Program program = model::write_between_two_reads(0);
  const SearchResult none = searched_within(Bound::kPreemptions, 0, program);
  EXPECT_TRUE(none.exhausted);
  EXPECT_TRUE(none.violations.empty());
  EXPECT_GT(none.beyond_bound, 0u);
  EXPECT_THAT(text_of(none), StartsWith("exhausted: no violation within 0 preemptions ("));
  const SearchResult one = searched_within(Bound::kPreemptions, 1, program);
  EXPECT_EQ(one.violations.size(), enumerate(program, 1).violations.size());
  const SearchResult all = searched_within(Bound::kPreemptions, 50, program);
  EXPECT_EQ(all.beyond_bound, 0u);
  EXPECT_EQ(all.partial_orders, enumerate(program).partial_orders.size());
  EXPECT_THAT(text_of(all), StartsWith("exhausted: 1 violation ("));
}

// A violation that one preemption shows is shown before any schedule of two.
TEST(SearchWithinBound, TriesFewPreemptionsBeforeMany) {
  Rng rng(63);
  unsigned with_violations = 0;
  for (int i = 0; i < 60; ++i) {
    const Program program = model::small_random_program(rng);
    const SearchResult one = searched_within(Bound::kPreemptions, 1, program);
    if (one.violations.empty()) continue;
    ++with_violations;
    SearchOptions options;
    options.bound = Bound::kPreemptions;
    options.most = 50;
    const SearchResult begun = searched(program, options, {.executions = one.executions});
    EXPECT_EQ(begun.violating, one.violating);
    EXPECT_EQ(begun.partial_orders, one.partial_orders);
    EXPECT_LE(begun.round, 2u);
  }
  EXPECT_GT(with_violations, 5u);
}

TEST(SearchWithinBound, SaysHowManyPreemptionsItHasComeTo) {
  const Program program = steps(3, 4, true);
  SearchOptions options;
  options.bound = Bound::kPreemptions;
  options.most = 9;
  const SearchResult result = searched(program, options, {.executions = 12});
  EXPECT_EQ(result.round, 1u);
  EXPECT_THAT(text_of(result),
              StartsWith("not exhausted: no violation within 1 preemption so far"));
  EXPECT_THAT(text_of(result), HasSubstr("; 9 asked for ("));
}

// Without a delay there is one schedule: each thread in turn, to its end. With enough, all.
TEST(SearchWithinBound, CountsDelaysOfThePlainScheduler) {
  const Program program = steps(3, 2, true);
  const SearchResult none = searched_within(Bound::kDelays, 0, program);
  EXPECT_EQ(none.executions, 1u);
  EXPECT_TRUE(none.exhausted);
  uint64_t before = 1;
  for (const uint32_t delays : {1, 2, 3}) {
    const SearchResult more = searched_within(Bound::kDelays, delays, program);
    EXPECT_GT(more.partial_orders, before);
    before = more.partial_orders;
  }
  EXPECT_EQ(searched_within(Bound::kDelays, 30, program).partial_orders, 90u);
}

TEST(SearchWithinBound, FollowsEqualBeginningsOnce) {
  const Program program = steps(3, 4, false);
  const SearchResult result = searched_within(Bound::kPreemptions, 2, program);
  EXPECT_EQ(result.partial_orders, 1u);
  EXPECT_LT(result.executions, enumerate(program, 2).schedules / 2);
}

TEST(Search, StopsAtItsLimitAndSaysHowFarItCame) {
  const Program program = steps(3, 2, true);
  for (uint64_t executions = 1; executions <= 30; ++executions) {
    const SearchResult now = searched(program, {}, {.executions = executions});
    EXPECT_EQ(now.executions, executions);
    EXPECT_GT(now.share, 0);
    EXPECT_LT(now.share, 1);
  }
  const SearchResult result = searched(program, {}, {.executions = 30});
  EXPECT_EQ(result.executions, 30u);
  EXPECT_FALSE(result.exhausted);
  EXPECT_GT(result.estimated_executions(), 30);  // there are 90
  EXPECT_LT(result.estimated_executions(), 270);
  EXPECT_THAT(text_of(result), StartsWith("not exhausted: no violation so far, "));
}

TEST(Search, IsNotExhaustedWhereItIsLaidDownAtAViolation) {
  const SearchResult result = searched(model::two_gaps(), {}, {.violations = 1});
  EXPECT_EQ(result.violations.size(), 1u);
  EXPECT_FALSE(result.exhausted);
}

// Every step is given by hand; all threads can always run.
class Scripted : public ScheduleRunner {
 public:
  explicit Scripted(std::vector<std::vector<Step>> threads) : threads_(std::move(threads)) {}

  ExecutedSchedule run(const Beginning& beginning) override {
    ExecutedSchedule executed;
    std::vector<size_t> next(threads_.size());
    ThreadId running = kNoThread;
    while (true) {
      Point point;
      for (size_t thread = 0; thread < threads_.size(); ++thread) {
        if (next[thread] == threads_[thread].size()) continue;
        point.waiting.push_back({threads_[thread][next[thread]].operations.front(), true});
      }
      if (point.waiting.empty()) return executed;
      running = choose(beginning, executed.points.size(), point.waiting, running);
      point.step = threads_[running][next[running]++];
      executed.points.push_back(std::move(point));
    }
  }

 private:
  static ThreadId choose(const Beginning& beginning, size_t at, const std::vector<Waiting>& waiting,
                         ThreadId running) {
    if (at < beginning.threads.size()) return beginning.threads[at];
    for (const Waiting& one : waiting) {
      if (one.operation.thread == running) return running;
    }
    return waiting.front().operation.thread;
  }

  std::vector<std::vector<Step>> threads_;
};

Step step_on(ThreadId thread, const std::vector<uint64_t>& objects) {
  Step step{thread, {}};
  for (const uint64_t object : objects) {
    step.operations.push_back({thread, OpKind::kFileWrite, object, 0});
  }
  return step;
}

// The first thread's step touches object 2 as well, which its point does not tell.
TEST(Search, SeesWhatAStepDidBeyondItsPoint) {
  Scripted runner({{step_on(0, {1, 2})}, {step_on(1, {3}), step_on(1, {2})}});
  const SearchResult result = search(runner, {});
  EXPECT_EQ(result.partial_orders, 2u);
  EXPECT_TRUE(result.exhausted);
  SearchOptions bounded;
  bounded.bound = Bound::kPreemptions;
  bounded.most = 5;
  EXPECT_EQ(search(runner, bounded).partial_orders, 2u);
}

// Every third execution cannot be judged, or does something else than before.
class Unreliable final : public ScheduleRunner {
 public:
  enum class Fault { kUnusable, kOtherOperation, kShorter };
  explicit Unreliable(Fault fault) : fault_(fault), runner_(steps(2, 3, true)) {}

  ExecutedSchedule run(const Beginning& beginning) override {
    ExecutedSchedule executed = runner_.run(beginning);
    if (++executions_ % 3 != 0) return executed;
    if (fault_ == Fault::kUnusable) executed.usable = false;
    if (fault_ == Fault::kOtherOperation) executed.points[0].waiting[0].operation.object = 77;
    if (fault_ == Fault::kShorter) executed.points.clear();
    return executed;
  }

 private:
  Fault fault_;
  ModelRunner runner_;
  uint64_t executions_ = 0;
};

TEST(Search, DoesNotSayExhaustedWhereAnExecutionCouldNotBeJudged) {
  for (const auto fault : {Unreliable::Fault::kUnusable, Unreliable::Fault::kOtherOperation,
                           Unreliable::Fault::kShorter}) {
    for (const Bound bound : {Bound::kNone, Bound::kPreemptions}) {
      Unreliable runner(fault);
      SearchOptions options;
      options.bound = bound;
      options.most = 3;
      const SearchResult result = search(runner, options);
      EXPECT_FALSE(result.exhausted);
      EXPECT_GT(result.unusable, 0u);
      EXPECT_THAT(text_of(result), HasSubstr("could not be judged"));
      EXPECT_THAT(text_of(result), Not(HasSubstr("% of the tree")));
    }
  }
}

// What plain memory accesses do: one execution ends in a violation, whatever its partial order.
class OneWrong final : public ScheduleRunner {
 public:
  OneWrong(const Program& program, uint64_t which) : runner_(program), which_(which) {}

  ExecutedSchedule run(const Beginning& beginning) override {
    ExecutedSchedule executed = runner_.run(beginning);
    executed.violation = executions_++ == which_;
    return executed;
  }

 private:
  ModelRunner runner_;
  uint64_t which_;
  uint64_t executions_ = 0;
};

TEST(Search, NeverSaysThatThereIsNoViolationWhereAnExecutionWasOne) {
  const Program program{"locks",
                        {{lock(0), access(1, {}), unlock(0), access(2, {})},
                         {lock(0), access(1, {}), unlock(0), access(3, {})}}};
  uint64_t divided = 0;
  for (const Bound bound : {Bound::kNone, Bound::kPreemptions}) {
    SearchOptions options;
    options.bound = bound;
    options.most = 2;
    const uint64_t executions = searched(program, options).executions;
    for (uint64_t i = 0; i < executions; ++i) {
      OneWrong runner(program, i);
      const SearchResult result = search(runner, options);
      EXPECT_EQ(result.violating, 1u) << "execution " << i << " of " << executions;
      EXPECT_THAT(text_of(result), HasSubstr("1 violation"));
      EXPECT_EQ(text_of(result).find("without one, too") != std::string::npos, result.divided > 0);
      divided += result.divided;
    }
  }
  EXPECT_GT(divided, 0u);
}

TEST(StepPrecedence, NamesSchedulesByTheirPartialOrder) {
  const Step a = step_on(0, {1});
  const Step b = step_on(1, {2});
  const Step c = step_on(2, {1});
  const auto name = [](const std::vector<Step>& steps) {
    StepPrecedence order;
    for (const Step& step : steps) order.push(step);
    return order.name();
  };
  EXPECT_EQ(name({a, b, c}), name({b, a, c}));
  EXPECT_EQ(name({a, b, c}), name({a, c, b}));
  EXPECT_NE(name({a, b, c}), name({c, b, a}));
  EXPECT_NE(name({a, b}), name({a, c}));
  EXPECT_NE(name({a, a}), name({a}));
}

TEST(StepPrecedence, PutsWhoLetsAThreadGoOnBeforeWhatItDoesNext) {
  StepPrecedence order;
  const auto does = [](ThreadId thread, OpKind kind, uint64_t object) {
    return Step{thread, {{thread, kind, object}}};
  };
  order.push(does(0, OpKind::kMutexLock, 7));
  order.push(does(0, OpKind::kThreadCreate, 1));  // made, or woken
  EXPECT_TRUE(order.before_next_of(1, 0, 2));
  EXPECT_FALSE(order.before_next_of(2, 0, 2));
  order.push(does(1, OpKind::kMutexLock, 8));
  EXPECT_TRUE(order.before(0, 2));
}

TEST(StepPrecedence, PutsAllOfAThreadBeforeWhoJoinsIt) {
  StepPrecedence order;
  order.push(step_on(1, {5}));
  order.push({0, {{0, OpKind::kThreadJoin, 1, 0}}});
  EXPECT_TRUE(order.before(0, 1));
  EXPECT_FALSE(reversible(order.at(0), {0, OpKind::kThreadJoin, 1, 0}));
}

}  // namespace
}  // namespace esox::exhaustive
