// SPDX-License-Identifier: Apache-2.0
// See object_use.h.
#include "analysis/object_use.h"

namespace esox {

Use use_of(OpKind kind) {
  switch (kind) {
    case OpKind::kReadLock:
    case OpKind::kTryReadLock:
    case OpKind::kFileRead:
    case OpKind::kFileOpen:
    case OpKind::kFileStat:
    case OpKind::kDirectoryRead:
    case OpKind::kAtomicLoad:
    case OpKind::kMemoryRead:
      return Use::kReads;
    case OpKind::kMutexLock:
    case OpKind::kMutexTrylock:
    case OpKind::kMutexUnlock:
    case OpKind::kWriteLock:
    case OpKind::kTryWriteLock:
    case OpKind::kRwUnlock:
    case OpKind::kSpinLock:
    case OpKind::kSpinUnlock:
    case OpKind::kCondWait:
    case OpKind::kCondSignal:
    case OpKind::kCondBroadcast:
    case OpKind::kSemWait:
    case OpKind::kSemPost:
    case OpKind::kBarrierWait:
    case OpKind::kFutexWait:
    case OpKind::kFutexWake:
    case OpKind::kFileWrite:
    case OpKind::kFileRename:
    case OpKind::kFileRemove:
    case OpKind::kFileResize:
    case OpKind::kFileLock:
    case OpKind::kDirectoryMake:
    case OpKind::kAtomicStore:
    case OpKind::kAtomicUpdate:
    case OpKind::kMemoryWrite:
      return Use::kChanges;
    default:  // kOnce among them: what was initialised once is only looked at from then on
      return Use::kNone;
  }
}

}  // namespace esox
