// SPDX-License-Identifier: Apache-2.0
// esox merge: what several machines, or several nights, found becomes one store (docs/
// many-machines.md). In any order and repeatedly, with the same result; nothing is lost, nothing
// counted twice (harness/records/triage/store.h says by which rules).
//
// First all of what is to be merged is looked at, then findings and reports are gathered
// (gather.h), then the store is changed in one transaction. Whoever is killed in it leaves the
// store as it was or whole, and perhaps folders in INTO/hunts of which the store does not know yet;
// the same merge again goes on with them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "harness/records/triage/store.h"

namespace esox {

struct MergeOptions {
  std::filesystem::path into;  // a store, or a folder with findings.db in it; made if not there
  std::vector<std::filesystem::path> from;
  bool copy_findings = true;
};

// The shards of one hunt, by what the store knows of them.
struct CampaignAccount {
  std::string id;
  std::string name;
  std::string server_version;
  std::string server_options;
  std::string strategy;
  uint64_t seed = 0;
  unsigned of = 1;
  std::vector<unsigned> there;
  std::vector<unsigned> unfinished;  // of those
  uint64_t executions = 0;
  double seconds = 0;  // of all machines together
  uint64_t explorations = 0;
  uint64_t occurrences = 0;
  std::map<std::string, uint64_t> verdicts;  // by class
  std::filesystem::path folder;              // its report; empty: not gathered
};

struct MergeResult {
  std::filesystem::path store;
  uint64_t hunts = 0;      // that were met in what was merged
  uint64_t new_hunts = 0;  // of them, unknown to INTO before
  uint64_t findings = 0;   // of INTO now
  uint64_t new_findings = 0;
  uint64_t copied = 0;                     // folders of findings
  uint64_t without_folder = 0;             // findings met whose folder was nowhere
  std::vector<CampaignAccount> campaigns;  // those of which something was merged, by their names
};

// Throws OutError, DatabaseError, FindingError, ReportError.
MergeResult merge(const MergeOptions& options);

std::vector<CampaignAccount> campaigns_of(const std::vector<HuntTotals>& hunts);

std::string merge_text(const MergeResult& result);
std::string merge_json(const MergeResult& result);

}  // namespace esox
