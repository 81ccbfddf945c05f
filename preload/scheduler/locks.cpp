// SPDX-License-Identifier: Apache-2.0
// The model of locks, kept up by the hooks (see lock_table.h).
#include "preload/scheduler/scheduler.h"

namespace esox {

void Scheduler::acquired(ControlledThread& t, uint64_t object, LockMode mode, uint64_t site) {
  lock_.acquire();
  add_holder(t, object, mode, site);
  lock_.release();
}

void Scheduler::holds(ControlledThread& t, uint64_t object, LockMode mode, uint64_t site) {
  lock_.acquire();
  if (LockState* lock = locks_.find(object)) lock->drop(t.id);
  add_holder(t, object, mode, site);
  lock_.release();
}

void Scheduler::add_holder(ControlledThread& t, uint64_t object, LockMode mode, uint64_t site) {
  outside_retried_ = false;  // progress
  quiet_since_ns_ = 0;
  LockState* lock = locks_.find_or_add(object);
  if (lock == nullptr) {
    mark_degraded(kDegradedTableFull);
    return;
  }
  lock->left_by = kNoThread;
  if (mode == LockMode::kShared) {
    ++lock->readers;
    ++lock->reader_depth[t.id];
  } else {
    lock->owner = t.id;
    lock->owner_site = site;
    ++lock->depth;
  }
}

void Scheduler::released(ControlledThread& t, uint64_t object) {
  lock_.acquire();
  LockState* lock = locks_.find(object);
  // Null: taken before the execution began. Not ours: released by another thread than its owner.
  if (lock != nullptr) {
    if (lock->owner != kNoThread) {
      if (--lock->depth == 0) lock->owner = kNoThread;
      if (lock->depth == 0) tell_done(t.id, OpKind::kMutexUnlock, object);
    } else if (lock->reader_depth[t.id] > 0) {
      --lock->reader_depth[t.id];
      --lock->readers;
      tell_done(t.id, OpKind::kSharedUnlock, object);
    }
  }
  lock_.release();
}

bool Scheduler::owns(ControlledThread& t, uint64_t object) {
  lock_.acquire();
  const LockState* lock = locks_.find(object);
  const bool result = lock != nullptr && lock->owner == t.id;
  lock_.release();
  return result;
}

void Scheduler::initialised(uint64_t object) {
  lock_.acquire();
  if (running()) trace_.note_initialised(object);
  lock_.release();
}

Proceed Scheduler::refused(ControlledThread& t, LockMode mode) {
  lock_.acquire();
  const uint64_t object = t.slot->pending_object;
  LockState* lock = object == 0 ? nullptr : locks_.find(object);
  if (lock != nullptr) lock->drop(t.id);  // a conversion gives up what it had (flock(2))
  t.shares = mode == LockMode::kShared;
  t.refused = lock != nullptr && still_refused(t);
  if (!t.refused || !running()) {
    t.refused = false;
    lock_.release();
    return blocked_outside(t);  // nobody we know holds it
  }
  const Decision decision = begin_decision(t, OpKind::kFileLock, object, t.slot->pending_site, 0);
  const Proceed result = decide(t, decision);
  t.refused = false;
  return result;
}

void Scheduler::file_unlocked(ControlledThread& t, uint64_t object) {
  lock_.acquire();
  LockState* lock = locks_.find(object);
  // By another thread than took it: who still waits tries again, and is refused or not.
  if (lock != nullptr && lock->owner != kNoThread) lock->drop(lock->owner);
  if (lock != nullptr) lock->drop(t.id);
  lock_.release();
}

void Scheduler::file_closed(ControlledThread& t, uint64_t object) {
  if (object == 0) return;
  lock_.acquire();
  if (LockState* lock = locks_.find(object)) lock->drop(t.id);
  lock_.release();
}

bool Scheduler::left_for_good(uint64_t object) {
  lock_.acquire();
  const bool left = is_left(object);
  lock_.release();
  return left;
}

// Lock held.
bool Scheduler::is_left(uint64_t object) {
  const LockState* lock = locks_.find(object);
  return lock != nullptr && lock->left_by != kNoThread && !anybody_outside();
}

Proceed Scheduler::blocked_outside(ControlledThread& t) {
  lock_.acquire();
  if (!running()) {
    lock_.release();
    return go_native();
  }
  ++block().external_lock_waits;
  Decision decision =
      begin_decision(t, t.slot->pending_kind, t.slot->pending_object, t.slot->pending_site, 0);
  if (decision.event != nullptr) decision.event->flags |= kTraceExternal;
  t.slot->state = ThreadState::kExternal;
  return decide(t, decision);
}

}  // namespace esox
