// SPDX-License-Identifier: Apache-2.0
// Is a finding gone on a new server, and did the change bring anything else?
//
// A patch moves everything, so that the recorded schedule says little, and so does the strategy by
// which the finding was found: half a fix leaves the bug to others. So the old and the new server
// are asked side by side, in one run, in four ways; what gives anything of the finding's family
// (family.h) on the new server has answered, and the rest is left out. Before all that the
// finding's reproducer is played there, if it has one (play_reproducer.h): if it shows the finding,
// that is the answer; if not, it is none.
//
//   1. the recorded schedule on the old server; on the new one the same, re-aligned, and its
//      neighbourhood (replayer.h);
//   2. every schedule with one preemption, on the old server up to the first that gives it;
//   3. fresh draws from a fixed mix of strategies on both (strategy_mix.h): by them alone rates are
//      reckoned, and how many are wanted (argument.h);
//   4. the portfolio on the new server, which learns, and varies the re-aligned schedule as if it
//      were one that has shown something. It finds what the others miss; it counts for no rate.
//
// Each violation that only the new server gave is looked for on the old one by its re-aligned
// schedule, for a rare one may have been there all the time.
//
// "Fixed" is said where argument.h's reasoning stands and nothing speaks against it: not where a
// violation was seen that no replay gave again, where control was lost more often than on the old
// server (the schedules that show it may be just those), where a request of the input is refused by
// the new server (the question is void), or where the input still breaks in another way in which it
// broke before (it may be another face of the same bug). A rare bug is pursued until the time is
// over.
#pragma once

#include <atomic>
#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "harness/findings/replay/finding_search.h"
#include "harness/findings/verify/argument.h"
#include "harness/hunt/exploration.h"
#include "harness/records/reproducer_record.h"

namespace esox {

struct VerifyLimits {
  double confidence = 0.99;
  std::chrono::milliseconds budget = std::chrono::minutes(5);
  uint64_t draws = 3000;  // fresh ones on the new server at least, and by the portfolio
  uint64_t most_draws = 10'000'000;
  uint64_t systematic = 20'000;  // schedules with one preemption on each server at most
  size_t variants = kVariants;   // of the re-aligned schedule
};

// A server that runs; `settings`: as the finding was judged, by what seed draws are made. Its
// strategy is not used.
struct VerifyBench {
  Executor& executor;
  ExplorationSettings settings;
};

struct VerifiedSide {
  FindingReplay replay;
  FindingSearch systematic;
  bool complete = false;  // all of them were executed, and none was lost
  FindingSearch draws;
  FindingSearch portfolio;  // on the new server only

  uint64_t hits() const { return systematic.hits + draws.hits + portfolio.hits; }
  uint64_t unconfirmed() const {
    return systematic.unconfirmed + draws.unconfirmed + portfolio.unconfirmed;
  }
  uint64_t executions() const {
    return systematic.executions + draws.executions + portfolio.executions;
  }
  uint64_t degraded() const { return systematic.degraded + draws.degraded + portfolio.degraded; }
};

enum class Conclusion { kFixed, kStillThere, kNewViolations, kCannotTell };

struct Verification {
  std::optional<PlayedRounds> played;  // on the new server, of the finding's reproducer
  VerifiedSide before;
  VerifiedSide after;
  std::vector<SeenCause> brought;  // on the new server only
  std::vector<SeenCause> shared;   // on both, and not of the finding's family
  std::string refused;             // a request that the new server refuses; empty: none
  double confidence = 0;
  uint64_t least_draws = 0;  // VerifyLimits::draws
  uint64_t seed = 0;
  std::string mix;       // of the draws
  bool stopped = false;  // by a signal

  RateArgument rate() const;
  // So much rarer than on the old server it has to be, so that draws may miss it (argument.h).
  double times_rarer_wanted() const { return after.complete ? 1 : kRarer; }
  // In a replay, or in any execution.
  bool old_gives_it() const;
  // Why what could not be judged may hide it, in one sentence; empty: it may not.
  std::string lost_control() const;
  Conclusion conclusion() const;
  std::string reason() const;  // one sentence
};

// Throws as Executor::run.
Verification verify(const VerifyBench& before, const VerifyBench& after, const Finding& finding,
                    const VerifyLimits& limits, const std::atomic<bool>& stop);

std::string verification_text(const Verification& verification);
std::string verification_json(const Verification& verification, const Finding& finding);

const char* conclusion_name(Conclusion conclusion);  // "fixed", "still there", ...

}  // namespace esox
