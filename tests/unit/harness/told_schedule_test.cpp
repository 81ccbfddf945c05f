// SPDX-License-Identifier: Apache-2.0
// What the preload tells of an execution under a search, as a schedule; and objects by names that
// two servers in the same state share.
#include "harness/engine/told_schedule.h"

#include <gtest/gtest.h>

#include "preload/strategy/prefix.h"

namespace esox {
namespace {

using exhaustive::ExecutedSchedule;
using exhaustive::Step;

constexpr uint8_t kChosen = kWaitingEnabled | kWaitingChosen;
constexpr uint64_t kArena = 0x7fff'4000'0000;
constexpr uint64_t kOtherArena = 0x7fff'8000'0000;

WaitingThread record(uint32_t decision, ThreadId thread, OpKind kind, uint64_t object,
                     uint8_t flags) {
  return {object, /*site=*/1, decision, thread, kind, flags};
}

TEST(ToldSchedule, HasWhatAThreadDidBeyondItsPointInItsStep) {
  const ExecutedSchedule executed = schedule_of({
      record(0, 0, OpKind::kMutexUnlock, 9, kWaitingDone),  // before the first decision
      record(0, 0, OpKind::kMutexLock, 5, kChosen),
      record(0, 1, OpKind::kMutexLock, 5, kWaitingEnabled),
      record(1, 0, OpKind::kMutexUnlock, 5, kWaitingDone),
      record(1, 0, OpKind::kMutexUnlock, 0, kChosen),
      record(1, 1, OpKind::kMutexLock, 5, kWaitingEnabled),
      record(2, 1, OpKind::kMutexLock, 5, 0),
  });
  ASSERT_EQ(executed.points.size(), 2u);
  const Step& first = executed.points[0].step;
  EXPECT_EQ(first.thread, 0);
  ASSERT_EQ(first.operations.size(), 2u);
  EXPECT_EQ(first.operations[1].kind, OpKind::kMutexUnlock);
  EXPECT_EQ(executed.points[1].waiting.size(), 2u);
  ASSERT_EQ(executed.left.size(), 1u);
  EXPECT_FALSE(executed.left[0].enabled);
}

TEST(ToldSchedule, AsksForABeginningAsThePrefixTakesIt) {
  const std::vector<Choice> tape = tape_of(exhaustive::Beginning{{1, 0}, {2}});
  ASSERT_EQ(tape.size(), 3u);
  EXPECT_EQ(tape[1].point, 1u);
  EXPECT_EQ(tape[1].thread, 0);
  EXPECT_EQ(tape[2].point, Prefix::kAsleep);
  EXPECT_EQ(tape[2].thread, 2);
}

ExecutedSchedule with_arenas(uint64_t own, uint64_t other) {
  ExecutedSchedule executed = schedule_of({
      record(0, 0, OpKind::kMutexLock, own + 0x40, kChosen),
      record(0, 1, OpKind::kMutexLock, other + 0x40, kWaitingEnabled),
      record(1, 0, OpKind::kMutexLock, 0x5555'0000'1000, kChosen),
      record(1, 1, OpKind::kMutexLock, other + 0x40, kWaitingEnabled),
  });
  rename_objects(executed, {});
  return executed;
}

TEST(ToldSchedule, NamesArenasByWhoUsesThemFirst) {
  const ExecutedSchedule one = with_arenas(kArena, kOtherArena);
  const ExecutedSchedule two = with_arenas(kOtherArena, kArena);
  for (size_t i = 0; i < 2; ++i) {
    for (size_t thread = 0; thread < 2; ++thread) {
      EXPECT_EQ(one.points[i].waiting[thread].operation.object,
                two.points[i].waiting[thread].operation.object);
    }
  }
  EXPECT_NE(one.points[0].waiting[0].operation.object, one.points[0].waiting[1].operation.object);
  EXPECT_EQ(one.points[1].waiting[0].operation.object, 0x5555'0000'1000u);
}

TEST(ToldSchedule, KnowsFilesByNamesWithoutWhatDiffers) {
  EXPECT_EQ(lasting_name("./test/#sql-alter-1f2e-5.frm"), "./test/#sql-alter--5.frm");
  EXPECT_EQ(lasting_name("#sql-temptable-1f2e-5-0.MAI"), "#sql-temptable--5-0.MAI");
  EXPECT_EQ(lasting_name("esox-vT2k4x"), "esox-");
  EXPECT_EQ(lasting_name("/tmp/esox-vT2k4x/data"), "/tmp/esox-/data");
  EXPECT_EQ(lasting_name("./test/t-1.MYD"), "./test/t-1.MYD");
  EXPECT_EQ(lasting_name("#sql-"), "#sql-");
}

}  // namespace
}  // namespace esox
