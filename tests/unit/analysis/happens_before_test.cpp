// SPDX-License-Identifier: Apache-2.0
// Which operations are ordered whatever the schedule.
#include "analysis/happens_before.h"

#include <gtest/gtest.h>

#include "analysis/executed_order.h"
#include "tests/unit/analysis/traces.h"

namespace esox {
namespace {

using test::kMutex;
using test::kVariable;
using test::TraceBuilder;

constexpr uint64_t kSemaphore = 0x90;
constexpr uint64_t kBarrier = 0xa0;

// Whether the i-th executed operation is ordered before the j-th.
bool before(const TraceBuilder& trace, size_t i, size_t j) {
  const ExecutionRecord record = trace.finish();
  const std::vector<uint32_t> order = executed_order(record);
  EXPECT_LT(std::max(i, j), order.size());
  const HappensBefore known(record, order);
  return known.before(known.epoch(i), known.epoch(j));
}

bool concurrent(const TraceBuilder& trace, size_t i, size_t j) {
  return !before(trace, i, j) && !before(trace, j, i);
}

TEST(HappensBefore, OrdersTheOperationsOfOneThread) {
  const auto trace = TraceBuilder().locks(0, 1).locks(0, 2);
  EXPECT_TRUE(before(trace, 0, 1));
}

TEST(HappensBefore, DoesNotOrderByWhoTookALockFirst) {
  const auto trace =
      TraceBuilder().locks(0, kMutex).does(0, OpKind::kMutexUnlock, kMutex).locks(1, kMutex);
  EXPECT_TRUE(concurrent(trace, 0, 2));
}

TEST(HappensBefore, OrdersASignalBeforeWhatTheWokenThreadDoesNext) {
  const auto trace =
      TraceBuilder().locks(1, 1).waits_for_signal(0, 1, kVariable, kMutex).locks(1, 2).locks(0, 3);
  // 0: lock 1; 1: wait; 2: signal; 3: the wait's end; 4: its mutex; 5: lock 2; 6: lock 3.
  EXPECT_TRUE(before(trace, 0, 6));
  EXPECT_TRUE(before(trace, 2, 4));
  EXPECT_TRUE(concurrent(trace, 5, 6)) << "what follows the signal is not ordered";
  EXPECT_TRUE(concurrent(trace, 1, 2)) << "nor is what comes before the waiter's wait";
}

TEST(HappensBefore, OrdersNothingByAWaitThatEndedByTheClock) {
  const auto trace =
      TraceBuilder().locks(1, 1).waits_for_signal(0, 1, kVariable, kMutex, kTraceTimedOut);
  EXPECT_TRUE(concurrent(trace, 0, 4));
}

TEST(HappensBefore, OrdersNothingByAWaitThatEndedByAChoiceThoughSomebodySignalled) {
  const auto trace =
      TraceBuilder().locks(1, 1).waits_for_signal(0, 1, kVariable, kMutex, kTraceUnsignalled);
  EXPECT_TRUE(concurrent(trace, 0, 4));
}

TEST(HappensBefore, OrdersNothingByASignalThatNobodyWaitedFor) {
  const auto trace = TraceBuilder()
                         .does(1, OpKind::kCondSignal, kVariable)
                         .does(0, OpKind::kCondWait, kVariable)
                         .locks(0, 1);
  EXPECT_TRUE(concurrent(trace, 0, 2));
}

TEST(HappensBefore, CountsAFutexAsAConditionVariable) {
  const auto trace = TraceBuilder()
                         .does(0, OpKind::kFutexWait, kVariable)
                         .locks(1, 1)
                         .does(1, OpKind::kFutexWake, kVariable)
                         .does(0, OpKind::kFutexWait, kVariable, 0x10, kTraceBlocked)
                         .does(0, OpKind::kFutexWait, kVariable)
                         .locks(0, 2);
  EXPECT_TRUE(before(trace, 1, 5));
}

TEST(HappensBefore, OrdersAPostBeforeAWaitThatHadToWaitForIt) {
  const auto blocked = TraceBuilder()
                           .locks(1, 1)
                           .does(1, OpKind::kSemPost, kSemaphore)
                           .does(0, OpKind::kSemWait, kSemaphore, 0x10, kTraceBlocked)
                           .locks(0, 2);
  EXPECT_TRUE(before(blocked, 0, 3));
  const auto free = TraceBuilder()
                        .locks(1, 1)
                        .does(1, OpKind::kSemPost, kSemaphore)
                        .does(0, OpKind::kSemWait, kSemaphore)
                        .locks(0, 2);
  EXPECT_TRUE(concurrent(free, 0, 3));
}

TEST(HappensBefore, OrdersWhatComesBeforeABarrierBeforeWhatComesAfterIt) {
  const auto trace = TraceBuilder()
                         .locks(0, 1)
                         .does(0, OpKind::kBarrierWait, kBarrier)
                         .locks(1, 2)
                         .does(1, OpKind::kBarrierWait, kBarrier)
                         .does(1, OpKind::kBarrierWait, kBarrier, 0x10, kTraceBlocked)
                         .locks(1, 3)
                         .does(0, OpKind::kBarrierWait, kBarrier, 0x10, kTraceBlocked)
                         .locks(0, 4);
  EXPECT_TRUE(before(trace, 0, 5));
  EXPECT_TRUE(before(trace, 2, 7));
  EXPECT_TRUE(concurrent(trace, 5, 7));
}

TEST(HappensBefore, OrdersAThreadsEndBeforeWhatItsJoinerDoesNext) {
  const auto trace = TraceBuilder()
                         .locks(1, 1)
                         .does(1, OpKind::kThreadExit)
                         .does(0, OpKind::kThreadJoin, 1)
                         .locks(0, 2);
  EXPECT_TRUE(before(trace, 0, 3));
}

TEST(HappensBefore, PassesOnWhatAThreadHasSeen) {
  const auto trace = TraceBuilder()
                         .locks(2, 1)
                         .waits_for_signal(1, 2, kVariable, kMutex)
                         .waits_for_signal(0, 1, kVariable + 1, kMutex)
                         .locks(0, 2);
  EXPECT_TRUE(before(trace, 0, 9));
}

}  // namespace
}  // namespace esox
