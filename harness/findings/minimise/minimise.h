// SPDX-License-Identifier: Apache-2.0
// The smallest input that still breaks as a finding does: fewest clients, requests, setup
// statements and rows.
//
//   1. the finding's schedule is executed once more (the violation must come), and made shorter;
//   2. clients, requests, statements of setup and sessions, observations and rows of VALUES lists
//      are taken away by delta debugging (smallest_subset.h), again and again until nothing goes;
//   3. the result is executed to the letter on servers that are started for it.
//
// A smaller input has other scheduling points, so its schedule is looked for: first the last one,
// carried over by requests (moved_schedule.h), then the finding's strategy for some executions.
// A step is taken if the violation is the same (same_violation.h) and confirmed as a hunt confirms
// one: equal serial runs looked at for nondeterminism, the schedule replayed with the same outcome.
//
// Bounded by executions the result is the same each time.
#pragma once

#include <atomic>
#include <chrono>
#include <filesystem>
#include <string>

#include "analysis/finding.h"
#include "harness/engine/executor.h"
#include "harness/findings/minimise/parts.h"
#include "harness/hunt/exploration.h"

namespace esox {

// The result is executed so often on a server of its own.
inline constexpr unsigned kVerifications = 2;

struct MinimiseLimits {
  std::chrono::milliseconds budget{60'000};
  unsigned executions = 50'000;  // serial ones and replays among them
  unsigned tries = 50;           // schedules explored of each smaller input
};

struct Minimised {
  bool came = false;    // the finding's violation, by its own schedule
  std::string why_not;  // it did not
  InputSize before;
  InputSize after;
  Finding finding;         // of the smallest input; the whole one where nothing could be taken away
  unsigned steps = 0;      // taken
  unsigned undone = 0;     // of these, since what they gave did not come on a server of its own
  bool verified = false;   // kVerifications times of as many
  bool to_the_end = true;  // false: a limit came first
  unsigned executions = 0;
  double seconds = 0;
};

struct MinimiseBench {
  const ExecutorFactory& executors;  // for servers of its own
  Executor& executor;
  const ExplorationSettings& settings;
};

// Throws as Executor::run.
Minimised minimise(const MinimiseBench& bench, const Finding& finding, const MinimiseLimits& limits,
                   const std::atomic<bool>& stop);

// For people; for programs.
std::string minimised_text(const Minimised& minimised, const Finding& finding);
std::string minimised_json(const Minimised& minimised, const Finding& finding);

// minimised.yaml and minimised.txt. Throws OutError, FindingError.
void write_minimised(const std::filesystem::path& folder, const Minimised& minimised,
                     const Finding& finding);

}  // namespace esox
