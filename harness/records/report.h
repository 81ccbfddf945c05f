// SPDX-License-Identifier: Apache-2.0
// What a hunt knows of itself: the one source for hunt.json, the progress line and the summary.
//
// Plain data. The hunt changes it under its lock and hands out copies. Each struct has its field
// list beside it (base/record/record.h), by which it is written, read and added.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analysis/verdict.h"
#include "harness/engine/run_lives.h"
#include "harness/records/counts.h"
#include "harness/records/filter_account.h"
#include "harness/records/kind_matrix.h"
#include "harness/records/rate_text.h"
#include "harness/records/shard.h"
#include "harness/search/exhaustive/preemption_pass.h"

namespace esox {

struct HuntFinding : InputKey {
  std::string id;
  std::string title;
  VerdictClass verdict = VerdictClass::kNone;
  bool latent = false;
  uint64_t hits = 0;
  uint64_t executions = 0;  // of this input on this engine, so far
  uint64_t draws = 0;       // of them, judged fresh draws (rate_text.h)
  uint64_t drawn_hits = 0;  // of those, how many gave it
  uint64_t first_execution = 0;
  uint64_t seed = 0;  // of the first execution
  std::vector<std::string> cause;
  std::string headline;               // for people: what is wrong, in one line
  std::vector<std::string> synopsis;  // for people: statements, expected, seen
  std::filesystem::path folder;       // empty: could not be written
  // The finding of this hunt that stands for all of its cause (triage/families.h); empty: not
  // asked.
  std::string family;
  // Known once it has been diagnosed and minimised (harness/findings/minimise/after_hunt.h).
  std::string critical;  // the switch that decides, in a sentence; empty: none known
  // What it needs beside its schedule (needed_choices.h), as far as is known by then; empty:
  // nothing.
  std::string choices;
  std::string smaller;     // "2 of 5 requests, 1 of 9 setup statements"; empty: not minimised
  std::string reproducer;  // reproducer_text() (reproducer_record.h); empty: not looked for
};

inline HitCounts hits_of(const HuntFinding& finding) {
  return {finding.first_execution, finding.executions, finding.draws, finding.drawn_hits};
}

void each_field(auto& f, Of<HuntFinding>) {
  f("id", &HuntFinding::id, kRequired);
  each_field(f, Of<InputKey>());
  f("class", &HuntFinding::verdict, kRequired);
  f("latent", &HuntFinding::latent);
  f("hits", &HuntFinding::hits);
  f("executions", &HuntFinding::executions);
  f("draws", &HuntFinding::draws);
  f("drawn_hits", &HuntFinding::drawn_hits);
  f("first_execution", &HuntFinding::first_execution);
  f("seed", &HuntFinding::seed);
  f("title", &HuntFinding::title);
  f("cause", &HuntFinding::cause);
  f("headline", &HuntFinding::headline);
  f("synopsis", &HuntFinding::synopsis, kOptional, "brief");
  f("family", &HuntFinding::family);
  f("critical", &HuntFinding::critical);
  f("choices", &HuntFinding::choices);
  f("smaller", &HuntFinding::smaller);
  f("reproducer", &HuntFinding::reproducer);
  f("folder", &HuntFinding::folder);
}

// The findings of one cause, as places in a report: first the one that stands for all.
using FamilyMembers = std::vector<size_t>;

// By `family`, in the order of their first findings; one that says none is its own.
std::vector<FamilyMembers> families_of(const std::vector<HuntFinding>& findings);

// A violation that its own schedule did not give again. Never a finding, never hidden.
struct UnconfirmedViolation : InputKey {
  VerdictClass verdict = VerdictClass::kNone;
  std::vector<std::string> cause;
  std::string doubt;
  uint64_t hits = 0;
  uint64_t first_execution = 0;
  uint64_t seed = 0;
};

void each_field(auto& f, Of<UnconfirmedViolation>) {
  each_field(f, Of<InputKey>());
  f("class", &UnconfirmedViolation::verdict, kRequired);
  f("hits", &UnconfirmedViolation::hits);
  f("first_execution", &UnconfirmedViolation::first_execution);
  f("seed", &UnconfirmedViolation::seed);
  f("doubt", &UnconfirmedViolation::doubt);
  f("cause", &UnconfirmedViolation::cause);
}

// Places not compared, because equal serial runs differ there.
struct InputMasks : InputKey {
  struct Place {
    std::string name;
    uint64_t orders = 0;
  };
  std::vector<Place> places;
  std::vector<std::string> replies;  // for people: of some, both values (synopsis.h)
};

void each_field(auto& f, Of<InputMasks::Place>) {
  f("place", &InputMasks::Place::name);
  f("orders", &InputMasks::Place::orders);
}
void each_field(auto& f, Of<InputMasks>) {
  each_field(f, Of<InputKey>());
  f("places", &InputMasks::places);
  f("replies", &InputMasks::replies);
}

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

 private:
  double share(uint64_t once) const {
    return judged == 0 ? 1 : static_cast<double>(once) / static_cast<double>(judged);
  }
};

void each_field(auto& f, Of<CoverageFigures>) {
  using Seen = CoverageFigures;
  f("judged", &Seen::judged, kSum);
  f("schedules", &Seen::schedules, kSum);
  f("schedules_once", &Seen::schedules_once, kSum);
  f.derived("unseen_schedules", [](const Seen& it) { return it.unseen_schedules(); });
  f("outcomes", &Seen::outcomes, kSum);
  f("outcomes_once", &Seen::outcomes_once, kSum);
  f.derived("unseen_outcomes", [](const Seen& it) { return it.unseen_outcomes(); });
  f("pairs", &Seen::pairs, kSum);
  f("pairs_both_ways", &Seen::pairs_both_ways, kSum);
  f("conflicting_sites", &Seen::sites, kSum);
}

// Trouble that good executions predicted (prediction.h). Never a finding; what came true is one
// besides.
struct HuntWarning {
  std::string id;
  std::vector<std::string> lines;  // for people
  uint32_t tried = 0;              // executions that were scheduled so that it would come true
  uint32_t hits = 0;               // of them, how many ended in a violation
};

void each_field(auto& f, Of<HuntWarning>) {
  f("id", &HuntWarning::id);
  f("lines", &HuntWarning::lines);
  f("tried", &HuntWarning::tried);
  f("hits", &HuntWarning::hits);
}

// How far a search of all schedules of one input has come (harness/search/exhaustive).
struct SearchFigures {
  std::string said;  // "exhausted: no violation within 1 preemption (...)"; empty: there was none
  bool exhausted = false;
};

void each_field(auto& f, Of<SearchFigures>) {
  f("said", &SearchFigures::said);
  f("exhausted", &SearchFigures::exhausted);
}
void each_place(auto& f, Of<SearchFigures>) {
  f(&SearchFigures::said, &SearchFigures::exhausted);
}

// Of the portfolio (portfolio.h): how many executions a strategy had that were judged, and what
// they earned.
struct ArmFigures {
  std::string strategy;
  uint64_t judged = 0;
  double earned = 0;
};

void each_field(auto& f, Of<ArmFigures>) {
  f("strategy", &ArmFigures::strategy);
  f("judged", &ArmFigures::judged);
  f("earned", &ArmFigures::earned);
}

// What was judged by who read what, of one input or of all of one isolation level.
struct TransactionFigures {
  std::string level;
  std::string forbids;                      // "G0, G1a, ..., nor stale read"
  uint64_t judged = 0;                      // executions
  std::map<std::string, uint64_t> allowed;  // by name -> executions
  std::map<std::string, uint64_t> forbidden;
};

void each_field(auto& f, Of<TransactionFigures>) {
  f("isolation_level", &TransactionFigures::level);
  f("forbids", &TransactionFigures::forbids);
  f("judged", &TransactionFigures::judged, kSum);
  f("allowed", &TransactionFigures::allowed, kSum);
  f("forbidden", &TransactionFigures::forbidden, kSum);
}

// What was done with one input on one engine under one setting.
struct InputFigures : InputKey {
  std::string title;
  size_t clients = 0;       // n: the threads that were scheduled
  uint64_t points = 0;      // k: at most so many scheduling points in a serial order; 0: none run
  uint64_t executions = 0;  // concurrent ones; 0: it was not reached
  uint64_t degraded = 0;    // of them, not judged
  uint64_t violations = 0;  // of them, with a confirmed cause
  uint64_t findings = 0;    // distinct causes
  bool contexts = false;    // threads of the server's own were scheduled, too
  // Executions with an anomaly that the level of the input allows, by name.
  std::map<std::string, uint64_t> allowed_anomalies;
  std::string yield;  // as yield_name() says (yield.h); empty: it was not reached
  CoverageFigures coverage;
  std::vector<ArmFigures> arms;  // none: one strategy had all executions
  SearchFigures search;
  std::optional<exhaustive::PassFigures> systematic;  // under the portfolio
  std::optional<TransactionFigures> transactions;     // judged by who read what
  std::vector<HuntWarning> warnings;
};

void each_field(auto& f, Of<InputFigures>) {
  each_field(f, Of<InputKey>());
  f("title", &InputFigures::title);
  f("clients", &InputFigures::clients);
  f("contexts", &InputFigures::contexts);
  f("points", &InputFigures::points);
  f("executions", &InputFigures::executions);
  f("degraded", &InputFigures::degraded);
  f("violations", &InputFigures::violations);
  f("findings", &InputFigures::findings);
  f("allowed_anomalies", &InputFigures::allowed_anomalies);
  f("yield", &InputFigures::yield);
  f("seen", &InputFigures::coverage);
  f("arms", &InputFigures::arms);
  f("warnings", &InputFigures::warnings);
  f("search", &InputFigures::search);
  f("systematic", &InputFigures::systematic);
  f("transactions", &InputFigures::transactions);
}

// Without an engine: on all that were asked for.
struct SkippedInput : InputKey {
  std::string why;
  bool operator==(const SkippedInput&) const = default;
};

void each_field(auto& f, Of<SkippedInput>) {
  each_field(f, Of<InputKey>());
  f("why", &SkippedInput::why);
}
void each_place(auto& f, Of<SkippedInput>) {
  f(&SkippedInput::input, &SkippedInput::engine, &SkippedInput::setting, &SkippedInput::why);
}

struct GateReport {
  unsigned runs = 0;  // pairs of executions with one seed
  unsigned same_trace = 0;
  unsigned same_outcome = 0;
  std::vector<std::string> differences;  // one line each

  bool trusted() const { return same_outcome == runs; }
};

void each_field(auto& f, Of<GateReport>) {
  f("runs", &GateReport::runs, kSum);
  f("same_trace", &GateReport::same_trace, kSum);
  f("same_outcome", &GateReport::same_outcome, kSum);
  f("differences", &GateReport::differences, kSum);
}

void each_field(auto& f, Of<RunLives>) {
  f("forked", &RunLives::forked, kSum);
  f("rewound", &RunLives::rewound, kSum);
  f("not_rewound", &RunLives::refused, kSum);
  f("not_rewound_because", &RunLives::why, kLast);
  f("restarted", &RunLives::restarted, kSum);
  f("restarted_because", &RunLives::why_restarted, kLast);
}

struct HuntReport : HuntCounts {
  std::string id;  // of HuntSpec; empty: nothing is kept of it
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
  uint64_t planned = 0;     // concurrent executions, had we the time
  RunLives lives;           // of all workers' servers

  std::vector<HuntFinding> findings;  // in the order found
  std::vector<UnconfirmedViolation> unconfirmed;
  FilterAccount filters;
  std::vector<InputMasks> nondeterminism;
  std::vector<SkippedInput> skipped;
  std::vector<InputFigures> figures;  // of all explorations, in their order
  KindMatrix kinds;
  std::string not_summarised;  // parts of the state that this server does not tell, and why
  std::optional<GateReport> gate;

  double executions_per_second() const { return seconds > 0 ? double(executions) / seconds : 0; }
  uint64_t unconfirmed_hits() const;
  // Of all explorations: sums, but for the pairs, each of which counts once.
  CoverageFigures coverage() const;
};

// Keys keep their order in the file: what a reader looks for first comes first. Sums are those of
// the shards of one hunt.
void each_field(auto& f, Of<HuntReport>) {
  using Report = HuntReport;
  f("version", &Report::esox_version, kRequired);
  f("seed", &Report::seed, kRequired);
  f("inputs", &Report::inputs);
  each_field(f, Of<HuntCounts>());
  f.derived("executions_per_second", [](const Report& it) { return it.executions_per_second(); });
  f("findings", &Report::findings, kRequired | kSum);
  f("interrupted", &Report::interrupted, kMost);
  f("ended", &Report::ended, kLeast);
  f("failure", &Report::failure);
  f("started", &Report::started, kLeast);
  f("seconds", &Report::seconds, kSum);
  f("id", &Report::id);
  f("shard", &Report::shard);
  f.group("server", [](auto& server) {
    server("version", &Report::server_version);
    server("path", &Report::server_path);
    server("options", &Report::server_options);
  });
  f("strategy", &Report::strategy);
  f("learn", &Report::learn);
  f("engines", &Report::engines, kUnion);
  f("jobs", &Report::jobs);
  f("executions_each", &Report::executions_each);
  f("budget_seconds", &Report::budget_s);
  f("explorations", &Report::explorations, kSum);
  f("explorations_touched", &Report::touched, kSum);
  f("executions_planned", &Report::planned, kSum);
  f("snapshots", &Report::lives, kSum);
  f("unconfirmed", &Report::unconfirmed, kSum);
  f("filters", &Report::filters, kSum);
  f("nondeterminism", &Report::nondeterminism, kSum);
  f("skipped", &Report::skipped, kUnion);
  f("not_summarised", &Report::not_summarised);
  f("explored", &Report::figures, kSum);
  f("kinds", &Report::kinds, kSum);
  f.derived("seen", [](const Report& it) { return it.coverage(); });
  f("gate", &Report::gate, kSum);
}

// hunt.json. Folders are absolute there. Bytes that are no UTF-8 are replaced.
std::string report_json(const HuntReport& report);

}  // namespace esox
