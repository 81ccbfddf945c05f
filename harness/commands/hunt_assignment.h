// SPDX-License-Identifier: Apache-2.0
// What `esox hunt` is to do: asked for on the command line, or taken up where an earlier launch of
// the same hunt ended (--resume), whose hunt.db then says all of it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "harness/commands/options.h"
#include "harness/hunt/hunt.h"
#include "harness/records/hunt_state.h"

namespace esox {

// As the user wrote them.
struct HuntOptions {
  CommonOptions common;
  SearchOptions search;
  FilterOptions filters;
  std::vector<std::string> inputs;
  uint64_t executions = 300;
  std::string budget;
  unsigned jobs = 0;  // 0: as many as cores, at most four
  std::string diagnose_budget = "30s";
  std::string reports = "html";
  std::string out;
  std::string resume;                   // the folder of a hunt
  std::vector<std::string> learn_from;  // folders of earlier hunts
  bool no_gate = false;
  std::string shard;     // "3/20"; empty: all of it
  std::string campaign;  // a name; may be empty
  std::string settings;  // a file
  std::string ranking;   // a file
  size_t wide = kWave;
  std::string stuck_after = "5m";
  size_t top = 1000;
  bool all = false;
  std::string store;  // a file; empty: beside OUT
  bool no_store = false;
  std::string fail_on = "any";
};

// Of earlier hunts, on the servers of these versions.
struct Learnt {
  Experiences experiences;
  std::set<std::string> server_versions;
  ConflictPool pool;  // of all their inputs
};

struct HuntAssignment {
  CommonOptions common;   // the server
  HuntSettings settings;  // but for what only the running server says
  std::vector<ConcreteInput> inputs;
  std::string kind;  // of server
  std::vector<SkippedInput> skipped;
  // None: the whole. The campaign's id is known when the server runs (spec_of).
  std::optional<ShardPlace> shard;
  CampaignFacts campaign;  // of a shard: what is known of it beforehand
  std::optional<std::filesystem::path> corpus;
  Learnt learnt;
  bool gate = true;
  bool under_settings = false;       // inputs under several settings of the server
  bool adapted = false;              // some were written for another flavour of the server
  std::shared_ptr<HuntState> state;  // of an earlier launch; null: this is the first one
};

// Throws UsageError, InputError, OutError; changes nothing.
HuntAssignment assignment_of(const HuntOptions& options);

// Throws UsageError, DatabaseError.
HuntAssignment resumed_assignment(const HuntOptions& options);

// To be kept for later launches; `settings` by now with what the running server said.
HuntSpec spec_of(const HuntAssignment& assignment, const HuntSettings& settings);

// A hunt goes on only on the server it was begun on: else its counts would be of two servers.
// Throws UsageError.
void refuse_other_server(const HuntAssignment& assignment, const FindingServer& server);

}  // namespace esox
