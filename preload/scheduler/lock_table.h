// SPDX-License-Identifier: Apache-2.0
// Who holds which lock, among controlled threads, in this execution.
//
// The table is the scheduler's model of mutexes, read-write locks and spin locks: it says whether a
// pending acquisition can complete, and who is in the way. Of a running pthread_once it only says
// who runs the routine; whether one runs is read from the once itself, which the C library also
// resets when the routine throws. Locks held by threads outside control are not in it; for those
// the real lock answers EBUSY.
//
// Entries live until the execution ends.
#pragma once

#include <cstdint>

#include "preload/core/dense_table.h"
#include "preload/protocol/layout.h"
#include "preload/protocol/trace_event.h"

namespace esox {

// All zero until used, so that the table costs no space in the library's file.
struct LockState {
  uint64_t object;
  ThreadId owner;                   // exclusive holder, or kNoThread
  uint16_t depth;                   // its nesting
  uint16_t readers;                 // shared holders, nesting included
  uint8_t reader_depth[kMaxSlots];  // by thread
  uint64_t owner_site;              // where the last exclusive acquisition was called
  ThreadId left_by;  // who ended holding it, and nobody has taken it since; or kNoThread

  bool free() const { return owner == kNoThread && readers == 0; }

  // `thread` holds it no longer, however often it took it.
  void drop(ThreadId thread) {
    if (owner == thread) {
      owner = kNoThread;
      depth = 0;
    }
    readers = static_cast<uint16_t>(readers - reader_depth[thread]);
    reader_depth[thread] = 0;
  }
};

class LockTable {
 public:
  static constexpr uint32_t kMost = DenseTable<LockState, 1u << 13>::kMost;

  void clear() { locks_.clear(); }

  // `thread` ends: what it holds is held by nobody any more, as far as the model goes.
  void leave_by(ThreadId thread) {
    for (uint32_t i = 0; i < locks_.size(); ++i) {
      if (locks_[i].owner == thread || locks_[i].reader_depth[thread] > 0)
        locks_[i].left_by = thread;
      locks_[i].drop(thread);
    }
  }

  LockState* find(uint64_t object) { return locks_.find(object); }

  // Null if the table is full: the execution is then degraded.
  LockState* find_or_add(uint64_t object) {
    const uint32_t before = locks_.size();
    LockState* lock = locks_.find_or_add(object);
    if (locks_.size() != before) lock->owner = lock->left_by = kNoThread;
    return lock;
  }

 private:
  DenseTable<LockState, 1u << 13> locks_;
};

}  // namespace esox
