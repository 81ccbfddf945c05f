// SPDX-License-Identifier: Apache-2.0
// A finding: executions of one input that broke in one way, and all that is needed to see it again.
//
// It is kept as finding.yaml, which holds the whole input (not a reference to a file that may
// change), the server's version, path and options, the schedule (strategy, seed, choices, data
// values; what each thread did up to its switches, so that another build can be made to follow),
// the settings of the control, what came out, what each serial order gives, the masks, and the
// filters under which it was judged. A reader may edit it by hand; the file ends with the line
// "end: finding", so that a file that was cut off is told from a whole one. Bytes that are no UTF-8
// are kept as base64 (!!binary).
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "analysis/cause.h"
#include "analysis/execution_record.h"
#include "analysis/forgiveness.h"
#include "analysis/masks.h"
#include "analysis/operations.h"
#include "analysis/serial_run.h"
#include "analysis/verdict.h"
#include "filters/known_servers.h"
#include "inputs/input.h"

namespace esox {

inline constexpr int kFindingFormat = 1;
// Elements of a component beyond this are kept in the digest only.
inline constexpr size_t kMaxFindingElements = 200;

struct FindingServer {
  std::string version;  // as the server says: "10.11.14-MariaDB-0+deb12u2"
  std::string path;     // of its binary
  std::vector<std::string> options;
};

// One row of the verdict's table, with what the serial order gives.
struct FindingOrder {
  Order order;
  RequestSet without;                           // tolerated requests that are not in it
  bool allowed = false;                         // real time allows it for the execution kept here
  std::string infeasible;                       // not empty: could not be executed
  std::vector<std::string> differing_requests;  // "A1"
  std::vector<std::string> differing_components;
  std::vector<std::string> unavailable_components;
  Outcome outcome;
};

struct Finding {
  std::string id;     // 16 hex digits: of input, engine and cause
  std::string cause;  // Cause::text
  ConcreteInput input;
  VerdictClass verdict = VerdictClass::kNone;
  bool latent = false;

  uint64_t hits = 1;        // executions with this cause
  uint64_t executions = 0;  // of this input, until the finding was written
  uint64_t draws = 0;       // of them, judged ones with a schedule drawn anew; 0 in an old file
  uint64_t drawn_hits = 0;  // of those, how many have this cause
  uint64_t first_execution = 0;  // the one kept here
  uint64_t seed = 0;             // of that one
  std::string strategy;
  std::vector<Choice> choices;
  std::vector<uint64_t> values;
  Operations operations;  // empty in a file of before they were kept

  FindingServer server;
  std::string esox_version;
  uint64_t clock_base_ns = 0;  // where the virtual clock began, since the epoch
  std::map<std::string, std::string> control;

  EndingKind ending = EndingKind::kFinished;
  int signal = 0;
  std::vector<std::string> ending_detail;
  Outcome outcome;
  Stamps stamps;                         // empty in a file of before they were kept
  std::vector<std::vector<Unit>> units;  // so are they; [client]
  Anomaly anomaly;                       // forbidden; empty: none
  std::vector<FindingOrder> orders;
  Masks masks;
  std::vector<FilterText> filters;
};

// What the analysis knows of a finding; the caller adds counts, server, version, clock and control.
Finding make_finding(const ConcreteInput& input, const ExecutionRecord& record,
                     const Verdict& verdict, std::span<const SerialRun> serial_runs,
                     const Masks& masks, const Cause& cause, const RulesInForce& rules = {});

// Did a replay end the same way with the same outcome, outside the masks? What `rules` ignore or
// make equal does not count either. `why` is one line.
struct ReplayMatch {
  bool same = false;
  std::string why;
};
ReplayMatch match_replay(const ExecutionRecord& record, const Finding& finding,
                         const RulesInForce& rules = {});

// The execution and the serial runs that a finding keeps, to be judged again. Of the record only
// outcome, stamps, units and ending are there.
ExecutionRecord record_of(const Finding& finding);
std::vector<SerialRun> serial_runs_of(const Finding& finding);

std::vector<std::string> client_names(const Input& input);

// Says file, line, what is wrong and what to do, in one line.
struct FindingError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

std::string finding_to_yaml(Finding finding);

// Throws FindingError. `file` is the name used in messages. What a component means is asked of
// `servers` by its name where the finding was written before that was kept.
Finding finding_from_yaml(const std::string& text, const std::string& file,
                          const KnownServers& servers);

// "finished", "crash", "deadlock", "hang", "degraded".
const char* ending_name(EndingKind kind);

}  // namespace esox
