// SPDX-License-Identifier: Apache-2.0
// Every kind of operation by how it uses its object; what is not named here nobody notices.
#include "analysis/object_use.h"

#include <gtest/gtest.h>

#include <set>

namespace esox {
namespace {

const std::set<OpKind> kReading = {
    OpKind::kReadLock,   OpKind::kTryReadLock, OpKind::kFileRead,
    OpKind::kFileOpen,   OpKind::kFileStat,    OpKind::kDirectoryRead,
    OpKind::kAtomicLoad, OpKind::kMemoryRead,  OpKind::kLatchShare};

const std::set<OpKind> kChanging = {
    OpKind::kMutexLock,    OpKind::kMutexTrylock,  OpKind::kMutexUnlock,   OpKind::kWriteLock,
    OpKind::kTryWriteLock, OpKind::kRwUnlock,      OpKind::kSpinLock,      OpKind::kSpinUnlock,
    OpKind::kCondWait,     OpKind::kCondSignal,    OpKind::kCondBroadcast, OpKind::kSemWait,
    OpKind::kSemPost,      OpKind::kBarrierWait,   OpKind::kFutexWait,     OpKind::kFutexWake,
    OpKind::kFileWrite,    OpKind::kFileRename,    OpKind::kFileRemove,    OpKind::kFileResize,
    OpKind::kFileLock,     OpKind::kDirectoryMake, OpKind::kAtomicStore,   OpKind::kAtomicUpdate,
    OpKind::kMemoryWrite,  OpKind::kThreadStart,   OpKind::kLatchTake,     OpKind::kLatchLeft};

constexpr OpKind kKinds[] = {
    OpKind::kNone,          OpKind::kRequestBegin,  OpKind::kRequestEnd,    OpKind::kThreadStart,
    OpKind::kThreadExit,    OpKind::kThreadJoin,    OpKind::kThreadCreate,  OpKind::kSharedUnlock,
    OpKind::kMutexLock,     OpKind::kMutexTrylock,  OpKind::kMutexUnlock,   OpKind::kReadLock,
    OpKind::kWriteLock,     OpKind::kTryReadLock,   OpKind::kTryWriteLock,  OpKind::kRwUnlock,
    OpKind::kSpinLock,      OpKind::kSpinUnlock,    OpKind::kCondWait,      OpKind::kCondSignal,
    OpKind::kCondBroadcast, OpKind::kSemWait,       OpKind::kSemPost,       OpKind::kBarrierWait,
    OpKind::kFutexWait,     OpKind::kFutexWake,     OpKind::kOnce,          OpKind::kYield,
    OpKind::kSleep,         OpKind::kReceive,       OpKind::kSend,          OpKind::kPoll,
    OpKind::kAccept,        OpKind::kSignalWait,    OpKind::kFileOpen,      OpKind::kFileClose,
    OpKind::kFileRead,      OpKind::kFileWrite,     OpKind::kFileSync,      OpKind::kFileRename,
    OpKind::kFileRemove,    OpKind::kFileStat,      OpKind::kFileResize,    OpKind::kFileLock,
    OpKind::kDirectoryRead, OpKind::kDirectoryMake, OpKind::kAtomicLoad,    OpKind::kAtomicStore,
    OpKind::kAtomicUpdate,  OpKind::kMemoryRead,    OpKind::kMemoryWrite,   OpKind::kSpuriousWake,
    OpKind::kEarlyTimeout,  OpKind::kTryRefused,    OpKind::kShortTransfer, OpKind::kInterrupted,
    OpKind::kProcessExit,   OpKind::kLatchShare,    OpKind::kLatchTake,     OpKind::kLatchLeft};

TEST(ObjectUse, OfEveryKindIsAsNamedHere) {
  for (const OpKind kind : kKinds) {
    const Use expected = kReading.contains(kind)    ? Use::kReads
                         : kChanging.contains(kind) ? Use::kChanges
                                                    : Use::kNone;
    EXPECT_EQ(use_of(kind), expected) << static_cast<int>(kind);
  }
}

}  // namespace
}  // namespace esox
