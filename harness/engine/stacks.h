// SPDX-License-Identifier: Apache-2.0
// A live process seen from outside: its mapped files, and the stacks of its threads by libdwfl
// (ptrace), for crashes, deadlocks and hangs.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/execution_record.h"
#include "analysis/symbols.h"

namespace esox {

struct ThreadStack {
  pid_t tid = 0;
  std::vector<uint64_t> addresses;  // innermost first, at most 64
};

// All threads of `pid`, in which `modules` are mapped. On failure `*why` says it and the list holds
// what was got until then. The process is stopped meanwhile and continues afterwards.
std::vector<ThreadStack> take_stacks(pid_t pid, const std::vector<Module>& modules,
                                     std::string* why);

// In words, innermost first, without the preload's own: those say how esox holds a thread.
std::vector<std::string> frames_of(const ThreadStack& stack, Symbols& symbols);

// Leaves of the stack of a thread that a signal came to what it did at `pc` and before: not esox's
// handler, nor what the C library has around it. As it was if no frame is at `pc`.
void leave_out_the_handler(ThreadStack& stack, uint64_t pc);

// The number that a thread has for itself, which is another one in a PID namespace; 0 if it is
// gone.
pid_t own_tid(pid_t pid, pid_t tid);

// From /proc/PID/maps; empty if the process is gone. `known`: what was mapped before a snapshot may
// have moved parts of it (preload/snapshot/memory.h); still there, and to be added to.
std::vector<Module> mapped_modules(pid_t pid, const std::vector<Module>& known = {});

// Whether every call site of the trace lies in one of the modules.
bool cover(const std::vector<Module>& modules, const std::vector<TraceEvent>& trace);

}  // namespace esox
