// SPDX-License-Identifier: Apache-2.0
// A program under test, started once and forked for each execution: the harness's side of
// preload/program/fork_server.h.
//
// The program runs on the core of the thread that makes this. Its standard input is /dev/null. It
// and its forks end with this object, whatever they are doing, and with esox, however that ends.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "analysis/execution_record.h"
#include "base/process/process.h"
#include "harness/engine/stacks.h"
#include "harness/programs/output_file.h"
#include "harness/programs/program_target.h"

namespace esox {

// One execution to be made.
struct ProgramSpec {
  StrategySpec strategy;
  uint64_t seed = 0;
  uint64_t expected_points = 0;
  std::vector<uint64_t> expected_points_of;  // by thread, of the first ones; may be empty
  std::vector<ObjectPoints> shared_objects;  // shared_objects.h; may be empty
  uint32_t expected_threads = 0;
  std::vector<Choice> choices;  // for strategies replay and prefix
  std::vector<uint64_t> values;
  std::chrono::milliseconds limit{10'000};  // of real time
  bool attended = false;                    // takes the stacks of what crashed, deadlocked or hangs
};

// How an execution ended. What it did is asked for where it matters: the calls below.
struct ProgramEnd {
  ControlEnding ending = ControlEnding::kNone;  // kNone: it ended by itself, see status
  ExitStatus status;
  uint32_t degraded = 0;  // DegradedReason bits
  uint64_t points = 0;
  uint64_t offered = 0;
  std::array<uint64_t, kMaxClients> offered_of{};  // by thread, of the first ones
  uint64_t switches = 0;
  uint32_t diverged = 0;
  uint32_t threads = 0;       // the main one included
  uint32_t live_threads = 0;  // at the end: neither ended nor detached, the main one left out
  bool out_of_time = false;   // of real time
  bool out_of_virtual_time = false;
  bool too_much_output = false;
  bool replaced = false;       // it became another program
  bool stopped = false;        // esox was told to stop: this says nothing
  uint64_t crash_pc = 0;       // of a fatal signal, 0: not known
  uint64_t crash_address = 0;  // that could not be accessed
  ThreadId crash_thread = kNoThread;
  std::vector<ThreadStack> stacks;  // of an attended one
};

class ProgramServer {
 public:
  // Starts the program and lets it run to its fork point. `stop` ends every wait soon. Throws
  // ServerError where the program cannot be run, or not under control, or makes no thread.
  ProgramServer(const ProgramTarget& target, const std::atomic<bool>& stop);
  ~ProgramServer();
  ProgramServer(const ProgramServer&) = delete;
  ProgramServer& operator=(const ProgramServer&) = delete;

  // Throws ServerError if the program's own process is gone.
  ProgramEnd run(const ProgramSpec& spec);

  // Which memory accesses are scheduling points of the executions from here on.
  void offer(const AccessSettings& accesses) { target_.accesses = accesses; }
  // Whether the program was built to tell them; known after an execution.
  bool tells_accesses() { return control_.block().accesses_seen.told != 0; }
  // Of the last execution, if it was to learn.
  std::vector<uint64_t> learned_sites() const { return control_.learned_sites(); }

  // Of the last execution. The record's number, seed and strategy are for the caller to fill in.
  ExecutionRecord record() const;
  std::vector<CycleEntry> waiting() const;       // of a deadlock or a hang
  std::vector<uint64_t> routines() const;        // by thread: the function it was made to run
  std::vector<WaitingThread> decisions() const;  // under strategy prefix
  std::string output() const { return output_before_ + output_.text(); }

  // Where executions begin, and why not at the first thread; empty: they do.
  bool forks_at_start() const { return forks_at_start_; }
  const std::string& obstacle() const { return obstacle_; }
  const std::vector<Module>& modules() const { return modules_; }

 private:
  void start(bool at_start);
  void await_fork_point();
  [[noreturn]] void tell_no_fork_point(const ExitStatus& status);
  void ask(const ProgramSpec& spec);
  void await_end(const ProgramSpec& spec, ProgramEnd& end);
  bool look_after(ProgramEnd& end);
  void take_stacks_of_child(ProgramEnd& end);
  void kill_child();
  void read_end(ProgramEnd& end);
  ProgramForks& forks() { return control_.block().forks; }

  ProgramTarget target_;
  const std::atomic<bool>& stop_;
  ControlMemory control_;
  OutputFile output_;
  std::string output_before_;  // the fork point, where that is not the start
  std::unique_ptr<Process> process_;
  std::vector<Module> modules_;
  std::string obstacle_;
  bool forks_at_start_ = false;
  uint32_t asked_ = 0;
  uint32_t name_bytes_ = 0;  // at the fork point
};

}  // namespace esox
