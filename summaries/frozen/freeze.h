// SPDX-License-Identifier: Apache-2.0
// All threads of a process stand still while this lives, by ptrace(2): PTRACE_SEIZE and
// PTRACE_INTERRUPT of each, until no thread is left that runs and could make another one.
//
// No signal is sent, and the process goes on as if nothing had happened when this ends; if esox
// dies meanwhile, the kernel lets go of it. One thing may be seen: a thread that waits in
// epoll_wait is told EINTR afterwards, as by any signal (signal(7), "Interruption of system
// calls").
//
// At rest: every thread was found waiting in a system call. Elsewhere one may be in the middle of a
// change, and what it changes is in no state that it should be in. So the process is let go and
// frozen again until it is found at rest.
//
// To be made and ended by the same thread.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <map>

namespace esox {

struct FreezeLimits {
  std::chrono::milliseconds stop{30'000};  // for one thread to stand still
  int attempts = 400;                      // to find it at rest, some milliseconds apart
};

class Freeze {
 public:
  // Throws FrozenError: not permitted, gone, never at rest. Then nothing is left frozen.
  explicit Freeze(pid_t pid, FreezeLimits limits = {});
  ~Freeze();
  Freeze(const Freeze&) = delete;
  Freeze& operator=(const Freeze&) = delete;

  size_t threads() const { return signals_.size(); }

 private:
  bool stop_all();  // false: one was not at rest
  bool stop_new(bool& at_rest);
  void await_stop(pid_t tid);
  void let_go();

  pid_t pid_;
  FreezeLimits limits_;
  std::map<pid_t, int> signals_;  // by thread: a signal that was on its way to it, or 0
};

}  // namespace esox
