// SPDX-License-Identifier: Apache-2.0
// The summary of a night: what changed against all nights before (changes.h), and what was not
// done.
//
// Made of night.json, the stages' folders and the triage store alone, so that it can be made anew
// at any time: while the night goes on, after it was killed, or after somebody has triaged.
#pragma once

#include <array>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "harness/nights/hunt_file/hunt_file.h"
#include "harness/nights/night/changes.h"
#include "harness/nights/night/history.h"
#include "harness/nights/night/night_report.h"

namespace esox {

// As they are told: what matters most comes first.
inline constexpr std::array kFates = {Fate::kNew,  Fate::kRegressed, Fate::kStillThere,
                                      Fate::kGone, Fate::kNotMet,    Fate::kGoneBefore};

// A finding as it stands after the night.
struct SummaryFinding {
  std::string id;
  TriageState state = TriageState::kNew;
  std::string note;
  std::string verdict;  // class
  std::string place;    // "some/input on Aria"
  std::string words;    // what its class means
  std::vector<std::string> synopsis;
  std::string critical;          // the switch that decides, in a sentence; empty: not known
  std::filesystem::path folder;  // the newest that is there; empty: none
  Fate fate = Fate::kNotMet;     // over all servers, what matters most
  std::vector<Change> changes;   // by server
  std::vector<StoredRecheck> tried_again;  // tonight
};

struct NightSummary {
  NightReport night;
  std::vector<SummaryFinding> findings;  // open ones; what matters most first
  std::vector<SummaryFinding> closed;    // known ones and false positives, met tonight
  std::map<Fate, size_t> counts;         // of `findings`
  std::vector<std::string> missing;      // what was not done or may be lost, in sentences
  uint64_t inputs_planned = 0;           // over all stages
  uint64_t inputs_reached = 0;
  std::map<std::string, size_t> rechecks;  // tonight, by result

  size_t count(Fate fate) const { return counts.contains(fate) ? counts.at(fate) : 0; }
};

// Records the night's hunts in the store, also those of earlier nights beside `folder` that were
// cut short before their summary, and gathers. What cannot be recorded is among the missing. Throws
// DatabaseError.
NightSummary gather_night_summary(const NightReport& night, const std::filesystem::path& folder,
                                  Store& store);

// 0 nothing that matters by the policy, and nothing missing; 1 findings (new: new and regressed
// ones; any: still there, too; what is known or a false positive never); 2 something is missing.
int night_summary_status(const NightSummary& summary, FailOn fail_on);

}  // namespace esox
