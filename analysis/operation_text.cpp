// SPDX-License-Identifier: Apache-2.0
#include "analysis/operation_text.h"

namespace esox {
namespace {

struct OperationText {
  OpKind kind;
  const char* name;
  const char* object;
};

constexpr OperationText kTexts[] = {
    {OpKind::kNone, "operation", ""},
    {OpKind::kRequestBegin, "request begins", ""},
    {OpKind::kRequestEnd, "request ends", ""},
    {OpKind::kThreadStart, "thread starts", ""},
    {OpKind::kThreadExit, "thread exits", ""},
    {OpKind::kThreadJoin, "join thread", "thread"},
    {OpKind::kThreadCreate, "create thread", "thread"},
    {OpKind::kProcessExit, "exit", ""},
    {OpKind::kMutexLock, "lock", "mutex"},
    {OpKind::kMutexTrylock, "trylock", "mutex"},
    {OpKind::kMutexUnlock, "unlocked", "mutex"},
    {OpKind::kReadLock, "read-lock", "rwlock"},
    {OpKind::kWriteLock, "write-lock", "rwlock"},
    {OpKind::kTryReadLock, "try read-lock", "rwlock"},
    {OpKind::kTryWriteLock, "try write-lock", "rwlock"},
    {OpKind::kRwUnlock, "unlocked", "rwlock"},
    {OpKind::kSpinLock, "lock", "spin"},
    {OpKind::kSpinUnlock, "unlocked", "spin"},
    {OpKind::kCondWait, "wait", "cond"},
    {OpKind::kCondSignal, "signal", "cond"},
    {OpKind::kCondBroadcast, "broadcast", "cond"},
    {OpKind::kSemWait, "wait", "semaphore"},
    {OpKind::kSemPost, "post", "semaphore"},
    {OpKind::kBarrierWait, "wait", "barrier"},
    {OpKind::kFutexWait, "wait", "futex"},
    {OpKind::kFutexWake, "wake", "futex"},
    {OpKind::kOnce, "once", "once"},
    {OpKind::kYield, "yield", ""},
    {OpKind::kSleep, "sleep", ""},
    {OpKind::kLatchShare, "share", "latch"},
    {OpKind::kLatchTake, "take", "latch"},
    {OpKind::kLatchLeft, "left", "latch"},
    {OpKind::kReceive, "receive", "socket"},
    {OpKind::kSend, "send", "socket"},
    {OpKind::kPoll, "poll", "socket"},
    {OpKind::kAccept, "accept", "socket"},
    {OpKind::kSignalWait, "wait for signal", ""},
    {OpKind::kFileOpen, "open", "file"},
    {OpKind::kFileClose, "close", "file"},
    {OpKind::kFileRead, "read", "file"},
    {OpKind::kFileWrite, "write", "file"},
    {OpKind::kFileSync, "sync", "file"},
    {OpKind::kFileRename, "rename", "file"},
    {OpKind::kFileRemove, "remove", "file"},
    {OpKind::kFileStat, "stat", "file"},
    {OpKind::kFileResize, "resize", "file"},
    {OpKind::kFileLock, "lock", "file"},
    {OpKind::kDirectoryRead, "read directory", "file"},
    {OpKind::kDirectoryMake, "make directory", "file"},
    {OpKind::kAtomicLoad, "atomic load", "memory"},
    {OpKind::kAtomicStore, "atomic store", "memory"},
    {OpKind::kAtomicUpdate, "atomic update", "memory"},
    {OpKind::kMemoryRead, "read", "memory"},
    {OpKind::kMemoryWrite, "write", "memory"},
    // Nothing more than "in spite of it": the operation's own event tells what it was on.
    {OpKind::kSpuriousWake, "woken by nobody", ""},
    {OpKind::kEarlyTimeout, "timed out early", ""},
    {OpKind::kTryRefused, "refused", ""},
    {OpKind::kShortTransfer, "moved only a part", ""},
    {OpKind::kInterrupted, "interrupted", ""},
};

const OperationText& find(OpKind kind) {
  for (const OperationText& text : kTexts) {
    if (text.kind == kind) return text;
  }
  return kTexts[0];
}

}  // namespace

const char* operation_name(OpKind kind) {
  return find(kind).name;
}
const char* object_kind(OpKind kind) {
  return find(kind).object;
}

}  // namespace esox
