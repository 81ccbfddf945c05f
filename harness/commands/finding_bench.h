// SPDX-License-Identifier: Apache-2.0
// What commands that execute a finding begin with: its file, read and looked at, and a server to
// execute it on, under the settings and the filters with which it was found.
#pragma once

#include <atomic>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "analysis/finding.h"
#include "harness/commands/options.h"
#include "harness/commands/workbench.h"
#include "harness/engine/executor.h"
#include "harness/hunt/exploration.h"
#include "harness/hunt/pinning.h"

namespace esox {

// What all commands take that execute a finding.
struct FindingOptions {
  std::string finding;  // its folder, or its finding.yaml
  CommonOptions common;
  FilterOptions filters;
};

// Of commands that look for it on servers; the values are the defaults.
struct FindingSearchOptions : FindingOptions {
  uint64_t executions = 300;
  std::string budget;  // empty: none
  std::string seed;    // empty: the finding's
  size_t variants = 100;
};

// FINDING alone, for commands that execute nothing too.
void add_finding_argument(Command& command, std::string& finding);

// --filters, --server and what goes with it, --isolation.
void add_finding_options(Command& command, FindingOptions& options);

// --executions, `of` what, --budget, --attempts and --seed.
void add_finding_search_options(Command& command, FindingSearchOptions& options,
                                const std::string& of);

// --budget and --executions, of commands that execute variants of it.
void add_budget_options(Command& command, std::string& budget, unsigned& executions, unsigned most);

struct FindingBench {
  std::filesystem::path file;  // finding.yaml
  Finding finding;
  Workbench bench;
  ExplorationSettings settings;
  std::vector<std::string> warnings;  // in what this is not as when it was found
};

// `given`: a finding's folder, or its finding.yaml.
std::filesystem::path finding_file(const std::string& given);

// The server's options are the finding's with those of `options` after them. Throws FindingError,
// UsageError, ServerError.
FindingBench open_finding(const FindingOptions& options);

// Its input, ready to be executed on a server of its own, on one core. On another program than the
// finding's, which has other points, the finding gets the schedule that gives the violation there,
// if any does.
struct PreparedFinding {
  PreparedFinding(FindingBench& opened, const std::atomic<bool>& stop);

  CorePin pin{0, 1};
  ExecutorFactory executors;
  std::unique_ptr<Executor> executor;
  Exploration exploration;
  bool elsewhere;  // on another program
};

// By the strategy with which it was found; where that is none that explores (a variant of a
// schedule, say), by the one that finds most of those whose executions are independent, as bounds
// of rates presuppose.
void search_as_found(const Finding& finding, uint64_t seed, ExplorationSettings& settings);

// On the standard error output, a line each.
void tell_warnings(const FindingBench& bench);

// "some/input on Aria", and "latent: the answers are right ...".
std::string input_line(const Finding& finding);
std::string violation_line(const Finding& finding);
// "finding 0123: some/input on Aria" and its violation; then the warnings.
std::vector<std::string> finding_head(const FindingBench& bench);

}  // namespace esox
