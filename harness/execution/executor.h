// SPDX-License-Identifier: Apache-2.0
// One execution of one input, from a fresh server to its record.
//
// The steps, each execution the same:
//   1. a server from the template (isolation `restart`), the preload asleep in it;
//   2. the setup, on a connection of our own; then the clients, one after the other, so that the
//      preload learns whose connection is whose, each with its session setup;
//   3. the server settles: all its threads sleep;
//   4. armed; all clients send their first request; the preload schedules; each client sends its
//      next request as soon as it has its reply;
//   5. all sessions over: disarmed; warnings of the last requests, state summary;
//   6. the server is killed.
// A serial order is executed in the same way, by the strategy `serial`.
//
// An Executor is used by one thread. Errors that concern the input (its setup fails) are
// SetupError; errors of the server or the machine are ServerError. What happens in step 4 and 5 is
// never an exception: it is the record's ending.
#pragma once

#include <atomic>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "analysis/execution_record.h"
#include "harness/client/client.h"
#include "harness/execution/control.h"
#include "harness/server/server.h"
#include "inputs/input.h"

namespace esox {

// what() names the input, the statement and the server's error, in one line.
class SetupError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct ExecutorOptions {
  std::filesystem::path preload_library;
  std::filesystem::path base;  // of private folders
  ControlSettings control;
  std::chrono::milliseconds settle_limit{500};  // of each rest during setup
  std::chrono::milliseconds arrival_limit{10'000};
  // No heartbeat for so long while a thread should be running: it is lost outside control.
  std::chrono::milliseconds stall_limit{3'000};
  std::chrono::milliseconds execution_limit{60'000};
};

struct ExecutionPlan {
  const ConcreteInput* input = nullptr;
  StrategySpec strategy;
  std::string strategy_text;
  uint64_t seed = 0;
  uint64_t number = 0;
  uint64_t expected_points = 0;
  std::vector<uint64_t> expected_points_of;
  std::vector<ThreadId> serial_order;
  std::vector<size_t> requests;  // only so many of each client are sent; empty: all
  std::vector<Choice> choices;
  std::vector<uint64_t> values;
  int64_t clock_base_ns = 0;
};

struct ExecutionReport {
  ExecutionRecord record;
  uint64_t offered = 0;              // scheduling points at which the strategy was asked
  std::vector<uint64_t> offered_of;  // by client
  uint64_t points = 0;
  uint64_t switches = 0;
  uint64_t external_wakes = 0;
  uint64_t external_lock_waits = 0;
  uint64_t timer_firings = 0;
  uint32_t diverged = 0;  // serial: steps that were not serial; replay: choices not followed
  double boot_ms = 0;
  double total_ms = 0;
  std::vector<std::string> server_command_line;
};

class Executor {
 public:
  // `server` must outlive it and be prepared.
  Executor(Server& server, ExecutorOptions options);
  ~Executor();

  ExecutionReport run(const ExecutionPlan& plan);

  // From another thread: ends what runs as soon as possible; run() then throws Interrupted.
  struct Interrupted {};
  void interrupt();

 private:
  class Run;
  Server& server_;
  ExecutorOptions options_;
  ControlMemory control_;
  std::unique_ptr<PrivateDirectory> directory_;
  std::atomic<bool> interrupted_{false};
};

}  // namespace esox
