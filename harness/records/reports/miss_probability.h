// SPDX-License-Identifier: Apache-2.0
// How much a hunt's silence about an input is worth, in numbers.
//
// Three figures, each with what it takes for granted:
// - PCT's guarantee (pct.h): one execution by `pct:d=D` hits a given bug of depth at most D with
//   probability at least p = 1 / (n k^(D-1)); N executions miss it with at most (1-p)^N. Taken for
//   granted: n threads, at most k points (k is measured in serial orders; a concurrent execution
//   may have a few more), and that the schedule alone decides. It is a worst case over all programs
//   and nearly always far too dark.
// - The smallest hit rate found: a violation that comes in a share r of this strategy's executions
//   is missed by all N with (1-r)^N; the r for which that is 5 % is 1 - 0.05^(1/N) (the exact form
//   of the "rule of three", 3/N). No assumption but independent executions.
// - Of a finding with h hits in N, the chance that another such hunt misses it: (1 - h/N)^N.
//
// Executions that were not judged hit nothing; they do not count into N. Of a portfolio
// (harness/search/portfolio.h), PCT's guarantee counts the executions that its deepest PCT had: how
// many these are depends on what was seen, but each holds the guarantee whatever was seen before.
// The smallest rate counts those whose schedule a strategy drew; variants of known schedules are
// not independent of them.
#pragma once

#include <cstdint>
#include <optional>

#include "harness/records/report.h"

namespace esox {

// Chance that all of `runs` independent executions miss what each hits with `probability`.
double miss_probability(double probability, uint64_t runs);

// p of the guarantee; 0 where n or k is 0 or the depth is.
double pct_bound(uint64_t threads, uint64_t points, unsigned depth);

// The hit rate for which `runs` executions all miss with 5 %; 1 for no runs.
double smallest_rate(uint64_t runs);

inline constexpr double kMissedShare = 0.05;

struct MissFigures {
  uint64_t judged = 0;                 // N
  uint64_t drawn = 0;                  // of them, independent of others
  uint64_t guaranteed = 0;             // of them, with the guarantee
  std::optional<unsigned> depth;       // D; none: the strategy gives no guarantee
  double bound = 0;                    // p, with a depth
  double missed_at_most = 1;           // (1-p)^N, with a depth
  double rate_found = 1;               // smallest rate that is found with 95 %
  double hit_rate = 0;                 // violations / N
  std::optional<double> missed_again;  // of the violations found; none where there are none
};

// `strategy` as in hunt.json: "pct:d=3".
MissFigures miss_figures(const InputFigures& figures, const std::string& strategy);

// "1 in 6 200 000" and "99.9984 %" as people read them.
std::string chance_text(double probability);
std::string share_text(double share);

}  // namespace esox
