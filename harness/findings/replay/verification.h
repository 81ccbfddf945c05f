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
#include <optional>
#include <string>
#include <vector>

#include "harness/findings/replay/finding_search.h"

namespace esox {

inline constexpr uint64_t kLeastHits = 3;

struct VerifiedSide {
  FindingReplay replay;
  FindingSearch search;
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

// Throws as Executor::run.
Verification verify(const AskedServer& before, const AskedServer& after, const Finding& finding,
                    const SearchLimits& limits, const std::atomic<bool>& stop);

std::string verification_text(const Verification& verification);
std::string verification_json(const Verification& verification, const Finding& finding);

const char* conclusion_name(Conclusion conclusion);  // "fixed", "still there", ...

}  // namespace esox
