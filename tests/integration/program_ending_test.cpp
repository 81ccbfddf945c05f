// SPDX-License-Identifier: Apache-2.0
// The bad ends of a program under control: deadlock, hang, crash. Each is noticed by what happens,
// not by a time-out.
#include <csignal>
#include <set>

#include "tests/integration/program_fixture.h"

namespace esox {
namespace {

class ProgramEnding : public ProgramTest {
 protected:
  // The first execution, by seeds from 1, that ends so.
  ProgramResult first_ending(const std::string& program, ControlEnding ending) {
    for (uint64_t seed = 1; seed <= 200; ++seed) {
      ProgramPlan plan = plan_for(program, "random:p=1", seed);
      // So long that the test's own time limit would pass first: nobody waits for it.
      plan.target.control.deadlock_grace_ms = 3'600'000;
      ProgramResult result = run(plan);
      EXPECT_FALSE(result.end.out_of_time) << text_of(result);
      if (result.end.ending == ending) return result;
    }
    ADD_FAILURE() << program << " never ended so";
    return {};
  }
};

TEST_F(ProgramEnding, DeadlockOfTwoLocksIsReportedAtOnceWithItsCycle) {
  const ProgramResult result = first_ending("lock_order_deadlock", ControlEnding::kDeadlock);
  EXPECT_LE(result.end.points, 15u);
  EXPECT_EQ(result.end.degraded, 0u);
  ASSERT_EQ(result.waiting.size(), 2u);
  const CycleEntry& one = result.waiting[0];
  const CycleEntry& other = result.waiting[1];
  EXPECT_EQ((std::set<ThreadId>{one.thread, other.thread}), (std::set<ThreadId>{1, 2}));
  EXPECT_EQ(one.owner, other.thread);
  EXPECT_EQ(other.owner, one.thread);
  EXPECT_NE(one.object, other.object);
  for (const CycleEntry& entry : result.waiting) {
    EXPECT_EQ(entry.kind, OpKind::kMutexLock);
    EXPECT_NE(entry.object, 0u);
    EXPECT_NE(entry.site, 0u);
    EXPECT_NE(entry.owner_site, 0u);
    EXPECT_NE(entry.site, entry.owner_site) << "inner and outer lock are different calls";
  }
}

TEST_F(ProgramEnding, DeadlockOfTwoLocksOnFilesIsReportedAtOnceWithItsCycle) {
  const ProgramResult result = first_ending("file_lock_deadlock", ControlEnding::kDeadlock);
  EXPECT_EQ(result.end.degraded, 0u);
  ASSERT_EQ(result.waiting.size(), 2u);
  EXPECT_EQ(result.waiting[0].owner, result.waiting[1].thread);
  EXPECT_EQ(result.waiting[1].owner, result.waiting[0].thread);
  EXPECT_NE(result.waiting[0].object, result.waiting[1].object);
  for (const CycleEntry& entry : result.waiting) {
    EXPECT_EQ(entry.kind, OpKind::kFileLock);
    EXPECT_NE(entry.site, 0u);
    EXPECT_NE(entry.owner_site, 0u);
  }
}

// Nobody waits for the time-outs of locks held outside: first_ending() has one of an hour.
TEST_F(ProgramEnding, ALockWhoseHolderHasEndedIsADeadlockAtOnce) {
  for (const char* kind : {"mutex", "rwlock", "spin"}) {
    ProgramPlan plan = plan_for("holder_ends", "random:p=1", 1);
    plan.target.arguments = {kind};
    plan.target.control.deadlock_grace_ms = 3'600'000;
    const ProgramResult result = run(plan);
    ASSERT_EQ(result.end.ending, ControlEnding::kDeadlock) << kind << ": " << text_of(result);
    EXPECT_EQ(result.end.degraded, 0u) << kind;
    const auto waits = std::find_if(result.waiting.begin(), result.waiting.end(),
                                    [](const auto& e) { return e.kind != OpKind::kThreadJoin; });
    ASSERT_NE(waits, result.waiting.end()) << kind;
    EXPECT_EQ(waits->owner, waits->thread == 1 ? 2 : 1) << kind << ": who has ended";
    EXPECT_NE(waits->owner_site, 0u) << kind;
  }
}

// With every start of a thread left to the end of its creator's, main would be through before any.
TEST_F(ProgramEnding, ThreadsThatNobodyWaitsForHaveTheirTurnBeforeTheProgramEnds) {
  for (const char* strategy : {"random:p=1", "pct:d=3", "pos*", "surw"}) {
    uint64_t hits = 0;
    for (uint64_t seed = 1; seed <= 100; ++seed) {
      const ProgramResult result = run("main_does_not_wait", strategy, seed);
      ASSERT_TRUE(hit(result.end) || clean(result.end)) << text_of(result);
      hits += hit(result.end);
    }
    EXPECT_GT(hits, 0u) << strategy;
  }
}

TEST_F(ProgramEnding, LostWakeUpIsADeadlockWithoutACycleOfLocks) {
  const ProgramResult result = first_ending("lost_wakeup", ControlEnding::kDeadlock);
  EXPECT_EQ(result.end.degraded, 0u);
  ASSERT_EQ(result.waiting.size(), 2u) << "main, which joins, and the waiter";
  const CycleEntry& main_thread = result.waiting[0];
  const CycleEntry& waiter = result.waiting[1];
  EXPECT_EQ(main_thread.thread, 0);
  EXPECT_EQ(main_thread.kind, OpKind::kThreadJoin);
  EXPECT_EQ(main_thread.owner, waiter.thread);
  EXPECT_EQ(waiter.thread, 1);
  EXPECT_EQ(waiter.kind, OpKind::kCondWait);
  EXPECT_EQ(waiter.owner, kNoThread) << "nobody is left to wake it";
  EXPECT_NE(waiter.object, 0u);
  EXPECT_NE(waiter.site, 0u);
}

TEST_F(ProgramEnding, EndlessPollingIsAHangAtTheStepLimit) {
  for (const char* strategy : {"pct:d=3", "random:p=1", "random:p=0.1"}) {
    ProgramPlan plan = plan_for("endless_polling", strategy, 1);
    plan.target.control.step_limit = 5'000;
    const ProgramResult result = run(plan);
    EXPECT_EQ(result.end.ending, ControlEnding::kHang) << text_of(result);
    EXPECT_EQ(result.end.points, 5'001u);
    EXPECT_FALSE(result.end.out_of_time);
  }
}

TEST_F(ProgramEnding, PollingBesideASleeperIsNoHang) {
  for (const char* strategy : {"pct:d=3", "random:p=1", "random:p=0.1"}) {
    for (uint64_t seed = 1; seed <= 3; ++seed) {
      const ProgramResult result = run("polling_beside_a_sleeper", strategy, seed);
      EXPECT_TRUE(clean(result.end)) << strategy << ", seed " << seed << ": " << text_of(result);
      EXPECT_EQ(result.end.degraded, 0u);
    }
  }
}

TEST_F(ProgramEnding, CrashIsSeenAsTheSignalThatKilledIt) {
  uint32_t crashes = 0;
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    const ProgramResult result = run("use_before_init_crash", "random:p=1", seed);
    EXPECT_EQ(result.end.ending, ControlEnding::kNone);
    if (result.end.status.signal == SIGABRT) {
      ++crashes;
    } else {
      EXPECT_TRUE(clean(result.end)) << text_of(result);
    }
  }
  // One of two threads first: about half. All or none would mean that nobody chooses.
  EXPECT_GT(crashes, 0u);
  EXPECT_LT(crashes, 40u);
}

}  // namespace
}  // namespace esox
