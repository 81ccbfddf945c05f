// SPDX-License-Identifier: Apache-2.0
// The preload's view of the control block, and who the calling thread is.
//
// Before the block is mapped (calls arrive before our constructor) and in forked children,
// `block()` is a private, idle one: every hook then falls through on one predictable branch.
#pragma once

#include "preload/core/inside.h"
#include "preload/protocol/control_block.h"

namespace esox {

struct ControlledThread;  // scheduler/thread_table.h

extern ControlBlock* g_block;                            // never null
extern constinit thread_local ControlledThread* t_self;  // null: this thread is not controlled

inline ControlBlock& block() {
  return *g_block;
}

// What nobody controls: idle for ever.
ControlBlock* no_block();

// False: calls arrive before our constructor, or in a child that nobody controls. What the machine
// tells is then shown as it is.
inline bool attended() {
  return __builtin_expect(g_block->magic == kProtocolMagic, 1);
}

// True while hooks of threads outside control have to look for threads to wake.
inline bool execution_running() {
  return __builtin_expect(g_block->phase.load(std::memory_order_relaxed) == Phase::kRunning, 0);
}

// The calling thread if its operations are to be scheduled: not in a signal handler that
// interrupted the scheduler itself.
inline ControlledThread* self() {
  if (__builtin_expect(t_self == nullptr, 1)) return nullptr;
  return t_inside == 0 ? t_self : nullptr;
}

inline void mark_degraded(uint32_t reason) {
  block().degraded.fetch_or(reason, std::memory_order_relaxed);
}

// True if a wake-up has to be told to the scheduler. One by a signal handler that interrupted the
// scheduler cannot be, and is lost on virtual waiters.
inline bool execution_to_be_told() {
  if (!execution_running()) return false;
  if (t_inside == 0) return true;
  mark_degraded(kDegradedUnsupported);
  return false;
}

// True if nobody waits to look at a process that cannot go on.
inline bool ends_unattended() {
  return block().forks.point != ForkPoint::kNone && block().forks.attended == 0;
}

}  // namespace esox

// Return address of the intercepted call: where in the server it happened.
#define ESOX_SITE() reinterpret_cast<uint64_t>(__builtin_return_address(0))
// Marks the functions that replace libc's.
#define ESOX_HOOK extern "C" __attribute__((visibility("default"), noinline))
