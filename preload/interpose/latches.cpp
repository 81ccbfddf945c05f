// SPDX-License-Identifier: Apache-2.0
// Latches that a server makes of atomics and a futex, where it tells of them. Who waits for one
// does so by its futex (futex.cpp), so the model of locks knows nothing of them.
#include "preload/interpose/esox_latch.h"
#include "preload/interpose/outside_lock.h"
#include "preload/scheduler/scheduler.h"

using namespace esox;

ESOX_HOOK void esox_latch(int use, const void* latch) {
  ControlledThread* t = self();
  if (t == nullptr) return;
  const uint64_t site = ESOX_SITE();
  if (use == ESOX_LATCH_LEFT) {
    g_scheduler.release_point(*t, OpKind::kLatchLeft, id_of(latch), site);
  } else {
    const OpKind kind = use == ESOX_LATCH_SHARE ? OpKind::kLatchShare : OpKind::kLatchTake;
    g_scheduler.point(*t, kind, id_of(latch), site);
  }
}
