// SPDX-License-Identifier: Apache-2.0
// Which locks a thread held at a point, from its trace.
#include "analysis/held_locks.h"

#include <gtest/gtest.h>

namespace esox {
namespace {

constexpr uint64_t kL = 0x100;
constexpr uint64_t kM = 0x200;

TraceEvent event(uint32_t point, OpKind kind, uint64_t object, ThreadId thread = 0,
                 uint64_t aux = 0) {
  return {0x1000 + point, object, aux, point, thread, kind, 0};
}

std::vector<uint64_t> held(const std::vector<TraceEvent>& trace, uint64_t point) {
  std::vector<uint64_t> objects;
  for (const HeldLock& lock : locks_around(trace, 0, point).held) objects.push_back(lock.object);
  return objects;
}

TEST(HeldLocks, AreThoseAcquiredAndNotYetReleased) {
  const std::vector<TraceEvent> trace = {
      event(1, OpKind::kMutexLock, kL),       event(2, OpKind::kWriteLock, kM),
      event(3, OpKind::kMutexLock, 0x300, 1), event(4, OpKind::kMutexUnlock, kL),
      event(5, OpKind::kFileWrite, 7),        event(6, OpKind::kRwUnlock, kM)};
  EXPECT_EQ(held(trace, 3), (std::vector<uint64_t>{kL, kM}));
  EXPECT_EQ(held(trace, 5), (std::vector<uint64_t>{kM}));
  EXPECT_TRUE(held(trace, 9).empty());
}

TEST(HeldLocks, TheOneBeforeWhichTheThreadStandsIsNotHeldAndTheOneItHasReleasedIsNeither) {
  const std::vector<TraceEvent> trace = {event(1, OpKind::kMutexLock, kL),
                                         event(2, OpKind::kMutexUnlock, kL),
                                         event(3, OpKind::kMutexLock, kM)};
  EXPECT_TRUE(held(trace, 1).empty());
  EXPECT_TRUE(held(trace, 2).empty());
  const LocksAround around = locks_around(trace, 0, 3);
  EXPECT_TRUE(around.held.empty());
  ASSERT_TRUE(around.last_release && around.next_acquire);
  EXPECT_EQ(around.last_release->object, kL);
  EXPECT_EQ(around.next_acquire->object, kM);
}

TEST(HeldLocks, ATryCountsIfTheLockIsReleasedLater) {
  const std::vector<TraceEvent> trace = {
      event(1, OpKind::kMutexTrylock, kL), event(2, OpKind::kMutexTrylock, kM),
      event(3, OpKind::kFileRead, 7), event(4, OpKind::kMutexUnlock, kM)};
  EXPECT_EQ(held(trace, 3), (std::vector<uint64_t>{kM}));
}

TEST(HeldLocks, ARecursiveMutexIsHeldUntilItsLastRelease) {
  const std::vector<TraceEvent> trace = {
      event(1, OpKind::kMutexLock, kL), event(2, OpKind::kMutexLock, kL),
      event(3, OpKind::kMutexUnlock, kL), event(4, OpKind::kFileRead, 7)};
  EXPECT_EQ(held(trace, 4), (std::vector<uint64_t>{kL}));
}

TEST(HeldLocks, AWaitOnAConditionGivesItsMutexUpAndComesBackWithIt) {
  const std::vector<TraceEvent> trace = {
      event(1, OpKind::kMutexLock, kL), event(2, OpKind::kCondWait, 0x500),
      event(6, OpKind::kMutexLock, kL, 0, 1), event(7, OpKind::kFileRead, 7)};
  EXPECT_TRUE(held(trace, 4).empty());
  EXPECT_EQ(held(trace, 7), (std::vector<uint64_t>{kL}));
}

}  // namespace
}  // namespace esox
