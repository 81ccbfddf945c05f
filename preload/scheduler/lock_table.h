// SPDX-License-Identifier: Apache-2.0
// Who holds which lock, among controlled threads, in this execution.
//
// The table is the scheduler's model of mutexes, read-write locks and spin locks: it says whether a
// pending acquisition can complete, and who is in the way. Of a running pthread_once it only says
// who runs the routine; whether one runs is read from the once itself, which the C library also
// resets when the routine throws. Locks held by threads outside control are not in it; for those
// the real lock answers EBUSY.
//
// Open addressing in fixed memory; entries live until the execution ends. `generation` empties the
// table in constant time at the start of the next one.
#pragma once

#include <cstdint>

#include "preload/protocol/layout.h"
#include "preload/protocol/trace_event.h"

namespace esox {

// All zero until used, so that the table costs no space in the library's file.
struct LockState {
  uint64_t object;
  uint32_t generation;
  ThreadId owner;                   // exclusive holder, or kNoThread
  uint16_t depth;                   // its nesting
  uint16_t readers;                 // shared holders, nesting included
  uint8_t reader_depth[kMaxSlots];  // by thread
  uint64_t owner_site;              // where the last exclusive acquisition was called

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
  static constexpr uint32_t kEntries = 1u << 13;

  void clear() { ++generation_, used_ = 0; }

  // `thread` holds nothing any more, as far as the model goes.
  void forget(ThreadId thread) {
    for (uint32_t i = 0; i < used_; ++i) entries_[order_[i]].drop(thread);
  }

  LockState* find(uint64_t object) {
    LockState& entry = probe(object);
    return entry.generation == generation_ ? &entry : nullptr;
  }

  // Null if the table is full: the execution is then degraded.
  LockState* find_or_add(uint64_t object) {
    LockState& entry = probe(object);
    if (entry.generation == generation_) return &entry;
    if (used_ >= kEntries - kEntries / 4) return nullptr;
    order_[used_++] = static_cast<uint16_t>(&entry - entries_);
    entry = LockState{};
    entry.object = object;
    entry.owner = kNoThread;
    entry.generation = generation_;
    return &entry;
  }

 private:
  LockState& probe(uint64_t object) {
    uint32_t index = static_cast<uint32_t>((object * 0x9e3779b97f4a7c15u) >> 48) % kEntries;
    while (entries_[index].generation == generation_ && entries_[index].object != object) {
      index = (index + 1) % kEntries;
    }
    return entries_[index];
  }

  uint32_t generation_ = 0;  // clear() precedes every use
  uint32_t used_ = 0;
  LockState entries_[kEntries] = {};
  uint16_t order_[kEntries] = {};  // of the entries in use
};

}  // namespace esox
