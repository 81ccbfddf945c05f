// SPDX-License-Identifier: Apache-2.0
// All threads of the process but the main one, stopped where they are.
//
// Each is sent kParkSignal by tgkill and stays in its handler, on its own stack, with all signals
// blocked. A thread that blocks the signal cannot be parked: pthread_sigmask and sigprocmask are
// hooked so that nobody does.
//
// Everything here is called by the main thread, from its own handler of the same signal.
#pragma once

#include "preload/protocol/snapshot.h"
#include "preload/snapshot/thread_image.h"

namespace esox {

// Those parked, without the main thread, in the order in which the kernel lists them.
struct ParkedThreads {
  ThreadImage images[kMaxParkedThreads];
  uint32_t count = 0;
  // In a child: those re-created that still read their images. park_threads() waits for them.
  std::atomic<uint32_t> resuming{0};
};

// False: none is parked any more, and the reply says why.
bool park_threads(ParkedThreads& threads, SnapshotReply& reply);
// They go on.
void release_threads(ParkedThreads& threads);

// The handler of a thread other than the main one. Returns when the thread shall go on: in the
// template that was one after all, or in a child.
void park_here(ParkedThreads& threads, ucontext_t& context);

}  // namespace esox
