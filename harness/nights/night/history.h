// SPDX-License-Identifier: Apache-2.0
// The findings of all nights with their past, as the triage store tells it.
#pragma once

#include <string>
#include <vector>

#include "harness/nights/night/changes.h"
#include "harness/records/triage/store.h"

namespace esox {

struct NightFinding {
  TriagedFinding finding;
  std::vector<StoredOccurrence> occurrences;  // newest first
  FindingPast past;

  // What people decided.
  bool closed() const;  // known, or a false positive
  bool false_positive() const;
};

std::vector<NightFinding> night_findings(Store& store);

// The id of the first night that begins at this time or later: "2026-11-22T02-00-00Z".
std::string night_id_of(std::string iso_time);

}  // namespace esox
