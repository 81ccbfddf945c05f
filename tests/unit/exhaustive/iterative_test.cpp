// SPDX-License-Identifier: Apache-2.0
// Searches in which threads are replaced at some points only, and the choice among them.
#include "harness/search/exhaustive/iterative.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/search/exhaustive/step_precedence.h"
#include "tests/models/programs.h"
#include "tests/models/whole_search.h"
#include "tests/unit/exhaustive/model_runner.h"
#include "tests/unit/strategy/random_program.h"

namespace esox::exhaustive {
namespace {

using model::access;
using model::Program;
using testing::Each;
using testing::Field;

// A view over a runner, as one more runner.
class CoarseSchedules final : public ScheduleRunner {
 public:
  // `look`, if any, is told every execution as the other runner gave it. Both must outlive it.
  CoarseSchedules(ScheduleRunner& fine, PointSet points,
                  std::function<void(const ExecutedSchedule&)> look = {})
      : fine_(fine), view_(std::move(points)), look_(std::move(look)) {}

  // The beginning's steps but the last must be those of an earlier execution, the last usable one.
  ExecutedSchedule run(const Beginning& beginning) override {
    const std::optional<Beginning> fine = view_.fine(beginning);
    if (!fine) return {.usable = false};
    ExecutedSchedule executed = fine_.run(*fine);
    if (look_) look_(executed);
    return view_.coarse(std::move(executed));
  }

 private:
  ScheduleRunner& fine_;
  CoarseView view_;
  const std::function<void(const ExecutedSchedule&)> look_;
};

constexpr uint32_t kEverySchedule = 100;  // preemptions: more than these programs have points

SearchResult found_by(const Program& program, const PointSet& points) {
  ModelRunner runner(program);
  CoarseSchedules schedules(runner, points);
  return search(schedules, {});
}

SearchResult found_by(const Program& program) {
  ModelRunner runner(program);
  return search(runner, {});
}

// Every step conflicts with every other one.
Program racing(int threads, int steps) {
  Program program{"racing", {}};
  for (int i = 0; i < threads; ++i) program.threads.emplace_back(steps, access(0, {}));
  return program;
}

TEST(PointSet, HasTheSitesOfItsClasses) {
  PointSet sites;
  sites.add(PointClass::kLocks, 7);
  EXPECT_TRUE(PointSet::of(PointClass::kLocks).contains(sites));
  EXPECT_TRUE(PointSet::all().contains(PointSet::of(PointClass::kLocks)));
  EXPECT_TRUE(sites.contains(PointSet::none()));
  EXPECT_FALSE(PointSet::of(PointClass::kWaits).contains(sites));
  EXPECT_FALSE(sites.contains(PointSet::of(PointClass::kLocks)));
  EXPECT_TRUE(sites.has({0, OpKind::kMutexLock, 1, 7}));
  EXPECT_FALSE(sites.has({0, OpKind::kMutexLock, 1, 8}));
}

TEST(CoarseSchedules, RunThreadsToTheirEndsWhereNoPointIsInTheSet) {
  const SearchResult result = found_by(racing(3, 4), PointSet::none());
  EXPECT_EQ(result.partial_orders, 6u);
  EXPECT_TRUE(result.exhausted);
}

TEST(CoarseSchedules, AreAllSchedulesWhereAllPointsAreInTheSet) {
  Rng rng(71);
  for (int i = 0; i < 40; ++i) {
    SCOPED_TRACE(i);
    const Program program = model::small_random_program(rng);
    const SearchResult all = found_by(program);
    const SearchResult coarse = found_by(program, PointSet::all());
    EXPECT_EQ(coarse.partial_orders, all.partial_orders);
    EXPECT_EQ(coarse.violating, all.violating);
    EXPECT_EQ(coarse.executions, all.executions);
  }
}

// The partial orders that a search of some points comes to, of single operations: how they fall
// into steps is not the same in all schedules of one.
struct Reached {
  std::set<uint64_t> all;
  std::set<uint64_t> violating;
  uint64_t repeated = 0;
  bool exhausted = false;
};

Reached reached(const Program& program, const PointSet& points, Bound bound) {
  Reached result;
  ModelRunner runner(program);
  CoarseSchedules schedules(runner, points, [&](const ExecutedSchedule& executed) {
    StepPrecedence order;
    for (const Point& point : executed.points) order.push(point.step);
    result.all.insert(order.name());
    if (executed.violation) result.violating.insert(order.name());
  });
  SearchOptions options;
  options.bound = bound;
  options.most = kEverySchedule;
  const SearchResult found = search(schedules, options);
  result.exhausted = found.exhausted;
  result.repeated = found.repeated;
  return result;
}

// By the search that reduces nothing but equal beginnings.
TEST(CoarseSchedules, AreReducedWithoutMissingAPartialOrder) {
  Rng rng(72);
  for (int i = 0; i < 100; ++i) {
    const Program program = model::small_random_program(rng);
    for (const PointClass c :
         {PointClass::kLocks, PointClass::kReleases, PointClass::kFiles, PointClass::kWaits}) {
      SCOPED_TRACE(std::to_string(i) + " " + name_of(c));
      const Reached all = reached(program, PointSet::of(c), Bound::kPreemptions);
      const Reached reduced = reached(program, PointSet::of(c), Bound::kNone);
      ASSERT_TRUE(all.exhausted);
      ASSERT_TRUE(reduced.exhausted);
      EXPECT_EQ(reduced.all, all.all);
      EXPECT_EQ(reduced.violating, all.violating);
      EXPECT_EQ(reduced.repeated, 0u);
    }
  }
}

class Iterative {
 public:
  Iterative(const Program& program, double executions)
      : runner_(program), left_(executions), search_([this] { return left_; }) {
    while (left_ > 0 && search_.step(runner_)) --left_;
    search_.lay_down();
  }

  const IterativeSearch& search() const { return search_; }
  uint64_t in_state(JobState state) const {
    return std::count_if(search_.jobs().begin(), search_.jobs().end(),
                         [&](const Job& job) { return job.state == state; });
  }
  const Job& job_of(const PointSet& points) const {
    for (const Job& job : search_.jobs()) {
      if (job.points == points) return job;
    }
    throw std::logic_error("no such job");
  }

 private:
  ModelRunner runner_;
  double left_;
  IterativeSearch search_;
};

TEST(IterativeSearch, ExhaustsWhatIsSmallAndSaysSo) {
  const Iterative iterative(model::figure_3_1(), 100'000);
  EXPECT_TRUE(iterative.search().exhausted());
  EXPECT_THAT(iterative.search().jobs(),
              Each(Field(&Job::state, testing::AnyOf(JobState::kExhausted, JobState::kCancelled))));
  const auto& jobs = iterative.search().jobs();
  EXPECT_EQ(jobs.front().points, PointSet::none());
  uint64_t most = 0;
  for (const Job& job : jobs) most = std::max(most, job.result.partial_orders);
  EXPECT_EQ(most, 12u) << "the job with all points";
}

// 12!/(4!)^3 = 34650 orders; without a point 3!.
TEST(IterativeSearch, SuspendsWhatItCannotEndAndDoesWhatItCan) {
  const Iterative iterative(racing(3, 4), 3000);
  EXPECT_FALSE(iterative.search().exhausted());
  EXPECT_EQ(iterative.job_of(PointSet::none()).state, JobState::kExhausted);
  EXPECT_EQ(iterative.job_of(PointSet::none()).result.partial_orders, 6u);
  const Job& large = iterative.job_of(PointSet::of(PointClass::kFiles));
  EXPECT_EQ(large.state, JobState::kSuspended);
  EXPECT_GT(large.result.share, 0);
  EXPECT_LT(large.result.share, 0.5);
}

// Two classes, each too large by itself: their union is not begun.
TEST(IterativeSearch, DoesNotBeginWhatContainsASuspendedOne) {
  Program program{"two kinds", {}};
  for (int i = 0; i < 3; ++i) {
    std::vector<model::Operation>& thread = program.threads.emplace_back();
    for (int step = 0; step < 4; ++step) {
      thread.push_back(access(0, {}));
      thread.push_back(model::signal(1));
      thread.push_back(model::lock(i));
      thread.push_back(model::unlock(i));
    }
  }
  const Iterative iterative(program, 1000);
  EXPECT_EQ(iterative.job_of(PointSet::of(PointClass::kFiles)).state, JobState::kSuspended);
  PointSet all = PointSet::of(PointClass::kFiles);
  for (const PointClass c : {PointClass::kWaits, PointClass::kLocks, PointClass::kReleases}) {
    all.add(c);
  }
  EXPECT_EQ(iterative.job_of(all).state, JobState::kPending);
}

TEST(IterativeSearch, IsRepeatable) {
  const Iterative first(racing(3, 4), 700);
  const Iterative second(racing(3, 4), 700);
  ASSERT_EQ(first.search().jobs().size(), second.search().jobs().size());
  for (size_t i = 0; i < first.search().jobs().size(); ++i) {
    const Job& a = first.search().jobs()[i];
    const Job& b = second.search().jobs()[i];
    EXPECT_EQ(a.points, b.points);
    EXPECT_EQ(a.state, b.state);
    EXPECT_EQ(a.result.executions, b.result.executions);
  }
}

}  // namespace
}  // namespace esox::exhaustive
