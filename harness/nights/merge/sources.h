// SPDX-License-Identifier: Apache-2.0
// What there is to merge in what the user named: stores, and the folders of hunts.
//
//   a file                     a triage store
//   a folder with hunt.db      a hunt (its OUT)
//   a folder of such folders   all hunts in it, and its findings.db: esox-out, or the `out` of a
//                              hunt file (nights/NIGHT/STAGE), or what an earlier merge gathered
//                              (hunts/CAMPAIGN, gather.h)
#pragma once

#include <filesystem>
#include <vector>

#include "harness/records/report.h"

namespace esox {

inline constexpr size_t kMostHunts = 200'000;

struct FoundHunt {
  std::filesystem::path folder;    // with hunt.db, if `memory`
  std::filesystem::path findings;  // folders of findings
  bool memory = false;             // there is a hunt.db: more than a report
  HuntReport report;               // of its hunt.json; without an id if there is none
};

struct MergeSource {
  std::filesystem::path path;    // as named
  std::filesystem::path folder;  // empty: a file was named
  std::filesystem::path store;   // empty: none
  std::vector<FoundHunt> hunts;
};

// Throws OutError (there is nothing of ours) and ReportError (a damaged hunt.json).
MergeSource look_for_sources(const std::filesystem::path& path);

}  // namespace esox
