// SPDX-License-Identifier: Apache-2.0
// A simulated server behind the seam of execution (harness/engine/executor.h): in this process,
// deterministic, thousands of executions a second. Its clients talk to a Store, one simulated
// thread each, scheduled by the strategies that real servers are scheduled by. Traces, choices,
// stamps, replies and state are those of what was executed.
//
// Not simulated: data choices, and points that a filter of conflicts leaves out.
//
// What can go wrong with a server, its machine or its esox is switched on in SimulatedServer. One
// server may have many executors, of several threads.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string>

#include "harness/engine/executor.h"
#include "tests/simulated/store.h"

namespace esox::simulated {

struct SimulatedServer {
  Faults faults;
  bool replays_are_sound = false;        // the faults are not there in a replay
  uint64_t degrade_each = 0;             // each so-many-th run loses control; 0: none
  std::set<std::string> failing_setups;  // ids of inputs
  std::set<std::string> failing_starts;  // the same: with their options no server starts
  uint64_t failing_runs = 0;             // so many runs from the first one find no server
  std::string endless;                   // id of an input whose executions do not end
  bool late_wakes = false;  // by threads of its own: whoever is impatient finds a deadlock
  uint64_t moved_each = 0;  // each so-many-th run is scheduled by another seed: no determinism
  std::function<void(uint64_t run)> before_run;  // counted from 1, over all executors

  std::atomic<uint64_t> runs{0};
  std::atomic<uint64_t> executors{0};
  std::atomic<uint64_t> interruptions{0};

  // The server outlives them.
  ExecutorFactory factory();
};

class SimulatedExecutor final : public Executor {
 public:
  SimulatedExecutor(SimulatedServer& server, const ExecutorWishes& wishes);

  ExecutionReport run(const ExecutionPlan& plan) override;
  const RunLives& lives() const override { return lives_; }
  uint64_t memory_kib() const override { return 1000; }

 private:
  static void give_up(ExecutionReport& report, const ExecutionPlan& plan);
  void fail_if_told(const ExecutionPlan& plan, uint64_t run);
  void wait_for_the_end();

  SimulatedServer& server_;
  ExecutorWishes wishes_;
  RunLives lives_;
};

// An input of these requests, a client each list; clients are called A, B, ...
ConcreteInput input_of(const std::string& id,
                       const std::vector<std::vector<std::string>>& requests);

}  // namespace esox::simulated
