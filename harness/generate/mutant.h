// SPDX-License-Identifier: Apache-2.0
// An input as the generator made it, and what became of it. Plain data.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/coverage.h"
#include "analysis/finding.h"
#include "base/text/enum_names.h"
#include "harness/generate/features.h"
#include "harness/hunt/judge.h"
#include "harness/records/report.h"
#include "harness/records/tally.h"
#include "inputs/input.h"

namespace esox {

struct Mutant {
  ConcreteInput input;  // its id follows from its text
  uint64_t parent = 0;  // number of the member that it was made of; 0: of none
  std::string made_by;  // "refill"; "fresh": of nothing
  uint64_t seed = 0;    // of its executions
  Features parents;     // features that are the parent's rather than its own
};

// How far it came. Names are told to users, and kept.
enum class Fate {
  kSetupFails,
  kKnown,       // the corpus has it
  kNoConflict,  // no two clients name one thing
  kFails,       // a client of whom no request succeeds
  kWaits,       // one after the other, a request waits for a later client's
  kSlow,        // it takes too many scheduling points
  kHeld,        // its sessions end with locks by which the state cannot be read
  kLost,        // control was lost
  kNothingNew,
  kKept
};
inline constexpr const char* kFateNames[] = {
    "setup fails", "known already", "no conflict",  "fails",       "waits",
    "too slow",    "state held",    "control lost", "nothing new", "kept"};
static_assert(std::size(kFateNames) == static_cast<size_t>(Fate::kKept) + 1);
inline const char* name_of(Fate fate) {
  return name_in(kFateNames, fate);
}

// A violation that was confirmed, and whose cause is news; all that its folder needs.
struct FoundViolation {
  Finding finding;
  HuntFinding line;
  Judged judged;
  Masks masks;
};

struct MutantResult {
  Fate fate = Fate::kNothingNew;
  bool judged = false;  // by serial orders
  double gain = 0;
  Features features;          // that it showed, and that were known or confirmed
  Features unseen;            // of them, those that no input showed before it
  std::optional<Input> kept;  // as small as it could be made
  uint64_t points = 0;        // of the requests one after the other
  // Requests, and whether they succeeded so.
  std::vector<std::pair<std::string, bool>> replies;
  uint64_t executions = 0;  // concurrent ones, replays among them
  Coverage coverage;        // of those that were no replays
  Tally tally;              // of those that were judged
  std::vector<FoundViolation> found;
  std::vector<std::string> known_causes;  // keys of families, of violations that were no news
};

}  // namespace esox
