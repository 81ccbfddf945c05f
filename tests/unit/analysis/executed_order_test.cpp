// SPDX-License-Identifier: Apache-2.0
// Operations in the order in which they took effect, from the order in which they were written
// down.
#include "analysis/executed_order.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/analysis/traces.h"

namespace esox {
namespace {

using test::TraceBuilder;
using testing::ElementsAre;
using testing::IsEmpty;

TraceEvent event_at(uint32_t point, ThreadId thread, OpKind kind, uint64_t object) {
  TraceEvent one{};
  one.point = point;
  one.thread = thread;
  one.kind = kind;
  one.object = object;
  return one;
}

std::vector<uint64_t> executed_objects(const ExecutionRecord& record) {
  std::vector<uint64_t> objects;
  for (const uint32_t index : executed_order(record)) {
    objects.push_back(record.trace[index].object);
  }
  return objects;
}

TEST(ExecutedOrder, OfNoTraceIsEmpty) {
  EXPECT_THAT(executed_order({}), IsEmpty());
}

TEST(ExecutedOrder, IsThatOfTheTraceWhileNobodyIsSwitchedAwayFrom) {
  ExecutionRecord record;
  record.trace = {event_at(0, 0, OpKind::kMutexLock, 1), event_at(1, 0, OpKind::kMutexLock, 2)};
  record.choices = {{0, 0, 0}};
  EXPECT_THAT(executed_objects(record), ElementsAre(1, 2));
}

// Thread 0 arrives at object 2, is switched away from, and does it when it is chosen again.
TEST(ExecutedOrder, PutsAnOperationWhereItsThreadWasChosenAgain) {
  ExecutionRecord record;
  record.trace = {
      event_at(0, 0, OpKind::kRequestBegin, 10), event_at(0, 1, OpKind::kRequestBegin, 11),
      event_at(1, 0, OpKind::kMutexLock, 2),     event_at(2, 1, OpKind::kMutexLock, 3),
      event_at(3, 1, OpKind::kMutexLock, 4),     event_at(4, 0, OpKind::kMutexLock, 5)};
  record.choices = {{0, 0, 0}, {1, 1, 0}, {3, 0, 0}};
  EXPECT_THAT(executed_objects(record), ElementsAre(10, 11, 3, 2, 5));
}

TEST(ExecutedOrder, LeavesOutWhatAThreadStoodBeforeAtTheEnd) {
  ExecutionRecord record;
  record.trace = {event_at(0, 0, OpKind::kMutexLock, 1), event_at(1, 0, OpKind::kMutexLock, 2)};
  record.choices = {{0, 0, 0}, {1, 1, 0}};
  EXPECT_THAT(executed_objects(record), ElementsAre(1));
}

// The end of a wait is told under the number of the thread's next decision.
TEST(ExecutedOrder, TellsTheEndOfAWaitBeforeTheOperationOfTheSamePoint) {
  ExecutionRecord record;
  record.trace = {event_at(0, 0, OpKind::kCondWait, 1), event_at(1, 0, OpKind::kMutexLock, 2),
                  event_at(1, 0, OpKind::kMutexLock, 3)};
  record.choices = {{0, 0, 0}, {1, 1, 0}};
  EXPECT_THAT(executed_objects(record), ElementsAre(1, 2));
}

TEST(ExecutedOrder, TakesAChoiceThatNoEventTellsOf) {
  ExecutionRecord record;
  record.trace = {event_at(0, 0, OpKind::kMutexLock, 1), event_at(0, 1, OpKind::kMutexLock, 2),
                  event_at(1, 0, OpKind::kSignalWait, 3), event_at(3, 1, OpKind::kMutexLock, 4)};
  record.choices = {{0, 0, 0}, {2, 1, 0}};  // point 2: thread 1 went on, nobody else could
  EXPECT_THAT(executed_objects(record), ElementsAre(1, 3, 2, 4));
}

TEST(ExecutedOrder, GivesBackWhatTheBuilderOfTheseTestsWroteDown) {
  const ExecutionRecord record = TraceBuilder()
                                     .locks(0, 1)
                                     .locks(1, 2)
                                     .locks(1, 3)
                                     .locks(0, 4)
                                     .locks(1, 5)
                                     .locks(0, 6)
                                     .finish();
  EXPECT_THAT(executed_objects(record), ElementsAre(1, 2, 3, 4, 5, 6));
}

}  // namespace
}  // namespace esox
