// SPDX-License-Identifier: Apache-2.0
// esox diagnose: the fewest switches with which a finding comes, and the one that decides.
#include <fmt/format.h>

#include "harness/commands/command.h"
#include "harness/commands/finding_bench.h"
#include "harness/commands/options.h"
#include "harness/commands/stop_signals.h"
#include "harness/findings/diagnosis/diagnosis.h"

namespace esox {
namespace {

constexpr const char* kDiagnoseExamples = R"(
Examples:
  esox diagnose esox-out/2025-11-21-101500/findings/0123456789abcdef
  esox diagnose finding.yaml --budget 5m --executions 20000 --json
  esox diagnose finding.yaml --server ../build-g/memcached    the code's names, of a build with -g

On another program than the finding's the schedule is re-aligned first, as esox replay does; what is
kept beside finding.yaml then tells of that program.

It executes variants of the finding's schedule: ever fewer context switches with which the same
violation comes; then the place where one operation earlier or later makes it go away. What it says
is also kept beside finding.yaml, as diagnosis.txt and, for programs, diagnosis.json; beside
another file of that kind, minimised.yaml say, as minimised-diagnosis.txt and .json.

Exit status: 0 the violation did not come, 1 it came and is diagnosed as far as the budget went,
2 wrong use or bad input, 3 esox itself failed.)";

constexpr unsigned kMostExecutions = 1'000'000;

struct DiagnoseOptions : FindingOptions {
  std::string budget = "5m";
  unsigned executions = DiagnosisLimits{}.executions;
};

DiagnosisLimits limits_of(const DiagnoseOptions& options) {
  return {duration_given("--budget", options.budget), options.executions};
}

int diagnose_finding(const DiagnoseOptions& options) {
  const DiagnosisLimits limits = limits_of(options);
  const StopSignals signals;
  FindingBench opened = open_finding(options);
  tell_warnings(opened);
  PreparedFinding ready(opened, signals.stop());
  Trials trials(*ready.executor, ready.exploration, opened.finding, limits, signals.stop());
  Diagnosis diagnosis = diagnose(trials, ready.exploration, opened.finding, ready.executors);
  const FindingServer& server = opened.bench.description;
  if (ready.elsewhere) diagnosis.server = fmt::format("{} ({})", server.path, server.version);
  put_report(options.common.json, diagnosis_text(diagnosis, opened.finding),
             diagnosis_json(diagnosis, opened.finding));
  if (!diagnosis.came) return kNothingFound;
  write_diagnosis(opened.file, diagnosis, opened.finding);
  return kFound;
}

}  // namespace

void add_diagnose_command(Command& app, Chosen& chosen) {
  const auto [command, options] = define<DiagnoseOptions>(
      app, chosen,
      {"diagnose", "the fewest switches that give a finding, and which decides", kDiagnoseExamples},
      diagnose_finding);
  add_finding_argument(command, options.finding);
  add_budget_options(command, options.budget, options.executions, kMostExecutions);
  add_finding_options(command, options);
}

}  // namespace esox
