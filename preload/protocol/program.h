// SPDX-License-Identifier: Apache-2.0
// The part of the control block that is for programs of which each execution is a fork
// (preload/program/fork_server.h).
//
// The program is started once, with the preload in it, and runs to its fork point. There it stays,
// and for every execution that the harness asks for makes a child, in which the program goes on.
// They talk by counters in shared memory and no descriptor, for a program may close all it has:
//
//   preload                                harness
//   ready = 1, waits for `asked`    --->   fills in the configuration, phase kArming
//   reaps the last child, forks     <---   ++asked
//   child, waits for its end        --->   waits for ended == asked; may kill the child meanwhile
//   ended = asked                   --->   reads status and results
//
// An ended child is reaped only when the next one is asked for: until then its number is nobody
// else's, and may be killed by whoever is late.
#pragma once

#include <atomic>
#include <cstdint>

namespace esox {

// ProgramForks::asked: the last child is reaped, whatever it left behind ended, and the process
// with it.
inline constexpr uint32_t kNoMoreForks = UINT32_MAX;

enum class ForkPoint : uint32_t {
  kNone = 0,         // no forks: the process is the execution
  kFirstThread = 1,  // before the first thread is made: what comes before is done once
  kStart = 2,        // before any code of the program and its libraries' constructors
};

// Why a program cannot be forked at its first thread: what it has by then would be shared by all
// executions, or be missing in them.
enum class ForkObstacle : uint32_t {
  kNone = 0,
  kDescriptor = 1,    // a pipe, socket, file open for writing, ...
  kSharedMemory = 2,  // a mapping that forks share
  kChildren = 3,      // processes of its own
  kTimers = 4,        // which forks do not inherit
  kThreads = 5,       // threads of which we do not know
};

struct ProgramForks {
  // Configuration, by the harness.
  ForkPoint point;
  uint32_t attended;          // 1: crashed, deadlocked and hanging children wait to be looked at
  uint64_t virtual_limit_ns;  // an execution that lets more time pass hangs; 0: no limit

  // Live. Futexes: ready, asked, ended.
  std::atomic<uint32_t> ready;  // 1: at the fork point; 2: cannot be forked here, see obstacle
  std::atomic<uint32_t> asked;
  std::atomic<uint32_t> ended;
  std::atomic<int32_t> child;  // of the execution asked for last; 0: not made yet

  // Results.
  ForkObstacle obstacle;
  int32_t obstacle_fd;             // kDescriptor: which one
  int32_t error;                   // errno of the fork, 0: it was made
  int32_t status_code;             // of the child's end, as in siginfo_t: CLD_EXITED, ...
  int32_t status;                  // exit status or signal
  std::atomic<uint32_t> replaced;  // the process became another program (exec)
};

}  // namespace esox
