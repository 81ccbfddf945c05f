// SPDX-License-Identifier: Apache-2.0
// esox minimise: the smallest input that still breaks as a finding does.
#include <memory>

#include "harness/commands/command.h"
#include "harness/commands/finding_bench.h"
#include "harness/commands/options.h"
#include "harness/commands/stop_signals.h"
#include "harness/findings/minimise/minimise.h"
#include "harness/hunt/pinning.h"

namespace esox {
namespace {

constexpr const char* kMinimiseExamples = R"(
Examples:
  esox minimise esox-out/2025-11-21-101500/findings/0123456789abcdef
  esox minimise finding.yaml --budget 5m --tries 200 --json
  esox replay esox-out/2025-11-21-101500/findings/0123456789abcdef/minimised.yaml

It takes clients, requests, setup statements and rows away for as long as the same violation comes:
the same class, the same differences in the replies of the requests that are left and in the state.
The smallest input is kept as minimised.yaml, a finding like any other, beside finding.yaml, and
told in minimised.txt.

Exit status: 0 the violation did not come, 1 it came and is minimised as far as the budget went,
2 wrong use or bad input, 3 esox itself failed.)";

constexpr unsigned kMostExecutions = 10'000'000;
constexpr unsigned kMostTries = 100'000;

struct MinimiseOptions : FindingOptions {
  std::string budget = "5m";
  unsigned executions = MinimiseLimits{}.executions;
  unsigned tries = MinimiseLimits{}.tries;
};

MinimiseLimits limits_of(const MinimiseOptions& options) {
  return {duration_given("--budget", options.budget), options.executions, options.tries};
}

int minimise_finding(const MinimiseOptions& options) {
  const MinimiseLimits limits = limits_of(options);
  const StopSignals signals;
  FindingBench opened = open_finding(options);
  tell_warnings(opened);
  opened.finding.server = opened.bench.description;  // what the smaller finding is one of
  const CorePin pin(0, 1);
  const ExecutorFactory executors = server_executors(*opened.bench.server, opened.bench.executor);
  const std::unique_ptr<Executor> executor = executors({});
  const MinimiseBench bench{executors, *executor, opened.settings};
  const Minimised minimised = minimise(bench, opened.finding, limits, signals.stop());
  put_report(options.common.json, minimised_text(minimised, opened.finding),
             minimised_json(minimised, opened.finding));
  if (!minimised.came) return kNothingFound;
  write_minimised(opened.file.parent_path(), minimised, opened.finding);
  return kFound;
}

}  // namespace

void add_minimise_command(Command& app, Chosen& chosen) {
  const auto [command, options] = define<MinimiseOptions>(
      app, chosen,
      {"minimise", "the smallest input that still breaks as a finding does", kMinimiseExamples},
      minimise_finding);
  add_finding_argument(command, options.finding);
  add_budget_options(command, options.budget, options.executions, kMostExecutions);
  command.add_defaulted("--tries", options.tries, "schedules explored of each smaller input",
                        within(0u, kMostTries));
  add_finding_options(command, options);
}

}  // namespace esox
