// SPDX-License-Identifier: Apache-2.0
// What a hunt knows of itself: the one source for hunt.json, the progress line and the summary.
//
// Plain data. The hunt changes it under its lock and hands out copies.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analysis/verdict.h"
#include "harness/engine/run_lives.h"
#include "harness/records/filter_account.h"
#include "harness/records/shard.h"
#include "harness/records/worker_time.h"

namespace esox {

struct HuntFinding {
  std::string id;
  std::string input;
  std::string title;
  std::string engine;   // empty: the input names none
  std::string setting;  // empty: the input as it is
  VerdictClass verdict = VerdictClass::kNone;
  bool latent = false;
  uint64_t hits = 0;
  uint64_t executions = 0;  // of this input on this engine, so far
  uint64_t first_execution = 0;
  uint64_t seed = 0;  // of the first execution
  std::vector<std::string> cause;
  std::vector<std::string> brief;  // for people: statements, expected, seen
  std::filesystem::path folder;    // empty: could not be written
  // Known once it has been diagnosed and minimised (harness/findings/minimise/after_hunt.h).
  std::string critical;  // the switch that decides, in a sentence; empty: none known
  std::string smaller;   // "2 of 5 requests, 1 of 9 setup statements"; empty: not minimised
};

// A violation that its own schedule did not give again. Never a finding, never hidden.
struct UnconfirmedViolation {
  std::string input;
  std::string engine;
  std::string setting;
  VerdictClass verdict = VerdictClass::kNone;
  std::vector<std::string> cause;
  std::string doubt;
  uint64_t hits = 0;
  uint64_t first_execution = 0;
  uint64_t seed = 0;
};

// Places not compared, because equal serial runs differ there.
struct InputMasks {
  struct Place {
    std::string name;
    uint64_t orders = 0;
  };
  std::string input;
  std::string engine;
  std::string setting;
  std::vector<Place> places;
};

// What was seen of one input (analysis/coverage.h), or of all.
struct CoverageFigures {
  uint64_t judged = 0;          // executions that count here
  uint64_t schedules = 0;       // distinct ones, up to equivalence
  uint64_t schedules_once = 0;  // of them, seen once
  uint64_t outcomes = 0;
  uint64_t outcomes_once = 0;
  uint64_t pairs = 0;            // of conflicting places that followed each other
  uint64_t pairs_both_ways = 0;  // of them, in both orders
  uint64_t sites = 0;            // conflicting ones that were learnt

  // Of the next execution: its schedule, its outcome is new. 1 where nothing was seen.
  double unseen_schedules() const { return share(schedules_once); }
  double unseen_outcomes() const { return share(outcomes_once); }
  void add(const CoverageFigures& more);

 private:
  double share(uint64_t once) const {
    return judged == 0 ? 1 : static_cast<double>(once) / static_cast<double>(judged);
  }
};

// Trouble that good executions foretold (foretold.h). Never a finding; what came true is one
// besides.
struct HuntWarning {
  std::string id;
  std::vector<std::string> lines;  // for people
  uint32_t tried = 0;              // executions that were scheduled so that it would come true
  uint32_t hits = 0;               // of them, how many ended in a violation
};

// How far a search of all schedules of one input has come (harness/search/exhaustive).
struct SearchFigures {
  std::string said;  // "exhausted: no violation within 1 preemption (...)"; empty: there was none
  bool exhausted = false;
};

// Of the portfolio (portfolio.h): how many executions a strategy had that were judged, and what
// they earned.
struct ArmFigures {
  std::string strategy;
  uint64_t judged = 0;
  double earned = 0;
};

// What was done with one input on one engine under one setting.
struct InputFigures {
  std::string input;
  std::string engine;
  std::string setting;
  std::string title;
  size_t clients = 0;       // n: the threads that were scheduled
  uint64_t points = 0;      // k: at most so many scheduling points in a serial order; 0: none run
  uint64_t executions = 0;  // concurrent ones; 0: it was not reached
  uint64_t degraded = 0;    // of them, not judged
  uint64_t violations = 0;  // of them, with a confirmed cause
  uint64_t findings = 0;    // distinct causes
  std::string yield;        // as yield_name() says (yield.h); empty: it was not reached
  CoverageFigures coverage;
  std::vector<ArmFigures> arms;  // none: one strategy had all executions
  SearchFigures search;
  std::vector<HuntWarning> warnings;
};

struct SkippedInput {
  std::string input;
  std::string engine;  // empty: on all engines asked for
  std::string setting;
  std::string why;
};

struct GateReport {
  unsigned runs = 0;  // pairs of executions with one seed
  unsigned same_trace = 0;
  unsigned same_outcome = 0;
  std::vector<std::string> differences;  // one line each

  bool trusted() const { return same_outcome == runs; }
};

struct HuntReport {
  std::string id;  // of HuntOrder; empty: nothing is kept of it
  std::optional<ShardPlace> shard;
  std::string esox_version;
  std::string server_version;
  std::string server_path;
  std::vector<std::string> server_options;

  uint64_t seed = 0;
  std::string strategy;
  bool learn = false;
  std::vector<std::string> engines;
  unsigned jobs = 1;
  uint64_t executions_each = 0;  // at most, per input and engine
  std::optional<double> budget_s;

  std::string started;  // UTC, ISO 8601
  double seconds = 0;
  bool ended = false;        // false in a file that a killed hunt left behind
  bool interrupted = false;  // by a signal
  std::string failure;       // why it ended early; empty: it did not

  size_t inputs = 0;        // distinct ones
  size_t explorations = 0;  // inputs times engines
  size_t touched = 0;       // explorations with at least one batch begun
  uint64_t executions = 0;  // concurrent ones
  uint64_t planned = 0;     // concurrent ones, had we the time
  uint64_t degraded = 0;
  uint64_t serial_executions = 0;
  uint64_t serial_steps = 0;      // of graphs of serial states (analysis/serial_graph.h)
  uint64_t serial_states = 0;     // reached by them
  uint64_t replays = 0;           // to confirm violations
  uint64_t memory_kib = 0;        // the most that esox and its kept servers held together
  RunLives lives;                 // of all workers' servers
  uint64_t server_failures = 0;   // starts that failed and succeeded when tried again
  uint64_t workers_replaced = 0;  // with their servers, since an execution did not end
  WorkerTime time;

  std::map<std::string, uint64_t> degraded_reasons;  // text -> executions
  std::vector<HuntFinding> findings;                 // in the order found
  std::vector<UnconfirmedViolation> unconfirmed;
  FilterAccount filters;
  std::vector<InputMasks> nondeterminism;
  std::vector<SkippedInput> skipped;
  std::vector<InputFigures> figures;  // of all explorations, in their order
  std::string not_summarised;         // parts of the state that this server does not tell, and why
  std::optional<GateReport> gate;

  double executions_per_second() const { return seconds > 0 ? double(executions) / seconds : 0; }
  uint64_t unconfirmed_hits() const;
  CoverageFigures coverage() const;  // of all explorations
};

// hunt.json. Folders are absolute there. Bytes that are no UTF-8 are replaced.
std::string report_json(const HuntReport& report);

}  // namespace esox
