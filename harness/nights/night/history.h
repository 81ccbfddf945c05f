// SPDX-License-Identifier: Apache-2.0
// The findings of all nights with their past, as the triage store tells it.
//
// Findings that share a plain signature are one here: they show the same differences of the same
// statements, and another night's diagnosis may well name another critical pair, or none. The
// oldest stands for all.
#pragma once

#include <string>
#include <vector>

#include "harness/nights/night/changes.h"
#include "harness/records/triage/store.h"

namespace esox {

struct NightFinding {
  TriagedFinding finding;  // the oldest
  std::vector<TriagedFinding> alike;
  std::vector<StoredOccurrence> occurrences;  // of all; newest first
  FindingPast past;

  // What people decided: of those that anybody looked at, whether all are known or false positives.
  bool closed() const;
  bool false_positive() const;
};

std::vector<NightFinding> night_findings(Store& store);

// The id of the first night that begins at this time or later: "2026-11-22T02-00-00Z".
std::string night_id_of(std::string iso_time);

}  // namespace esox
