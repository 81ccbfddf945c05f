// SPDX-License-Identifier: Apache-2.0
// One execution as it is asked for and as it is reported: plain data, of any executor (executor.h).
//
// Pointers of a plan are the caller's and outlive the execution. Clients are numbered as in the
// input; points are scheduling points at which the strategy was asked.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "analysis/conflicts.h"
#include "analysis/execution_record.h"
#include "analysis/serial_run.h"
#include "inputs/input.h"
#include "preload/protocol/object_points.h"
#include "preload/protocol/strategy_spec.h"
#include "preload/protocol/waiting.h"
#include "targets/replayable_log.h"

namespace esox {

// what() names the input, the statement and the server's error, in one line.
class SetupError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct ExecutionPlan {
  const ConcreteInput* input = nullptr;
  StrategySpec strategy;
  std::string strategy_text;
  uint64_t seed = 0;
  uint64_t number = 0;
  uint64_t expected_points = 0;
  std::vector<uint64_t> expected_points_of;
  std::vector<ObjectPoints> shared_objects;  // shared_objects.h
  std::vector<ThreadId> serial_order;
  std::vector<size_t> requests;        // only so many of each client are sent; empty: all
  std::vector<size_t> first_requests;  // from this one on, of each client; empty: from the first
  RequestSet without;                  // of those, these are left out (a serial order without them)
  std::vector<Choice> choices;
  std::vector<uint64_t> values;
  const ConflictTable* conflicts = nullptr;  // the filter; null: none
  int64_t clock_base_ns = 0;
  bool replies_only = false;  // the state is not asked for
  bool impatient = false;     // a wait that nobody can end is given up at once, nearly
  bool contexts = false;      // threads of the server's own are scheduled, too
  ContextsFirst contexts_first = ContextsFirst::kNo;  // of a serial order
  bool fresh = false;  // on a server in which nothing else was executed before, rewound or not
};

// What the steps of an execution took. Zero where a step was not needed.
struct StepTimes {
  double boot_ms = 0;         // of the server, if this execution needed a new one
  double set_up_ms = 0;       // of the input, if it is another one than before
  double files_ms = 0;        // brought back to the state after setup
  bool rewound = false;       // the run's server had lived before
  double fork_ms = 0;         // asked until the child is there, or is rewound
  double descriptors_ms = 0;  // within the child: made anew
  double threads_ms = 0;      // within the child: made anew
  double run_ms = 0;          // until the sessions are over; the child's own steps are part of it
  double state_ms = 0;        // the state summary
  double end_ms = 0;          // told to rewind; or killed, and gone
};

inline double ms_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
      .count();
}

struct ExecutionReport {
  ExecutionRecord record;
  std::optional<WrittenLog> written_log;  // that can be replayed
  uint64_t offered = 0;                   // scheduling points at which the strategy was asked
  std::vector<uint64_t> offered_of;       // by client
  uint64_t points = 0;
  uint64_t switches = 0;
  uint64_t external_wakes = 0;
  uint64_t external_lock_waits = 0;
  uint64_t timer_firings = 0;
  std::vector<WaitingThread> decisions;  // under strategy prefix (told_schedule.h)
  bool given_up = false;                 // it was impatient, and ended for that in a deadlock
  uint32_t diverged = 0;  // serial: steps that were not serial; replay: choices not followed
  double boot_ms = 0;
  double total_ms = 0;
  StepTimes steps;
};

}  // namespace esox
