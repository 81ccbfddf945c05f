// SPDX-License-Identifier: Apache-2.0
// The searches of a diagnosis on a model of a server: two threads of 40 and 30 operations; the bug
// comes if A's 12th operation (its read) is before B's 20th (its commit), and A's 25th (its store
// of what it read) behind it.
#include <gtest/gtest.h>

#include "harness/findings/diagnosis/critical_switch.h"
#include "harness/findings/diagnosis/fewest_switches.h"

namespace esox {
namespace {

constexpr uint32_t kLengths[] = {40, 30};
constexpr uint32_t kRead = 12;
constexpr uint32_t kStore = 25;
constexpr uint32_t kCommit = 20;

class Model {
 public:
  // A thread that stands at u has carried out its operations below u.
  Tried run(const Schedule& schedule) {
    ++executions;
    Tried tried;
    std::vector<Choice> choices;
    uint32_t passed[2] = {0, 0};
    uint32_t point = 0;
    uint32_t when[2][64] = {};
    uint32_t clock = 0;
    for (const Segment& segment : to_the_ends(schedule)) {
      const uint32_t until = std::min(segment.until, kLengths[segment.thread]);
      choices.push_back({point, segment.thread, 0});
      tried.could_go_on.push_back(until < kLengths[segment.thread]);
      while (passed[segment.thread] < until) {
        when[segment.thread][passed[segment.thread]++] = ++clock;
        ++point;
      }
    }
    const bool stale = when[0][kRead] < when[1][kCommit] && when[1][kCommit] < when[0][kStore];
    tried.side = stale ? Side::kSame : Side::kAccepted;
    tried.schedule = schedule_of(choices);
    tried.choices = choices;
    tried.points = point + 1;
    return tried;
  }

  Try within(unsigned most) {
    return [this, most](const Schedule& schedule) -> std::optional<Tried> {
      if (executions >= most) return std::nullopt;
      return run(schedule);
    };
  }

  unsigned executions = 0;
};

const Schedule kLong = {{0, 3},  {1, 4},  {0, 9},  {1, 7},  {0, 16}, {1, 12},
                        {0, 20}, {1, 25}, {0, 33}, {1, 28}, {0, 40}, {1, 30}};

TEST(FewestSwitches, KeepTheViolationWithTwoOfEleven) {
  Model model;
  const Tried start = model.run(kLong);
  ASSERT_EQ(start.side, Side::kSame);
  const Tried fewest = fewest_switches(start, model.within(1000));
  EXPECT_EQ(fewest.side, Side::kSame);
  EXPECT_EQ(switch_count(fewest.schedule), 2u);
}

TEST(FewestSwitches, AreTheSameEachTime) {
  Model model;
  const Tried start = model.run(kLong);
  EXPECT_EQ(fewest_switches(start, model.within(1000)).schedule,
            fewest_switches(start, model.within(2000)).schedule);
}

TEST(FewestSwitches, StillViolateWhereTheBudgetEndsEarly) {
  for (unsigned most = 1; most < 20; ++most) {
    Model model;
    const Tried start = model.run(kLong);
    EXPECT_EQ(fewest_switches(start, model.within(most)).side, Side::kSame) << most;
  }
}

TEST(CriticalSwitch, IsWhereOneOperationMoreGivesAnAcceptedExecution) {
  Model model;
  const Tried fewest = fewest_switches(model.run(kLong), model.within(1000));
  const auto found = critical_switch(fewest, model.within(1000));
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->violating.side, Side::kSame);
  EXPECT_EQ(found->accepted.side, Side::kAccepted);
  EXPECT_EQ(found->mover, 0);
  EXPECT_TRUE(found->too_late);
  EXPECT_EQ(found->operation, kStore);
}

TEST(CriticalSwitch, NamesTheTwoOperationsWhoseOrderDecides) {
  Model model;
  const Tried fewest = fewest_switches(model.run(kLong), model.within(1000));
  const auto found = critical_switch(fewest, model.within(1000));
  ASSERT_TRUE(found.has_value() && found->pair.has_value());
  EXPECT_EQ(found->pair->other, 1);
  EXPECT_EQ(found->pair->other_operation, kCommit);
  EXPECT_EQ(found->pair->violating.side, Side::kSame);
  EXPECT_EQ(found->pair->accepted.side, Side::kAccepted);
}

TEST(CriticalSwitch, IsNotThereWhereEveryScheduleViolates) {
  Model model;
  const Tried start = model.run(kLong);
  const Try always = [&](const Schedule& schedule) -> std::optional<Tried> {
    Tried tried = model.run(schedule);
    tried.side = Side::kSame;
    return tried;
  };
  EXPECT_FALSE(critical_switch(start, always).has_value());
}

TEST(CriticalSwitch, IsNotSoughtBeyondTheBudget) {
  Model model;
  const Tried start = model.run(kLong);
  EXPECT_FALSE(critical_switch(start, model.within(1)).has_value());
}

// A takes its locks at its operations 10 and 20, B the same ones the other way round at its 5 and
// 15; with one each they wait for ever.
class DeadlockModel {
 public:
  Tried run(const Schedule& schedule) {
    Tried tried;
    uint32_t passed[2] = {0, 0};
    uint32_t point = 0;
    for (const Segment& segment : schedule) go_on(segment, passed, point, tried);
    for (ThreadId thread = 0; thread < 2; ++thread) {
      go_on({thread, kToTheEnd}, passed, point, tried);
    }
    const bool finished = passed[0] == kLengths[0] && passed[1] == kLengths[1];
    tried.side = finished ? Side::kAccepted : Side::kSame;
    tried.finished = finished;
    tried.schedule = schedule_of(tried.choices, finished);
    tried.followed = equal_segments(completed(tried.schedule), completed(schedule));
    tried.points = point + 1;
    return tried;
  }

 private:
  static void go_on(const Segment& segment, uint32_t* passed, uint32_t& point, Tried& tried) {
    const ThreadId thread = segment.thread;
    const uint32_t until = std::min(segment.until, kLengths[thread]);
    if (passed[thread] >= until) return;
    if (tried.choices.empty() || tried.choices.back().thread != thread) {
      tried.choices.push_back({point, thread, 0});
      tried.could_go_on.push_back(true);
    }
    for (; passed[thread] < until && !waits(thread, passed); ++passed[thread]) ++point;
  }

  static bool waits(ThreadId thread, const uint32_t* passed) {
    const bool a_first = passed[0] > 10 && passed[0] < kLengths[0];
    const bool a_second = passed[0] > 20 && passed[0] < kLengths[0];
    const bool b_first = passed[1] > 5 && passed[1] < kLengths[1];
    const bool b_second = passed[1] > 15 && passed[1] < kLengths[1];
    if (thread == 0) return (passed[0] == 10 && b_second) || (passed[0] == 20 && b_first);
    return (passed[1] == 5 && a_second) || (passed[1] == 15 && a_first);
  }
};

TEST(CriticalSwitch, OfADeadlockIsWhereAThreadStoodThatNeverCameOnAgain) {
  DeadlockModel model;
  const Tried start = model.run({{0, 14}, {1, kToTheEnd}});
  ASSERT_EQ(start.side, Side::kSame);
  const auto found =
      critical_switch(start, [&](const Schedule& schedule) { return model.run(schedule); });
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->mover, 0);
  EXPECT_EQ(found->violating.side, Side::kSame);
  EXPECT_EQ(found->accepted.side, Side::kAccepted);
  EXPECT_TRUE(found->too_late);
  EXPECT_EQ(found->operation, 20u) << "its second lock";
}

}  // namespace
}  // namespace esox
