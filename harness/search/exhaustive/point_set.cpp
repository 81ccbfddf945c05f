// SPDX-License-Identifier: Apache-2.0
#include "harness/search/exhaustive/point_set.h"

#include <algorithm>

namespace esox::exhaustive {

PointClass class_of(OpKind kind) {
  if (is_release(kind)) return PointClass::kReleases;
  switch (kind) {
    case OpKind::kMutexLock:
    case OpKind::kMutexTrylock:
    case OpKind::kReadLock:
    case OpKind::kWriteLock:
    case OpKind::kTryReadLock:
    case OpKind::kTryWriteLock:
    case OpKind::kSpinLock:
    case OpKind::kOnce:
    case OpKind::kLatchShare:
    case OpKind::kLatchTake:
      return PointClass::kLocks;
    case OpKind::kCondWait:
    case OpKind::kCondSignal:
    case OpKind::kCondBroadcast:
    case OpKind::kSemWait:
    case OpKind::kSemPost:
    case OpKind::kBarrierWait:
    case OpKind::kFutexWait:
    case OpKind::kFutexWake:
      return PointClass::kWaits;
    case OpKind::kAtomicLoad:
    case OpKind::kAtomicStore:
    case OpKind::kAtomicUpdate:
    case OpKind::kMemoryRead:
    case OpKind::kMemoryWrite:
      return PointClass::kMemory;
    case OpKind::kReceive:
    case OpKind::kSend:
    case OpKind::kAccept:
      return PointClass::kFiles;
    default:
      return kind >= OpKind::kFileOpen && kind <= OpKind::kDirectoryMake ? PointClass::kFiles
                                                                         : PointClass::kOthers;
  }
}

const char* name_of(PointClass c) {
  static constexpr const char* kNames[kPointClasses] = {"locks",  "releases", "waits",
                                                        "memory", "files",    "others"};
  return kNames[static_cast<int>(c)];
}

PointSet PointSet::all() {
  PointSet set;
  set.classes_ = (1u << kPointClasses) - 1;
  return set;
}

PointSet PointSet::of(PointClass c) {
  PointSet set;
  set.add(c);
  return set;
}

bool PointSet::contains(const PointSet& other) const {
  if ((other.classes_ & ~classes_) != 0) return false;
  return std::ranges::all_of(other.sites_,
                             [&](const auto& site) { return has(site.first, site.second); });
}

}  // namespace esox::exhaustive
