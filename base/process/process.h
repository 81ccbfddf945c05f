// SPDX-License-Identifier: Apache-2.0
// A child process under our control, from start to reaping.
//
// The child: address randomisation off (call sites mean the same in every execution), killed by the
// kernel if we die (see process.cpp), in a session of its own, no core files, default signal
// dispositions, /dev/null or a file as its input, a log file as its output and errors, no other
// descriptor of ours, and a small fixed environment plus what the plan adds.
//
// A program of another release of the system is run by that one's loader (own_loader.h).
//
// It is only ever signalled through its pidfd, which cannot mean another process by mistake, as a
// recycled pid could.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/process/enclosure.h"
#include "base/process/unique_fd.h"

namespace esox {

struct ProcessPlan {
  std::filesystem::path program;
  std::vector<std::string> arguments;    // without the program's own name
  std::vector<std::string> environment;  // "NAME=value", replacing what is there
  std::filesystem::path folder;          // where it runs; must exist
  std::filesystem::path log;             // made, or emptied
  std::filesystem::path input = "/dev/null";
  // Not null: the program runs in namespaces of its own, and pid() and pidfd() are those of their
  // first process, which ends as the program does. Must outlive the Process.
  const Enclosure* enclosure = nullptr;
  int output = -1;  // not -1: an open descriptor that takes the log's place
};

// This process's own environment, as a plan takes it.
std::vector<std::string> own_environment();

struct ExitStatus {
  int signal = 0;  // that killed it; 0: it exited
  int code = 0;    // of the exit
};

// "killed by SIGKILL", "exit status 1".
std::string text_of(const ExitStatus& status);

class Process {
 public:
  // Returns once the program runs. Throws ServerError if it cannot be run: missing, not executable,
  // wrong architecture, no more processes.
  explicit Process(const ProcessPlan& plan);
  ~Process() { kill(); }
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  pid_t pid() const { return pid_; }
  int pidfd() const { return pidfd_.get(); }
  // Any thread may call these.
  bool alive() { return !wait(std::chrono::milliseconds(0)).has_value(); }
  // Waits for its end, at most so long; nothing if it goes on.
  std::optional<ExitStatus> wait(std::chrono::milliseconds limit);
  void terminate();  // SIGTERM
  void kill();       // SIGKILL, and waits; nothing to do if it has ended

 private:
  void reap(int options);
  void send(int signal);

  pid_t pid_ = -1;
  bool enclosed_ = false;
  UniqueFd pidfd_;
  std::mutex mutex_;  // guards status_ and the reaping
  std::optional<ExitStatus> status_;
};

}  // namespace esox
