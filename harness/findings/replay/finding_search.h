// SPDX-License-Identifier: Apache-2.0
// What one server shows of a finding: its schedule replayed, its input explored. Shared by those
// who ask servers for it (verification.h, harness/findings/affected).
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "harness/findings/replay/replayer.h"
#include "harness/records/affected.h"

namespace esox {

// One server with what explores it.
struct AskedServer {
  Executor& executor;
  Exploration& exploration;
};

struct SearchLimits {
  uint64_t executions = 300;                        // of each search
  std::optional<std::chrono::milliseconds> budget;  // of what is searched on one server
  size_t variants = 100;                            // of the re-aligned schedule
};

struct FindingReplay {
  ReplayResult result = ReplayResult::kNotReproduced;
  std::string why;  // it was not to the letter
  std::optional<Realigned> realigned;
};

// One kind of violation that executions showed besides.
struct SeenCause {
  uint64_t hits = 0;
  std::string text;         // as cause.h tells it, without what differs between builds
  std::string explanation;  // comparison_text of the first one
  uint64_t seed = 0;        // of that
  Finding finding;          // made of that, to be looked for elsewhere
};

struct FindingSearch : SearchCounts {
  std::map<std::string, SeenCause> other;  // by cause
};

// A replay that gave the recorded outcome to the letter is judged by this server's own serial
// orders, too: on another one they may explain it. Throws as Executor::run.
FindingReplay replay_on(const AskedServer& server, const Finding& finding,
                        std::optional<size_t> variants, const std::atomic<bool>& stop);

// The `number`-th execution of the exploration, counted. Throws as Executor::run.
void search_on(const AskedServer& server, const Finding& finding, uint64_t number,
               FindingSearch& search);

}  // namespace esox
