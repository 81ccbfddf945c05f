// SPDX-License-Identifier: Apache-2.0
// Is a finding gone on a new server, and did the change bring anything else?
//
//   1. the recorded schedule on the old server; on the new one the same, re-aligned, and its
//      neighbourhood (replayer.h);
//   2. the same input explored on both, execution by execution, with equal seeds;
//   3. each violation that only the new server gave: its schedule re-aligned on the old one, for a
//      rare one may have been there all the time.
// What it concludes is said with its numbers. "Fixed" needs an old server that gives the violation
// often enough: kLeastHits times, so that an unchanged one would have hidden it in e^-3 = 5 % of
// such hunts only.
#pragma once

#include <atomic>
#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/findings/replay/replayer.h"

namespace esox {

inline constexpr uint64_t kLeastHits = 3;

struct VerificationLimits {
  uint64_t executions = 300;                        // of the hunt, on each server
  std::optional<std::chrono::milliseconds> budget;  // of the hunt
  size_t variants = 100;                            // of the re-aligned schedule
};

// One kind of violation that the hunt saw.
struct SeenCause {
  uint64_t hits = 0;
  std::string text;         // as cause.h tells it, without what differs between builds
  std::string explanation;  // comparison_text of the first one
  uint64_t seed = 0;        // of that
};

struct VerifiedSide {
  ReplayResult replay = ReplayResult::kNotReproduced;
  std::string replay_why;
  std::optional<Realigned> realigned;
  uint64_t executions = 0;
  uint64_t degraded = 0;                   // of them: not judged
  uint64_t hits = 0;                       // of the finding's own violation
  std::map<std::string, SeenCause> other;  // by cause
};

enum class Conclusion { kFixed, kStillThere, kNewViolations, kCannotTell };

struct Verification {
  VerifiedSide before;
  VerifiedSide after;
  std::vector<SeenCause> brought;  // on the new server only
  uint64_t seed = 0;
  std::string strategy;
  bool stopped = false;  // by a signal

  Conclusion conclusion() const;
  std::string reason() const;  // one sentence
};

// One server with what explores it; both outlive the verification.
struct VerifiedServer {
  Executor& executor;
  Exploration& exploration;
};

// Throws as Executor::run.
Verification verify(const VerifiedServer& before, const VerifiedServer& after,
                    const Finding& finding, const VerificationLimits& limits,
                    const std::atomic<bool>& stop);

std::string verification_text(const Verification& verification);
std::string verification_json(const Verification& verification, const Finding& finding);

const char* conclusion_name(Conclusion conclusion);  // "fixed", "still there", ...

}  // namespace esox
