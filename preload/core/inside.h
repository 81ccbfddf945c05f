// SPDX-License-Identifier: Apache-2.0
// Whether the calling thread is inside the preload: in the scheduler, in a virtual wait, or in a
// call outside control.
//
// A signal handler of the server may run at such a moment. The hooks that it calls must not go to
// the scheduler again: the thread may hold the scheduler's lock, or not have the baton. They call
// the real function and nothing else, as for a thread outside control (self() in
// preload/core/control.h). Elsewhere a handler is code of its thread like any other, and is
// scheduled.
#pragma once

#include <atomic>
#include <cstdint>

namespace esox {

// Only its thread and that thread's handlers touch it; a handler leaves it as it was.
extern constinit thread_local uint32_t t_inside __attribute__((tls_model("initial-exec")));

inline void go_inside() {
  ++t_inside;
  std::atomic_signal_fence(std::memory_order_seq_cst);
}

inline void go_outside() {
  std::atomic_signal_fence(std::memory_order_seq_cst);
  --t_inside;
}

class Inside {
 public:
  Inside() { go_inside(); }
  ~Inside() { go_outside(); }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;
};

}  // namespace esox
