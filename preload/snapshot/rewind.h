// SPDX-License-Identifier: Apache-2.0
// A child that is brought back to its birth instead of being killed and forked anew.
//
// A fork and the end of the child cost more than most executions themselves: mappings and page
// tables are copied and taken down, descriptors and threads made, every page faulted in again. So a
// child that ended well is told to rewind. Its main thread, in the handler of the parking signal,
//   1. gathers all other threads: each leaves its stack for good and waits with nothing but
//      registers (esox_await_rewind); those that were made since end;
//   2. checks that what the kernel holds is as at its birth, or brings it back (kernel_state.h),
//   and
//      maps all memory as it was (address_space.h);
//   3. copies back every page that might have changed (page_store.h), on a stack apart;
//   4. waits for the harness, which brings back the files meanwhile;
//   5. jumps to where its template's main thread waits in serve(): from there on it is a child that
//      was forked just now, but that those threads need not be made which had not ended.
// Where 1, 2 or 3 find what they cannot bring back (a process of its own),
// the child says why and ends: the harness forks another one. So does a child that crashed, hung,
// or was given up on: what it did is not looked into. And every child ends after some lives.
//
// The memory that all this uses is apart: one mapping, made before any template is, that is not
// copied back. Everything else of the preload is.
#pragma once

#include "preload/snapshot/channel.h"
#include "preload/snapshot/context.h"
#include "preload/snapshot/descriptors.h"
#include "preload/snapshot/park.h"

namespace esox {

// By the constructor. False: no memory; children then cannot be rewound.
bool prepare_rewinding();

// What of the template's a child goes back to; the memory itself is the template's, and never
// changes while the child lives.
struct Birthplace {
  ParkedThreads* threads;
  const DescriptorTable* descriptors;
  RestorePoint* point;  // in serve()
};

// In a child just forked that is to be rewound, before it has other threads; see KernelState::note.
// `watched`: its pages, where the kernel can (page_watch.h).
void note_birth(const Birthplace& birthplace, int passing, bool watched);

// Whether this child lives for the second time or more.
bool is_rewound();
// Descriptors of the template that children keep, by number of the image; see descriptors.h.
int* kept_descriptors();

// In the handler, by the main thread. Never returns to it.
[[noreturn]] void rewind_process();
// In the handler, by any other thread: true if that is what the signal meant; then it went on in
// another life.
bool is_rewinding();
[[noreturn]] void rewind_thread();

// In the next life: what the harness has sent, whether that thread of the template's had ended in
// the last one, and all others go on.
const Received& rewound_with();
bool has_ended(uint32_t thread);
void let_threads_go_on();

}  // namespace esox
