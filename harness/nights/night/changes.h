// SPDX-License-Identifier: Apache-2.0
// What became of a finding, night after night, on one server of the hunt file: new, still there,
// not met, gone, regressed.
//
// *Met* is a night with a hit, or in which the finding's own schedule gave it again (recheck.h).
// A night without proves nothing by itself: the finding is *gone* once so long a time without a hit
// is too unlikely for one that is still there at its old rate. How long that is follows from its
// own past, separately in each cell (stage, input, engine, setting, strategy), for
// rates differ by cell and a cell has not its turn in every night:
//
// - Executions of a strategy that learns nothing are independent, and all of them count. Under the
//   others (the portfolio, whose hits lead to more hits) a hunt counts until its first hit only: so
//   a night's luck is one event, however many hits followed it.
// - Let a cell have had h hits in N executions from its first hit to the end of the last night in
//   which the finding was met, the first one not counted, and none in M since. If nothing had
//   changed, the h hits would lie anywhere among the N + M, and all of them in the first N with a
//   chance of at most (N / (N + M))^h. The chance of the finding is the product over its cells: an
//   exact conditional test that takes no rate for granted. It errs to the safe side by counting
//   whole nights.
// - A finding met once only has no h. So the same is done a second time from the beginning of
//   all observation, the first hit counted; and the smaller of both chances, doubled, decides.
// - Each night in which it was met may be the last for a long while by mere chance: it is another
//   opportunity to err. The k-th may err with kGoneRisk / (k (k + 1)), which add up to kGoneRisk: a
//   finding that is still there is *ever* called gone, and so ever wrongly regressed, with at most
//   kGoneRisk, over all its nights. Unit tests measure it.
//
// Taken for granted: a cell's rate does not fall while the bug is there. Executions of a seed that
// the cell has had before say nothing new and count once.
//
// *New* is no statistics: a night's hunts opened the finding, and none before is one with it
// (harness/records/triage/grouping.h). So nothing is new twice.
//
// Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace esox {

inline constexpr double kGoneRisk = 0.05;

enum class Fate {
  kNew,         // first ever, tonight
  kRegressed,   // was gone, or marked fixed; met tonight
  kStillThere,  // met tonight
  kNotMet,      // not tonight; that says too little
  kGone,        // from tonight on
  kGoneBefore,  // since an earlier night, or marked fixed; not met tonight
};

const char* fate_name(Fate fate);  // "new", "still there", "not met", ...

// What one stage did with one input on one engine under one setting.
struct StageTrial {
  std::string night;   // ids of nights sort by time
  std::string server;  // as the hunt file names it
  std::string cell;    // all that a rate depends on, but for the server's build and options
  std::string draws;   // what its executions follow from, beside the seed
  uint64_t seed = 0;
  uint64_t executions = 0;  // judged
  uint64_t hits = 0;
  uint64_t first_hit = 0;    // number of that execution; with hits
  bool independent = false;  // a hit does not lead to others
};

// That the finding's own schedule was tried (recheck.h), and told something.
struct TriedAgain {
  std::string night;
  std::string server;
  bool came = false;
};

struct FindingPast {
  std::vector<StageTrial> trials;  // in any order; those of its cells only
  std::vector<TriedAgain> tried_again;
  std::string first_night;              // that opened it; empty: it was known before
  std::vector<std::string> fixed_from;  // nights of these ids or later come after a mark "fixed"
};

struct Change {
  std::string server;
  Fate fate = Fate::kNotMet;
  uint64_t hits = 0;              // tonight
  uint64_t executions = 0;        // tonight, in its cells, judged
  bool by_schedule = false;       // tonight its own schedule gave it
  bool first_here = false;        // met here for the first time, but known before
  std::string last_met;           // night; before tonight if met tonight; empty: never
  std::string gone_since;         // night; of kGoneBefore, and of kRegressed what it was before
  bool marked_fixed = false;      // by a person; the same
  uint64_t nights_since = 0;      // looked for, without a hit
  uint64_t executions_since = 0;  // in them; each seed once
  double chance = 1;              // of so long without a hit, were it still there: at most
  double risk = 0;                // at which chance it is called gone
  double remaining = 1;  // with 95 % confidence it comes in at most this share of the executions
};

// Of each server on which it was ever met, in the order of their names, as things stood after the
// night `tonight`.
std::vector<Change> changes_of(const FindingPast& past, const std::string& tonight);

}  // namespace esox
