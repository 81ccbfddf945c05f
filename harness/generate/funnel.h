// SPDX-License-Identifier: Apache-2.0
// What a made input is worth, found out at the least cost: most are dropped after a few executions.
//
//   1. the requests one client after the other. Of each client one must succeed.
//   2. a glance: an execution by each of a few strategies. What they showed is told by features
//      (features.h).
//   3. features that no input showed before are confirmed: the execution is replayed, and what
//      shows in two of three counts.
//   4. who has some of these is made smaller, to the requests in which they showed; so is what went
//      wrong, to those that did not end, and what is to be judged, to what is rare of it: fewer
//      requests have fewer serial orders, and are beside each other more often.
//   5. where the gain is among the greatest or chance says so, and the serial orders are few, or
//      something went wrong: kJudged executions more, under the portfolio and judged by serial
//      orders as in a hunt (harness/hunt/exploration.h). Violations are confirmed as there.
//   6. who has something new is kept.
//
// What becomes of an input follows from it, its seed and what is known (Known), and from a clock in
// one thing only: whether its sessions end with locks for which whoever reads the state waits.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/coverage.h"
#include "analysis/finding.h"
#include "base/text/enum_names.h"
#include "harness/engine/executor.h"
#include "harness/generate/feature_counts.h"
#include "harness/generate/features.h"
#include "harness/hunt/found.h"
#include "harness/hunt/judge.h"
#include "harness/records/report.h"
#include "harness/records/tally.h"
#include "inputs/input.h"

namespace esox {

// An input as the generator made it, and what became of it.
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

inline constexpr uint64_t kJudged = 28;
// Serial states of an input, of which each costs an execution or more: one with more of them is
// kept without being judged, and left to a hunt of the corpus.
inline constexpr size_t kMostStatesJudged = 36;
// Of a new pair. What is worth less is not looked into.
inline constexpr double kLeastGain = 1;
// Such a feature is rare: so many inputs have shown it.
inline constexpr uint64_t kRare = 4;
// Each costs up to two replays.
inline constexpr size_t kMostConfirmed = 3;
// Of the requests one after the other. Beyond, an input is too slow to hunt with, and the places to
// switch at are too many to hit the right ones.
inline constexpr uint64_t kMostPointsOfMade = 5'000;
inline constexpr size_t kMostFound = 4;  // violations of one input
// One of so many is judged, whatever its gain: bugs are as often in these as in those that show
// most (docs/generating.md). Without feedback one of so many is kept, too.
inline constexpr uint64_t kByChance = 8;

struct FunnelSettings {
  ExplorationSettings exploration;  // of those that are judged
  FoundBy by;
  bool feedback = true;  // else chance decides in its place
};

struct Known {
  const FeatureCounts* counts = nullptr;
  double judge_from = kLeastGain;  // with such a gain
  // Whether a violation whose families have these keys is no news.
  std::function<bool(const std::vector<std::string>& keys)> is_cause;
};

// `alone` executes what is judged; `together` all else, and may keep more inputs in one snapshot
// (group_executor.h). Throws SetupError, ServerError, Executor::Interrupted.
MutantResult run_through_funnel(Executor& together, Executor& alone, const Mutant& mutant,
                                const FunnelSettings& settings, const Known& known);

}  // namespace esox
