// SPDX-License-Identifier: Apache-2.0
// esox replay: runs a finding's schedule again, each time on a fresh server, and says whether the
// same outcome came.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "analysis/report/comparison_text.h"
#include "harness/commands/command.h"
#include "harness/commands/finding_bench.h"
#include "harness/commands/options.h"
#include "harness/commands/stop_signals.h"
#include "harness/hunt/exploration.h"
#include "harness/hunt/pinning.h"

namespace esox {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kExamples = R"(
Examples:
  esox replay esox-out/2025-11-21-101500/findings/0123456789abcdef
  esox replay finding.yaml --times 20
  esox replay finding.yaml --server /opt/mariadb-12/sbin/mariadbd   does a newer server have it?

Exit status: 0 the outcome never came, 1 it came at least once, 2 wrong use or bad input, 3 esox
itself failed.)";

constexpr unsigned kMostTimes = 100'000;

struct ReplayOptions {
  CommonOptions common;
  FilterOptions filters;
  std::string finding;
  unsigned times = 1;
};

struct Attempt {
  ReplayMatch match;
  std::vector<std::string> degraded_reasons;
  uint32_t diverged = 0;  // choices that could not be followed
};

struct Outcomes {
  std::vector<Attempt> attempts;
  unsigned same = 0;
  std::vector<std::string> warnings;
  std::string explanation;  // of the first execution with the same outcome, else of the last one
};

void say(const ReplayOptions& options, const std::string& line) {
  std::FILE* stream = options.common.json ? stderr : stdout;
  std::fputs((line + "\n").c_str(), stream);
  std::fflush(stream);
}

std::string attempt_text(const Attempt& attempt) {
  if (attempt.match.same) return "the same outcome";
  std::string text = "ANOTHER outcome: " + attempt.match.why;
  for (const std::string& reason : attempt.degraded_reasons) text += "; " + reason;
  return text;
}

std::string explain(Executor& executor, Exploration& exploration, ExecutionReport report) {
  exploration.prepare(executor);
  const Judged judged = exploration.judge_report(executor, std::move(report));
  const ExecutionRecord& record = judged.report.record;
  Symbols symbols(record.modules);
  return comparison_text(exploration.input(), record, judged.verdict, exploration.masks(), symbols);
}

Outcomes replay_all(Executor& executor, Exploration& exploration, const Finding& finding,
                    const ReplayOptions& options, const std::atomic<bool>& stop) {
  ExecutionPlan plan = exploration.plan_replay(finding.choices, finding.values, finding.seed);
  plan.number = finding.first_execution;
  plan.strategy_text = finding.strategy + " (replayed)";
  Outcomes outcomes;
  std::optional<ExecutionReport> telling;
  for (unsigned i = 0; i < options.times && !stop.load(); ++i) {
    ExecutionReport report = executor.run(plan);
    const Attempt attempt{match_replay(report.record, finding, exploration.rules()),
                          report.record.degraded_reasons, report.diverged};
    say(options, fmt::format("{:>4} of {}: {}", i + 1, options.times, attempt_text(attempt)));
    if (outcomes.same == 0) telling = std::move(report);
    outcomes.same += attempt.match.same ? 1 : 0;
    outcomes.attempts.push_back(attempt);
  }
  if (telling && !stop.load()) {
    outcomes.explanation = explain(executor, exploration, std::move(*telling));
  }
  return outcomes;
}

Json outcomes_json(const Finding& finding, const FindingServer& server, const Outcomes& outcomes) {
  Json json = {{"version", kEsoxVersion},
               {"finding", finding.id},
               {"input", finding.input.input.id},
               {"engine", finding.input.engine},
               {"setting", finding.input.setting},
               {"class", class_name(finding.verdict)},
               {"latent", finding.latent},
               {"server", server.version},
               {"warnings", outcomes.warnings},
               {"times", outcomes.attempts.size()},
               {"same", outcomes.same},
               {"attempts", Json::array()},
               {"explanation", outcomes.explanation}};
  for (const Attempt& attempt : outcomes.attempts) {
    json["attempts"].push_back({{"same", attempt.match.same},
                                {"why", attempt.match.why},
                                {"diverged", attempt.diverged},
                                {"degraded_reasons", attempt.degraded_reasons}});
  }
  return json;
}

int replay(const ReplayOptions& options) {
  const StopSignals signals;
  FindingBench opened = open_finding(options.finding, options.common, options.filters);
  const Finding& finding = opened.finding;
  const Workbench& bench = opened.bench;
  for (const std::string& line : finding_head(opened)) say(options, line);
  const CorePin pin(0, 1);
  Executor executor(*bench.server, bench.executor);
  Exploration exploration(finding.input, opened.settings);
  Outcomes outcomes = replay_all(executor, exploration, finding, options, signals.stop());
  outcomes.warnings = opened.warnings;
  if (options.common.json) {
    const Json json = outcomes_json(finding, bench.description, outcomes);
    std::fputs((json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n").c_str(), stdout);
  } else {
    say(options, "\n" + outcomes.explanation);
    say(options, fmt::format("{} of {} gave the recorded outcome.", outcomes.same,
                             outcomes.attempts.size()));
  }
  return outcomes.same > 0 ? kFound : kNothingFound;
}

}  // namespace

void add_replay_command(CLI::App& app, Chosen& chosen) {
  CLI::App* command = app.add_subcommand("replay", "run a finding's schedule again");
  auto options = std::make_shared<ReplayOptions>();
  command->add_option("FINDING", options->finding, "a finding's folder, or its finding.yaml")
      ->required();
  command->add_option("--times", options->times, "how often, each time on a fresh server")
      ->capture_default_str()
      ->check(CLI::Range(1u, kMostTimes));
  add_filter_options(*command, options->filters);
  add_server_options(*command, options->common);
  add_isolation_option(*command, options->common);
  command->footer(kExamples);
  command->callback([&chosen, options] { chosen = [options] { return replay(*options); }; });
}

}  // namespace esox
