// SPDX-License-Identifier: Apache-2.0
// Which pending operations conflict, and which depend on each other.
#include "preload/strategy/conflict.h"

#include <gtest/gtest.h>

namespace esox {
namespace {

struct Pair {
  OpKind first;
  OpKind second;
};

bool conflicting(const Pair& pair, uint64_t one = 7, uint64_t other = 7) {
  const Pending a{0, pair.first, one, 1};
  const Pending b{1, pair.second, other, 2};
  EXPECT_EQ(conflict(a, b), conflict(b, a)) << "not symmetric";
  return conflict(a, b);
}

bool depending(const Pair& pair) {
  const Pending a{0, pair.first, 7, 1};
  const Pending b{1, pair.second, 7, 2};
  EXPECT_EQ(dependent(a, b), dependent(b, a)) << "not symmetric";
  return dependent(a, b);
}

constexpr Pair kConflicts[] = {{OpKind::kMutexLock, OpKind::kMutexLock},
                               {OpKind::kMutexLock, OpKind::kMutexTrylock},
                               {OpKind::kMutexUnlock, OpKind::kMutexTrylock},
                               {OpKind::kReadLock, OpKind::kWriteLock},
                               {OpKind::kTryReadLock, OpKind::kRwUnlock},
                               {OpKind::kWriteLock, OpKind::kWriteLock},
                               {OpKind::kCondWait, OpKind::kCondSignal},
                               {OpKind::kCondWait, OpKind::kCondWait},
                               {OpKind::kFutexWait, OpKind::kFutexWake},
                               {OpKind::kSemWait, OpKind::kSemWait},
                               {OpKind::kSemPost, OpKind::kMutexTrylock},
                               {OpKind::kBarrierWait, OpKind::kBarrierWait},
                               {OpKind::kFileRead, OpKind::kFileWrite},
                               {OpKind::kFileWrite, OpKind::kFileWrite},
                               {OpKind::kFileStat, OpKind::kFileRemove},
                               {OpKind::kDirectoryRead, OpKind::kDirectoryMake},
                               {OpKind::kOnce, OpKind::kOnce},
                               {OpKind::kLatchTake, OpKind::kLatchTake},
                               {OpKind::kLatchShare, OpKind::kLatchTake},
                               {OpKind::kLatchShare, OpKind::kLatchLeft},
                               {OpKind::kSend, OpKind::kReceive}};

constexpr Pair kIndependent[] = {
    {OpKind::kReadLock, OpKind::kReadLock},      {OpKind::kReadLock, OpKind::kTryReadLock},
    {OpKind::kFileRead, OpKind::kFileRead},      {OpKind::kFileRead, OpKind::kFileStat},
    {OpKind::kSemPost, OpKind::kSemPost},        {OpKind::kCondSignal, OpKind::kCondBroadcast},
    {OpKind::kFutexWake, OpKind::kFutexWake},    {OpKind::kRwUnlock, OpKind::kRwUnlock},
    {OpKind::kReadLock, OpKind::kSharedUnlock},  {OpKind::kSharedUnlock, OpKind::kRwUnlock},
    {OpKind::kYield, OpKind::kMutexLock},        {OpKind::kSleep, OpKind::kFileWrite},
    {OpKind::kThreadStart, OpKind::kThreadJoin}, {OpKind::kFileSync, OpKind::kFileWrite},
    {OpKind::kLatchShare, OpKind::kLatchShare}};

TEST(Conflict, IsBetweenOperationsOnOneObjectWhoseOrderTells) {
  for (const Pair& pair : kConflicts) {
    EXPECT_TRUE(conflicting(pair)) << static_cast<int>(pair.first);
    EXPECT_TRUE(depending(pair));
  }
  for (const Pair& pair : kIndependent) {
    EXPECT_FALSE(conflicting(pair)) << static_cast<int>(pair.first);
    EXPECT_FALSE(depending(pair));
  }
}

TEST(Conflict, IsNeverBetweenDifferentObjectsOrWithNone) {
  for (const Pair& pair : kConflicts) {
    EXPECT_FALSE(conflicting(pair, 7, 8));
    EXPECT_FALSE(conflicting(pair, 0, 0)) << "no object is not an object";
  }
}

TEST(Conflict, IsNotBetweenWhatEnablesAndWhatWaits) {
  for (const Pair& pair : {Pair{OpKind::kMutexUnlock, OpKind::kMutexLock},
                           {OpKind::kSpinUnlock, OpKind::kSpinLock},
                           {OpKind::kRwUnlock, OpKind::kReadLock},
                           {OpKind::kRwUnlock, OpKind::kWriteLock},
                           {OpKind::kSharedUnlock, OpKind::kWriteLock},
                           {OpKind::kSemPost, OpKind::kSemWait}}) {
    EXPECT_FALSE(conflicting(pair)) << static_cast<int>(pair.first);
    EXPECT_TRUE(depending(pair)) << static_cast<int>(pair.first);
  }
}

TEST(Conflict, IsBetweenTheBeginOfARequestAndTheEndOfAnother) {
  EXPECT_TRUE(conflicting({OpKind::kRequestBegin, OpKind::kRequestEnd}, 0, 0));
  EXPECT_FALSE(conflicting({OpKind::kRequestBegin, OpKind::kRequestBegin}, 0, 0));
  EXPECT_FALSE(conflicting({OpKind::kRequestEnd, OpKind::kRequestEnd}, 0, 0));
}

TEST(Conflict, TakesUnknownKindsForWrites) {
  const auto unknown = static_cast<OpKind>(250);
  EXPECT_TRUE(conflicting({unknown, unknown}));
  EXPECT_TRUE(conflicting({unknown, OpKind::kFileRead}));
  EXPECT_FALSE(conflicting({unknown, OpKind::kSleep}));
}

}  // namespace
}  // namespace esox
