// SPDX-License-Identifier: Apache-2.0
// What good executions predict, and what they do not.
#include "analysis/trouble.h"

#include <gtest/gtest.h>

namespace esox {
namespace {

constexpr uint64_t kA = 0x100;
constexpr uint64_t kB = 0x200;
constexpr uint64_t kC = 0x300;
constexpr uint64_t kGate = 0x400;
constexpr uint64_t kCond = 0x500;

// One execution, told operation by operation; each has a call site of its own.
class Story {
 public:
  Story& does(ThreadId thread, OpKind kind, uint64_t object = 0, uint64_t aux = 0) {
    const auto point = static_cast<uint32_t>(record_.trace.size() + 1);
    if (record_.choices.empty() || record_.choices.back().thread != thread) {
      record_.choices.push_back({point - 1, thread, 0});
    }
    record_.trace.push_back({site_++, object, aux, point, thread, kind, 0});
    return *this;
  }
  Story& locks(ThreadId thread, uint64_t object) {
    return does(thread, OpKind::kMutexLock, object);
  }
  Story& frees(ThreadId thread, uint64_t object) {
    return does(thread, OpKind::kMutexUnlock, object);
  }
  // Takes the first, then the second, and lets both go.
  Story& takes_both(ThreadId thread, uint64_t first, uint64_t second) {
    return locks(thread, first).locks(thread, second).frees(thread, second).frees(thread, first);
  }
  Story& waits(ThreadId thread, uint64_t cond, uint64_t mutex) {
    return does(thread, OpKind::kCondWait, cond).does(thread, OpKind::kMutexLock, mutex, 1);
  }
  std::vector<Trouble> troubles(size_t clients = 2) const {
    TroubleCollector collector(clients);
    collector.add(record_);
    return collector.troubles();
  }
  const ExecutionRecord& record() const { return record_; }

 private:
  ExecutionRecord record_;
  uint64_t site_ = 0x1000;
};

TEST(Trouble, NothingIsPredictedOfAServersOwnLatches) {
  Story story;
  for (const ThreadId thread : {ThreadId{0}, ThreadId{1}}) {
    const bool latch_first = thread == 0;
    if (latch_first) story.does(thread, OpKind::kLatchTake, kB);
    story.locks(thread, kA);
    if (!latch_first) story.does(thread, OpKind::kLatchTake, kB);
    story.frees(thread, kA).does(thread, OpKind::kRequestEnd);
  }
  EXPECT_TRUE(story.troubles().empty());
}

TEST(Trouble, LatchesHideNothingOfLocks) {
  Story order;
  for (const bool forth : {true, false}) {
    const ThreadId thread = forth ? 0 : 1;
    order.does(thread, OpKind::kLatchTake, kC);
    order.takes_both(thread, forth ? kA : kB, forth ? kB : kA);
    order.does(thread, OpKind::kLatchLeft, kC);
  }
  ASSERT_EQ(order.troubles().size(), 1u);
  EXPECT_EQ(order.troubles()[0].kind, TroubleKind::kLockOrder);
  Story reply;
  reply.locks(0, kA).does(0, OpKind::kLatchTake, kB).does(0, OpKind::kRequestEnd);
  ASSERT_EQ(reply.troubles().size(), 1u);
  EXPECT_EQ(reply.troubles()[0].kind, TroubleKind::kHeldAtReply);
  EXPECT_EQ(reply.troubles()[0].steps[0].holds.object, kA);
}

TEST(Trouble, TwoClientsThatTakeTwoLocksTheOtherWayRoundMayEachWaitForTheOther) {
  Story story;
  story.takes_both(0, kA, kB).takes_both(1, kB, kA);
  const std::vector<Trouble> found = story.troubles();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].kind, TroubleKind::kLockOrder);
  ASSERT_EQ(found[0].steps.size(), 2u);
  EXPECT_EQ(found[0].steps[0].holds.object, found[0].steps[1].wants.object);
  EXPECT_EQ(found[0].steps[1].holds.object, found[0].steps[0].wants.object);
  for (const TroubleStep& step : found[0].steps) EXPECT_EQ(step.own, 2u) << "the second lock";
  for (const Schedule& schedule : schedules_of(found[0], 2)) {
    ASSERT_EQ(schedule.size(), 4u);
    EXPECT_EQ(schedule[0].until, 2u);
    EXPECT_EQ(schedule[1].until, 2u);
    EXPECT_NE(schedule[0].thread, schedule[1].thread);
  }
}

TEST(Trouble, TheSameOrderInBothClientsIsNone) {
  EXPECT_TRUE(Story().takes_both(0, kA, kB).takes_both(1, kA, kB).troubles().empty());
}

TEST(Trouble, OneClientAloneIsNone) {
  EXPECT_TRUE(Story().takes_both(0, kA, kB).takes_both(0, kB, kA).troubles().empty());
}

TEST(Trouble, AGateThatAllHoldKeepsThemApart) {
  Story gated;
  gated.locks(0, kGate).takes_both(0, kA, kB).frees(0, kGate);
  gated.locks(1, kGate).takes_both(1, kB, kA).frees(1, kGate);
  EXPECT_TRUE(gated.troubles().empty());
}

TEST(Trouble, AGateThatBothOnlyReadKeepsNobodyApart) {
  Story gated;
  for (const ThreadId thread : {ThreadId{0}, ThreadId{1}}) {
    gated.does(thread, OpKind::kReadLock, kGate);
    if (thread == 0) gated.takes_both(0, kA, kB);
    if (thread == 1) gated.takes_both(1, kB, kA);
    gated.does(thread, OpKind::kRwUnlock, kGate);
  }
  EXPECT_EQ(gated.troubles().size(), 1u);
}

TEST(Trouble, ReadersDoNotWaitForReaders) {
  Story story;
  story.does(0, OpKind::kReadLock, kA).does(0, OpKind::kReadLock, kB);
  story.does(0, OpKind::kRwUnlock, kB).does(0, OpKind::kRwUnlock, kA);
  story.does(1, OpKind::kReadLock, kB).does(1, OpKind::kReadLock, kA);
  EXPECT_TRUE(story.troubles().empty());
}

TEST(Trouble, ThreeClientsMayFormACircle) {
  Story story;
  story.takes_both(0, kA, kB).takes_both(1, kB, kC).takes_both(2, kC, kA);
  const std::vector<Trouble> found = story.troubles(3);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].steps.size(), 3u);
  EXPECT_TRUE(story.troubles(2).empty()) << "the third is no client";
}

TEST(Trouble, ALockTakenAgainWhileHeldIsNone) {
  Story story;
  story.locks(0, kA).locks(0, kB).locks(0, kA);
  story.takes_both(1, kA, kB);
  EXPECT_TRUE(story.troubles().empty());
}

TEST(Trouble, TheOrdersMayBeSeenInDifferentExecutions) {
  Story first, second;
  first.takes_both(0, kA, kB);
  second.takes_both(1, kB, kA);
  TroubleCollector collector(2);
  EXPECT_EQ(collector.add(first.record()), 0u);
  EXPECT_EQ(collector.add(second.record()), 1u);
  const std::vector<Trouble> found = collector.troubles();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NE(found[0].steps[0].record, found[0].steps[1].record);
}

TEST(Trouble, ASignalWithoutTheWaitersMutexMayBeLost) {
  Story story;
  story.locks(0, kA).waits(0, kCond, kA).frees(0, kA);
  story.does(1, OpKind::kCondSignal, kCond);
  const std::vector<Trouble> found = story.troubles();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].kind, TroubleKind::kUnguardedSignal);
  EXPECT_EQ(found[0].steps[0].thread, 0);
  EXPECT_EQ(found[0].steps[1].thread, 1);
  // The waiter stands before its wait, the second of what it does, while the other one signals.
  const std::vector<Schedule> schedules = schedules_of(found[0], 2);
  ASSERT_EQ(schedules.size(), 1u);
  ASSERT_GE(schedules[0].size(), 3u);
  EXPECT_EQ(schedules[0][0], (Segment{0, 2}));
  EXPECT_EQ(schedules[0][1], (Segment{1, kToTheEnd}));
}

TEST(Trouble, ASignalAfterTheWaitersMutexWasHeldIsNone) {
  Story story;
  story.locks(0, kA).waits(0, kCond, kA).frees(0, kA);
  story.locks(1, kA).frees(1, kA).does(1, OpKind::kCondSignal, kCond);
  EXPECT_TRUE(story.troubles().empty());
}

TEST(Trouble, ASignalThatNobodyEverWaitsForIsNone) {
  EXPECT_TRUE(Story().does(1, OpKind::kCondSignal, kCond).troubles().empty());
}

TEST(Trouble, ALockHeldWhenTheRequestIsAnsweredIsTold) {
  Story story;
  story.does(0, OpKind::kRequestBegin).locks(0, kA).does(0, OpKind::kRequestEnd);
  story.does(1, OpKind::kRequestBegin).takes_both(1, kA, kB).does(1, OpKind::kRequestEnd);
  const std::vector<Trouble> found = story.troubles();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].kind, TroubleKind::kHeldAtReply);
  EXPECT_EQ(found[0].steps[0].holds.object, kA);
}

TEST(Trouble, AreToldOnceHoweverOftenTheyAreSeen) {
  Story story;
  story.takes_both(0, kA, kB).takes_both(1, kB, kA);
  TroubleCollector collector(2);
  for (int i = 0; i < 5; ++i) collector.add(story.record());
  EXPECT_EQ(collector.troubles().size(), 1u);
}

}  // namespace
}  // namespace esox
