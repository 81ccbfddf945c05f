// SPDX-License-Identifier: Apache-2.0
// The systematic pass visits what brute force visits, in fewer executions, in an order of its own,
// and goes on as if it had never been laid down.
#include "harness/search/exhaustive/preemption_pass.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "harness/search/exhaustive/step_precedence.h"
#include "tests/models/programs.h"
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
using model::World;

uint64_t partial_order_of(const ExecutedSchedule& executed) {
  StepPrecedence order;
  for (const Point& point : executed.points) order.push(point.step);
  return order.name();
}

struct Visited {
  std::set<uint64_t> partial_orders;
  std::set<uint64_t> violations;
  uint64_t executions = 0;
  uint64_t first_violation = 0;  // the execution that showed it; 0: none did
  bool ended = false;
};

void execute_next(PreemptionPass& pass, ScheduleRunner& runner, Visited& visited) {
  while (const auto beginning = pass.to_show()) pass.show(runner.run(*beginning));
  if (pass.ended()) return;
  const ExecutedSchedule executed = runner.run(pass.next());
  ++visited.executions;
  if (executed.usable) {
    const uint64_t order = partial_order_of(executed);
    visited.partial_orders.insert(order);
    if (executed.violation) visited.violations.insert(order);
    if (executed.violation && visited.first_violation == 0) {
      visited.first_violation = visited.executions;
    }
  }
  pass.take(executed);
}

// Until no schedule with so many preemptions is left.
Visited visit(ScheduleRunner& runner, uint32_t preemptions, PreemptionPass& pass) {
  Visited visited;
  while (!pass.ended() && pass.preemptions() <= preemptions) execute_next(pass, runner, visited);
  visited.ended = pass.ended();
  return visited;
}

Visited visit(const Program& program, uint32_t preemptions) {
  ModelRunner runner(program);
  PreemptionPass pass;
  return visit(runner, preemptions, pass);
}

void expect_pass_as_by_brute_force(const Program& program) {
  for (const uint32_t preemptions : {1U, 2U}) {
    SCOPED_TRACE(preemptions);
    const AllSchedules all = enumerate(program, preemptions);
    ModelRunner runner(program);
    PreemptionPass pass;
    const Visited visited = visit(runner, preemptions, pass);
    EXPECT_EQ(visited.partial_orders.size(), all.partial_orders.size());
    EXPECT_EQ(visited.violations.size(), all.violations.size());
    EXPECT_LE(visited.executions, 2 * all.schedules);
    const PassFigures figures = pass.figures();
    EXPECT_TRUE((preemptions == 1 ? figures.one : figures.two).done);
  }
}

TEST(PreemptionPass, VisitsEveryPartialOrderOfSmallBuggyPrograms) {
  for (const Program& program :
       {model::use_before_init(), model::write_between_two_reads(1), model::gap_then_late_write(),
        model::two_gaps(), model::deadlock01(), model::twostage(), model::lost_wakeup(),
        model::check_then_act(), model::figure_3_1()}) {
    SCOPED_TRACE(program.name);
    expect_pass_as_by_brute_force(program);
  }
}

TEST(PreemptionPass, VisitsEveryPartialOrderOfRandomPrograms) {
  Rng rng(62);
  for (int i = 0; i < 60; ++i) {
    SCOPED_TRACE(i);
    expect_pass_as_by_brute_force(model::small_random_program(rng));
  }
}

// Accesses to few cells, half of them reads, some under a lock: of two threads, as most inputs are,
// and of three.
Program racing(Rng& rng, int threads, int steps) {
  Program program{"racing", {}};
  for (int thread = 0; thread < threads; ++thread) {
    std::vector<Operation>& operations = program.threads.emplace_back();
    for (int step = 0; step < steps; ++step) {
      const auto cell = static_cast<int>(rng.below(3));
      const bool locked = rng.below(3) == 0;
      if (locked) operations.push_back(lock(0));
      operations.push_back(rng.below(2) == 0 ? read(cell, 4 + thread) : access(cell, {}));
      if (locked) operations.push_back(unlock(0));
    }
  }
  return program;
}

TEST(PreemptionPass, VisitsEveryPartialOrderOfRacingPrograms) {
  Rng rng(63);
  for (int i = 0; i < 40; ++i) {
    SCOPED_TRACE(i);
    expect_pass_as_by_brute_force(i % 3 == 0 ? racing(rng, 3, 2) : racing(rng, 2, 4));
  }
}

// What is private to a thread separates nothing.
TEST(PreemptionPass, ExecutesOneOfManyThatAmountToTheSame) {
  Program program{"long and private", {}};
  for (int thread = 0; thread < 2; ++thread) {
    std::vector<Operation>& operations = program.threads.emplace_back(50, access(thread, {}));
    operations.push_back(access(2, {}));
    operations.insert(operations.end(), 50, access(thread, {}));
  }
  ModelRunner runner(program);
  PreemptionPass pass;
  Visited visited;
  while (!pass.figures().one.done) execute_next(pass, runner, visited);
  EXPECT_EQ(visited.partial_orders.size(), 2U);
  EXPECT_LE(visited.executions, 6U);
  EXPECT_EQ(pass.figures().one.known, 200U);
  EXPECT_EQ(pass.figures().one.covered(), 200U);
  // Then those that are equivalent as far as points tell.
  const Visited rest = visit(runner, 1, pass);
  EXPECT_EQ(pass.figures().one.executed, 200U);
  EXPECT_EQ(visited.executions + rest.executions, 202U) << "with the two without a preemption";
}

// Between two critical sections of one lock, far into a long request.
TEST(PreemptionPass, ComesToAGapBetweenTwoCriticalSectionsEarly) {
  Program program{"a gap", {}};
  for (int thread = 0; thread < 2; ++thread) {
    std::vector<Operation>& operations = program.threads.emplace_back();
    for (int i = 0; i < 60; ++i) {
      operations.push_back(lock(1 + thread));
      operations.push_back(unlock(1 + thread));
      if (i != 41) continue;
      operations.insert(operations.end(), {lock(0), read(0, 4 + thread), unlock(0), lock(0)});
      operations.push_back(access(0, [thread](model::World& world) {
        world.bug = world.bug || world.cell[0] != world.cell[4 + thread];
        world.cell[0] = world.cell[4 + thread] + 1;
      }));
      operations.push_back(unlock(0));
    }
  }
  const Visited visited = visit(program, 1);
  EXPECT_GT(visited.first_violation, 0U);
  EXPECT_LE(visited.first_violation, 12U);
}

// A reader that has given the lock back, as servers do: before the point
// (preload/strategy/conflict.h). What it reads after that no operation tells. Beside a writer that
// changes two cells under the lock.
Program reads_after_the_release(int pad) {
  enum { flag, number, lonely };
  const auto early = [](World& world) { world.holder[0] = kNoThread; };
  Operation released = unlock(0);
  released.run = [](World&, ThreadId) { return model::Flow::kGoOn; };
  std::vector<Operation> reader(pad, access(lonely, {}));
  reader.insert(reader.end(), {lock(0, early), released, access(lonely, [](World& world) {
                                 world.bug |= world.cell[flag] != world.cell[number];
                               })});
  reader.insert(reader.end(), pad, access(lonely, {}));
  std::vector<Operation> writer(pad, access(lonely + 1, {}));
  writer.insert(writer.end(),
                {lock(0, [](World& world) { world.cell[flag] = 1; }),
                 lock(1, [](World& world) { world.cell[number] = 1; }), unlock(1), unlock(0)});
  writer.insert(writer.end(), pad, access(lonely + 1, {}));
  return {"reads after the release", {std::move(reader), std::move(writer)}};
}

TEST(PreemptionPass, ComesBackIntoWhatALockIsHeldForBeforeOtherSchedulesWithTwo) {
  ModelRunner runner(reads_after_the_release(20));
  PreemptionPass pass;
  Visited visited;
  while (!pass.figures().one.done) execute_next(pass, runner, visited);
  EXPECT_EQ(visited.first_violation, 0U);
  while (!pass.figures().returns.done) execute_next(pass, runner, visited);
  EXPECT_GT(visited.first_violation, 0U);
  EXPECT_TRUE(pass.figures().returns.done);
  EXPECT_LE(pass.figures().returns.executed, 4U);
  EXPECT_THAT(text_of(pass.figures()), testing::HasSubstr("what a lock is held for"));
}

TEST(PreemptionPass, GoesOnFromWhatWasKeptAsIfItHadNotBeenLaidDown) {
  Rng rng(64);
  for (int i = 0; i < 20; ++i) {
    const Program program = i == 0       ? reads_after_the_release(1)
                            : i % 2 == 0 ? racing(rng, 3, 2)
                                         : racing(rng, 2, 4);
    ModelRunner runner(program);
    PreemptionPass whole;
    PreemptionPass interrupted;
    Visited visited;
    Visited again;
    for (int n = 0; !whole.ended() && n < 200; ++n) {
      while (const auto beginning = whole.to_show()) whole.show(runner.run(*beginning));
      interrupted = PreemptionPass(interrupted.kept());
      while (const auto beginning = interrupted.to_show()) {
        interrupted.show(runner.run(*beginning));
      }
      ASSERT_EQ(interrupted.ended(), whole.ended());
      if (whole.ended()) break;
      ASSERT_EQ(interrupted.next().threads, whole.next().threads);
      execute_next(whole, runner, visited);
      execute_next(interrupted, runner, again);
    }
  }
}

// Each so-many-th execution cannot be judged, or does something else than before.
class UnreliableForPass final : public ScheduleRunner {
 public:
  UnreliableForPass(const Program& program, uint64_t each, bool diverges)
      : runner_(program), each_(each), diverges_(diverges) {}

  ExecutedSchedule run(const Beginning& beginning) override {
    ExecutedSchedule executed = runner_.run(beginning);
    if (++executions_ % each_ != 0) return executed;
    if (diverges_) {
      executed.points.front().waiting.front().operation.object = 77;
    } else {
      executed.usable = false;
    }
    return executed;
  }

 private:
  ModelRunner runner_;
  uint64_t each_;
  bool diverges_;
  uint64_t executions_ = 0;
};

TEST(PreemptionPass, TriesOnceMoreWhatCouldNotBeJudged) {
  Rng rng(65);
  const Program program = racing(rng, 2, 5);
  const AllSchedules all = enumerate(program, 1);
  for (const bool diverges : {false, true}) {
    UnreliableForPass runner(program, 7, diverges);
    PreemptionPass pass;
    const Visited visited = visit(runner, 1, pass);
    EXPECT_GE(visited.partial_orders.size(), all.partial_orders.size());
    EXPECT_TRUE(pass.figures().one.done) << diverges;
  }
}

TEST(PreemptionPass, IsNotDoneWhereAScheduleCouldNotBeJudged) {
  Rng rng(66);
  const Program program = racing(rng, 2, 5);
  for (const bool diverges : {false, true}) {
    UnreliableForPass runner(program, 2, diverges);
    PreemptionPass pass;
    visit(runner, 2, pass);
    EXPECT_FALSE(pass.figures().one.done) << diverges;
  }
  UnreliableForPass never(program, 1, false);
  PreemptionPass pass;
  EXPECT_LE(visit(never, 1, pass).executions, 3U);
  EXPECT_TRUE(pass.ended());
  EXPECT_FALSE(pass.figures().one.done);
}

}  // namespace
}  // namespace esox::exhaustive
