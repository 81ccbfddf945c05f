// SPDX-License-Identifier: Apache-2.0
// The seam of execution: all that judges, explores and explains executions knows no more of how
// they are made than this. server_executor.h makes them on a real server; the unit tests' simulated
// server makes thousands a second.
//
// Every execution begins in the state after its input's setup, which no other one has touched. Two
// executions of one plan are the same execution, as far as the server is deterministic. What
// happens while the clients are served is never an exception: it is the record's ending. A serial
// order is executed in the same way, by the strategy `serial`.
//
// An Executor is used by one thread, but for interrupt() and interrupted().
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/process/server_error.h"
#include "harness/engine/execution.h"
#include "harness/engine/execution_meter.h"
#include "harness/engine/run_lives.h"
#include "summaries/row_log.h"

namespace esox {

class Executor {
 public:
  Executor() = default;
  virtual ~Executor() = default;
  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;

  // Throws SetupError: the input's own; ServerError: of the server or the machine; Interrupted.
  virtual ExecutionReport run(const ExecutionPlan& plan) = 0;
  // Answers to requests in states that the row log of an execution of this plan's input tells;
  // as many as there are questions. What cannot be asked is an answer that says so.
  virtual std::vector<StateAnswer> answer(const ExecutionPlan& plan, const RowLog& log,
                                          std::span<const StateQuestion> questions) {
    static_cast<void>(plan);
    static_cast<void>(log);
    return std::vector<StateAnswer>(
        questions.size(), {.output = {}, .unjudged = "no server can be asked in another state"});
  }
  // How its servers came to life, since the beginning.
  virtual const RunLives& lives() const = 0;
  // Of the servers that are kept between executions; 0 where none is.
  virtual uint64_t memory_kib() const = 0;

  // From another thread: ends what runs as soon as possible; run() then throws Interrupted.
  struct Interrupted {};
  void interrupt() { interrupted_.store(true); }
  bool interrupted() const { return interrupted_.load(); }

 protected:
  std::atomic<bool> interrupted_{false};
};

// What one executor is to do otherwise than the others of its factory.
struct ExecutorWishes {
  ExecutionMeter* meter = nullptr;     // told of each run; outlives the executor
  bool restart = false;                // a server of its own for each execution
  std::optional<uint64_t> step_limit;  // where an execution ends as a hang, its threads parked
};

// Any thread may ask; what the executors need outlives them.
using ExecutorFactory = std::function<std::unique_ptr<Executor>(const ExecutorWishes&)>;

}  // namespace esox
