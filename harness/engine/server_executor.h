// SPDX-License-Identifier: Apache-2.0
// Executes on a real server: one input, from the state after its setup to its record.
//
// The steps, each execution the same:
//   1. a server, the preload asleep in it;
//   2. the setup, on a connection of our own; then the clients, one after the other, so that the
//      preload learns whose connection is whose, each with its session setup (session.h);
//   3. the server settles: all its threads sleep;
//   4. armed; all clients send their first request; the preload schedules; each client sends its
//      next request as soon as it has its reply;
//   5. all sessions over: disarmed; warnings of the last requests, state summary;
//   6. the server is killed, or rewound to step 4 for the next execution (snapshot_server.h);
//   7. if it wrote a binary log unlike those before, that is replayed on another server, in the
//      state after step 3, and what it gives is compared with the state (replayed_logs.h).
//
// Isolation says how an execution gets a state that no other one has touched. `restart`: each has a
// server of its own, from step 1 on. `snapshot`: a server is brought to the end of step 3 once, and
// forked for each execution (snapshot_server.h): the same state to the byte, some sixty times
// as fast. Not every machine and not every server allows it; `auto` then falls back to restart and
// says why. If only some input's server does not (it has a file open that cannot be opened again),
// that input alone is executed by restart. A server that was kept for it and is lost (the machine
// ran out of memory) is made anew, and the execution made again; a few times in a row only.
#pragma once

#include <list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/engine/control.h"
#include "harness/engine/executor.h"
#include "harness/engine/executor_options.h"
#include "harness/engine/replayed_logs.h"
#include "harness/engine/snapshot_server.h"
#include "inputs/input.h"
#include "targets/server.h"

namespace esox {

struct RunContext;  // run.h

class ServerExecutor final : public Executor {
 public:
  // `server` must outlive it and be prepared.
  ServerExecutor(Server& server, ExecutorOptions options);
  ~ServerExecutor() override;

  ExecutionReport run(const ExecutionPlan& plan) override;
  std::vector<StateAnswer> answer(const ExecutionPlan& plan, const RowLog& log,
                                  std::span<const StateQuestion> questions) override;
  const RunLives& lives() const override { return lives_; }
  uint64_t memory_kib() const override;

  // What it does now; never kAuto once something was run.
  Isolation isolation() const { return isolation_; }
  // Why executions are made by restart although `auto` was asked for; empty if they are not.
  const std::string& fallback_reason() const { return fallback_reason_; }
  // How many different logs of the input at hand were replayed so far.
  size_t replayed_logs() const { return replayed_logs_.size(); }

 private:
  ExecutionReport run_once(const ExecutionPlan& plan);
  ExecutionReport run_restart(const ExecutionPlan& plan);
  ExecutionReport run_snapshot(const ExecutionPlan& plan);
  // A server kept for snapshots, with a control block of its own: others may be parked on theirs.
  struct Booted {
    ControlMemory control;
    std::unique_ptr<SnapshotServer> snapshots;
    std::vector<std::string> options;  // of the server
  };
  Booted& booted_for(const Input& input);
  void drop_booted();
  RunContext context(const ExecutionPlan& plan, ControlMemory& control) const;
  bool by_restart(const ExecutionPlan& plan) const;
  ExecutionReport run_as_exception(const ExecutionPlan& plan, const std::string& reason);
  void do_without(const std::string& reason);  // snapshots, from now on
  void add_replayed_log(const ExecutionPlan& plan, ExecutionReport& report);
  ReplayedLog replay(const ExecutionPlan& plan, const WrittenLog& log);
  std::string use_set_up(const ExecutionPlan& plan, const SetUpUse& use);

  Server& server_;
  ExecutorOptions options_;
  ControlMemory control_;  // restart
  Isolation isolation_;
  std::string fallback_reason_;
  std::unique_ptr<PrivateDirectory> directory_;  // restart: made when first needed
  RunLives lives_;
  std::list<Booted> booted_;        // snapshot: the one used last comes first
  std::optional<Input> exception_;  // the input at hand, if it alone cannot be forked
  unsigned exceptions_in_a_row_ = 0;
  ReplayedLogs replayed_logs_;
};

// `server` and what the options point at outlive the executors.
ExecutorFactory server_executors(Server& server, ExecutorOptions options);

}  // namespace esox
