// SPDX-License-Identifier: Apache-2.0
// Who could have run at each decision of an execution, what all were about to do, and what the
// chosen one did: told under the strategy `prefix`, for a search that tries the other branches too
// (harness/search/exhaustive).
//
// Records come in the order of the execution. Those of one decision follow each other, by thread,
// one for each that has not ended; then what the chosen thread did up to the next decision beside
// the operation it was about to do. At the end of an execution that ends where threads stand
// (deadlock, hang), all threads once more, nobody chosen.
//
// An operation is told where it takes effect, which for releases is before their point: a thread
// that is parked at a release point has object 0. A thread that waits to be woken has kind kNone.
// What lets another thread go on (it makes it, or wakes it) is told as a kThreadCreate of that one.
#pragma once

#include <cstdint>

#include "preload/protocol/trace_event.h"

namespace esox {

enum WaitingFlag : uint8_t {
  kWaitingEnabled = 1,
  kWaitingChosen = 2,
  kWaitingDone = 4,  // no thread at a decision: something that the chosen one did after it
};

struct WaitingThread {
  uint64_t object;
  uint64_t site;
  uint32_t decision;
  ThreadId thread;
  OpKind kind;
  uint8_t flags;  // WaitingFlag
};
static_assert(sizeof(WaitingThread) == 24);

}  // namespace esox
