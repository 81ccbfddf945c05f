// SPDX-License-Identifier: Apache-2.0
// One line of executions by snapshots: a server booted once, set up once for each input, forked for
// each execution.
//
//   booted   a server in an enclosure, settled and parked; its files are the origin
//    +- set up   a child of it that ran the input's setup, its clients connected and idle; parked
//        +- run      a child of that: one execution, then rewound for the next one, or killed
//
// The files of "set up" and "run" are copies on the enclosure's memory file system, brought back to
// the state of the process that is forked, just before it is (harness/engine/snapshot/files.h).
//
// A run that is to be fresh does not end the one that waits for its next life, which has all its
// pages and is several times as fast: it has a nest and files of its own beside that one, for a
// file's locks are that one's.
//
// All live on the control block given; so one of them runs at a time. Used by one thread.
// Everything ends with the object, or with this process.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "analysis/execution_record.h"
#include "harness/engine/control.h"
#include "harness/engine/execution.h"
#include "harness/engine/execution_meter.h"
#include "harness/engine/run_lives.h"
#include "harness/engine/session.h"
#include "harness/engine/snapshot/files.h"
#include "harness/engine/snapshot/process.h"
#include "inputs/input.h"
#include "targets/server.h"
#include "targets/target.h"

namespace esox {

struct SnapshotServerOptions {
  std::filesystem::path preload_library;
  std::filesystem::path base;  // of private folders
  ControlSettings control;
  std::chrono::milliseconds settle_limit{500};
  bool contexts = false;                       // some executions schedule the server's own threads
  uint64_t store_bytes = kStoreBytes;          // of memory for the files of its children
  bool rewind = true;                          // runs; false: each is forked
  SnapshotStep fail_at = SnapshotStep::kNone;  // for tests: where every run fails to be forked
  ExecutionMeter* meter = nullptr;             // told of each server that is booted
};

class SnapshotServer {
 public:
  // `server` is prepared; it, `control` and `lives` outlive it. Throws ServerError.
  SnapshotServer(Server& server, SnapshotServerOptions options, ControlMemory& control,
                 RunLives& lives);
  ~SnapshotServer();
  SnapshotServer(const SnapshotServer&) = delete;
  SnapshotServer& operator=(const SnapshotServer&) = delete;

  // Up to "set up". Does nothing if that is where it is. Throws SnapshotRefused if this
  // server or machine cannot do it, TemplateLost, SetupError, ServerError.
  void prepare(const ConcreteInput& input, int64_t clock_base_ns, StepTimes& times);
  // A run, at that date; its control block is that of "set up". `fresh`: forked, never rewound. The
  // last run must have been stopped or given back. Throws SnapshotRefused, TemplateLost,
  // ServerError.
  std::unique_ptr<RunningServer> fork(int64_t clock_base_ns, bool fresh, StepTimes& times);
  // A run whose execution ended well: it may be used for the next one.
  void give_back(std::unique_ptr<RunningServer> run);
  // Why that run never came to life; empty if it did.
  std::string last_words(RunningServer& run);

  Session& session() { return *session_; }
  const std::vector<Module>& modules() const { return modules_; }
  // Of its templates and the run that waits for its next life, in proportion where they share; 0
  // before the first boot. Takes about 1 ms.
  uint64_t memory_kib() const;
  // Of the enclosure with all these servers; -1 before the first boot.
  int pidfd() const { return first_ ? first_->pidfd() : -1; }
  // Goes back to nothing; the next prepare() boots.
  void discard();

 private:
  class Run;
  void await_rewound();
  void prepare_fresh_nest();
  std::unique_ptr<Run> forked(SnapshotProcess::Fork request);
  void boot(const Target& target, const Input& input, int64_t clock_base_ns);
  void make_template(const Target& target, const Input& input, int64_t clock_base_ns);
  void let_pass(std::chrono::milliseconds time);
  void let_timers_come();
  void set_up();
  std::string folder_of_copy(unsigned number) const;  // as the server sees it
  std::filesystem::path our_folder_of_copy(unsigned number) const;
  NestPlan nest(uint32_t number, unsigned copy) const;

  Server& server_;
  SnapshotServerOptions options_;
  ControlMemory& control_;
  std::unique_ptr<PrivateDirectory> folder_;
  std::unique_ptr<PrivateDirectory> store_;
  std::unique_ptr<Enclosure> enclosure_;
  std::unique_ptr<RunningServer> first_;  // the enclosure's first process
  std::unique_ptr<SnapshotProcess> booted_;
  std::vector<std::string> booted_options_;
  std::vector<Module> booted_modules_;
  std::vector<char> booted_control_;
  std::unique_ptr<FileCopy> set_up_files_;
  std::unique_ptr<FileCopy> run_files_[2];  // by nest
  std::unique_ptr<SnapshotProcess> set_up_;
  Input input_;  // that was set up; the session refers to it
  std::vector<char> set_up_control_;
  FileState set_up_state_;
  std::unique_ptr<Session> session_;
  std::vector<Module> modules_;
  std::unique_ptr<Run> kept_;    // being rewound
  bool kept_waits_ = false;      // it is, and waits for its next life
  bool has_fresh_nest_ = false;  // of "set up"
  std::unique_ptr<Run> ended_;   // of the setup before, and dying
  RunLives& lives_;
  unsigned refused_in_a_row_ = 0;  // to be rewound, since the setup
};

}  // namespace esox
