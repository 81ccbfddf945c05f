// SPDX-License-Identifier: Apache-2.0
// Has this server the finding? In this order, each step only where those before it have not shown
// the violation, the same as for verify: one of the finding's family (family.h), judged by the
// serial orders of this server.
//
//   0. the finding's reproducer, if it has one, on the server without esox: its violation is one
//      only if what is seen is what was seen where it was made (reproducer_record.h);
//   1. the setup and the requests: what was accepted where the finding was found and is refused
//      here in each serial order makes the question void (of an input with many orders this is said
//      at the end, when more of them have been executed);
//   2. equal seeds should give equal executions (gate.h): where they do not, what is seen and
//      confirmed counts, but that nothing was seen says nothing;
//   3. the finding's schedule, to the letter, then re-aligned, then its neighbourhood;
//   4. its input explored by the finding's own strategy, whose executions are independent, so that
//      they can be counted and compared;
//   5. and by every schedule with one preemption, then by the portfolio, which begins with the
//      finding's schedule, since a strategy that suits one release may miss it in another. Their
//      executions follow from one another: they count as seen or not, and for no probability.
//
// How probable it is that a server without a hit would have shown one, were it as frequent there
// as on a server that has it, is 1 - (1-r)^n for the n judged executions that step 4 drew. r is the
// lower bound of the rate measured by the same strategy on the other server: Clopper and Pearson
// (1934), see base/statistics/confidence.h. So no more is claimed than those counts allow with
// kConfidence; where no server was counted that gave a hit, nothing is.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <optional>
#include <vector>

#include "analysis/finding.h"
#include "harness/engine/executor.h"
#include "harness/findings/replay/finding_search.h"
#include "harness/hunt/exploration.h"
#include "harness/records/affected.h"

namespace esox {

struct SearchLimits {
  uint64_t executions = 300;                        // of each search
  std::optional<std::chrono::milliseconds> budget;  // of what is searched on one server
  size_t variants = kVariants;                      // of the re-aligned schedule
};

// A server that runs.
struct AffectedBench {
  Executor& executor;
  const Finding& finding;               // its input as this server's
  const ExplorationSettings& as_found;  // by its strategy
};

// Fills a row in; what the reproducer gave is in it already. `count`: step 4 is done whatever the
// replay shows, for its rate is wanted. Never throws what is this server's fault: that is why it
// cannot be told.
void ask_server(AffectedRow& row, const AffectedBench& bench, const SearchLimits& limits,
                bool count, const std::atomic<bool>& stop);

// The same where the server has to be opened first: `ask` does, and calls ask_server(). What
// opening throws of the server's own is told in the row.
void ask_guarded(AffectedRow& row, const std::function<void()>& ask);

// Whether some row has a rate that others can be reckoned with.
bool has_rate(const std::vector<AffectedRow>& rows);

// Once all rows are there: would_have_been_seen of those that have not shown it, by the rate where
// the finding was found, else of the first row that has one.
void state_probabilities(AffectedTable& table);

}  // namespace esox
