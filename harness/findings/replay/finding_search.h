// SPDX-License-Identifier: Apache-2.0
// What one server shows of a finding: its schedule replayed, its input explored. Shared by those
// who ask servers for it (harness/findings/verify, harness/findings/affected).
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "harness/findings/replay/family.h"
#include "harness/findings/replay/replayer.h"
#include "harness/hunt/exploration.h"
#include "harness/records/affected.h"

namespace esox {

// One server with what explores it.
struct AskedServer {
  Executor& executor;
  Exploration& exploration;
};

struct FindingReplay {
  ReplayResult result = ReplayResult::kNotReproduced;
  std::string why;  // it was not to the letter
  std::optional<Realigned> realigned;
};

// One kind of violation that executions showed.
struct SeenCause {
  uint64_t hits = 0;
  std::string text;         // as cause.h tells it, without what differs between builds
  std::string explanation;  // comparison_text of the first one
  uint64_t seed = 0;        // of that
  Finding finding;          // made of that, to be looked for elsewhere
};

struct FindingSearch : SearchCounts {
  std::optional<SeenCause> first;          // of the finding's family
  std::map<std::string, SeenCause> other;  // by cause; what is not of it
};

// The finding's violation is one of its family here. A replay that gave the recorded outcome to the
// letter is judged by this server's own serial orders, too: on another one they may explain it.
// Throws as Executor::run.
FindingReplay replay_on(const AskedServer& server, const Finding& finding, Family& family,
                        std::optional<size_t> variants, const std::atomic<bool>& stop);

// An execution that was judged, and confirmed if it is a violation. `drawn`: by a strategy, so that
// it is a sample of its rate.
void count(const AskedServer& server, Family& family, const Judged& judged, bool drawn,
           FindingSearch& search);

// The `number`-th execution of the exploration, counted. Throws as Executor::run.
void search_on(const AskedServer& server, Family& family, uint64_t number, FindingSearch& search);

// Settings of explorations that look for a finding: by every schedule with one preemption; by the
// portfolio, which learns.
ExplorationSettings systematically(ExplorationSettings settings);
ExplorationSettings by_portfolio(ExplorationSettings settings);

// What the portfolio begins with: the finding's schedule as it was carried over to this server, to
// be varied like one that has shown something. Nothing, if it was not carried over.
Experience experience_of(const FindingReplay& replay);

}  // namespace esox
