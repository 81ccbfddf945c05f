// SPDX-License-Identifier: Apache-2.0
// Who waits for whom: a deadlock is a cycle among controlled threads that wait for locks or for
// each other's end, found by depth-first search from the thread that just blocked. Such a wait
// needs *all* of its blockers to act (a writer waits for every reader), so one cycle is enough.
#include "preload/scheduler/scheduler.h"

namespace esox {

// The first thread with an id above `after` (kNoThread: from the start) that keeps `t` from
// running.
ThreadId Scheduler::blockers(ControlledThread& t, ThreadId after) {
  const auto from = static_cast<uint32_t>(after == kNoThread ? 0 : after + 1);
  if (!t.alive() || t.slot->state != ThreadState::kReady || t.timed_lock || enabled(t)) {
    return kNoThread;
  }
  if (t.slot->pending_kind == OpKind::kThreadJoin) {
    return t.join_target >= from ? t.join_target : kNoThread;
  }
  const LockState* lock = locks_.find(t.slot->pending_object);
  if (lock == nullptr) return kNoThread;
  for (uint32_t i = from; i < thread_count_; ++i) {
    const auto id = static_cast<ThreadId>(i);
    if (lock->owner == id || lock->reader_depth[i] > 0) return id;
  }
  return kNoThread;
}

bool Scheduler::find_cycle(ControlledThread& from) {
  ThreadId path[kMaxSlots];
  ThreadId tried[kMaxSlots];  // last blocker followed at each depth
  bool visited[kMaxSlots] = {};
  uint32_t depth = 0;
  path[0] = from.id;
  tried[0] = kNoThread;
  visited[from.id] = true;
  while (true) {
    const ThreadId next = blockers(threads_[path[depth]], tried[depth]);
    if (next == kNoThread) {
      if (depth-- == 0) return false;
      continue;
    }
    tried[depth] = next;
    if (next == from.id) break;
    if (visited[next]) continue;
    visited[next] = true;
    path[++depth] = next;
    tried[depth] = kNoThread;
  }
  ControlBlock& b = block();
  b.cycle_length = 0;
  for (uint32_t i = 0; i <= depth && i < kMaxCycle; ++i) {
    ControlledThread& t = threads_[path[i]];
    const LockState* lock = locks_.find(t.slot->pending_object);
    const bool exclusive = lock != nullptr && lock->owner == tried[i];
    b.cycle[b.cycle_length++] = {t.id,
                                 tried[i],
                                 t.slot->pending_kind,
                                 {},
                                 t.slot->pending_object,
                                 t.slot->pending_site,
                                 exclusive ? lock->owner_site : 0};
  }
  return true;
}

// A deadlock without a cycle of locks: everybody left waits for a wake-up that nobody can give, or
// for a lock whose holder has ended.
void Scheduler::report_waiters() {
  ControlBlock& b = block();
  b.cycle_length = 0;
  for (uint32_t i = 0; i < thread_count_ && b.cycle_length < kMaxCycle; ++i) {
    ControlledThread& t = threads_[i];
    const bool idle = t.place != nullptr && t.slot->state == ThreadState::kWaiting;
    if (!t.alive() || idle) continue;  // a context that nothing is asked of has no part in it
    ThreadId owner = blockers(t, kNoThread);
    uint64_t owner_site = 0;
    if (t.slot->state == ThreadState::kExternal) {
      if (is_left(t.slot->pending_object)) {
        const LockState* lock = locks_.find(t.slot->pending_object);
        owner = lock->left_by;
        owner_site = lock->owner_site;
      } else {
        mark_degraded(kDegradedExternalWait);
      }
    }
    b.cycle[b.cycle_length++] = {
        t.id,      owner, t.slot->pending_kind, {}, t.slot->pending_object, t.slot->pending_site,
        owner_site};
  }
}

// Of a hang: who could have gone on is its own owner.
void Scheduler::report_standing() {
  ControlBlock& b = block();
  b.cycle_length = 0;
  for (uint32_t i = 0; i < thread_count_ && b.cycle_length < kMaxCycle; ++i) {
    ControlledThread& t = threads_[i];
    if (!t.alive()) continue;
    const bool can_run = t.slot->state == ThreadState::kReady && enabled(t);
    const ThreadId owner = can_run ? t.id : blockers(t, kNoThread);
    b.cycle[b.cycle_length++] = {
        t.id, owner, t.slot->pending_kind, {}, t.slot->pending_object, t.slot->pending_site, 0};
  }
}

}  // namespace esox
