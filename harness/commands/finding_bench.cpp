// SPDX-License-Identifier: Apache-2.0
#include "harness/commands/finding_bench.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "base/process/paths.h"
#include "filters/circumstances.h"
#include "filters/reader.h"
#include "harness/commands/output.h"
#include "harness/engine/known_servers.h"
#include "harness/engine/structures.h"
#include "harness/findings/replay/replayer.h"
#include "harness/records/control_record.h"
#include "harness/records/finding_file.h"
#include "harness/records/synopsis.h"
#include "harness/search/strategy_text.h"
#include "preload/protocol/layout.h"
#include "targets/registry.h"

namespace esox {
namespace {

namespace fs = std::filesystem;

// The finding's own server unless another is named; if that is gone, what is found here. Options
// given are added to the finding's.
CommonOptions with_server(CommonOptions options, const Finding& finding,
                          std::vector<std::string>& warnings) {
  options.server_options.insert(options.server_options.begin(), finding.server.options.begin(),
                                finding.server.options.end());
  if (!options.server.empty()) return options;
  if (is_there(finding.server.path)) {
    options.server = finding.server.path;
  } else {
    warnings.push_back(fmt::format("the finding's server {} is not here", finding.server.path));
  }
  return options;
}

void compare_servers(const Finding& finding, const FindingServer& server,
                     std::vector<std::string>& warnings) {
  if (server.path != finding.server.path) {
    warnings.push_back(
        fmt::format("the server is {}, the finding's was {}", server.path, finding.server.path));
  }
  if (server.version != finding.server.version) {
    warnings.push_back(fmt::format(
        "the server is another version: {}; the finding's was {}; its schedule may not fit",
        server.version, finding.server.version));
  }
  if (server.options != finding.server.options) {
    warnings.push_back(fmt::format(
        "the server has more options than the finding's: {}",
        fmt::join(
            server.options.begin() + static_cast<std::ptrdiff_t>(finding.server.options.size()),
            server.options.end(), " ")));
  }
}

// Those under which the finding was judged, expired or not, unless others are asked for, or none of
// them is for this server of the family.
std::shared_ptr<const RuleSet> filters_of(const Finding& finding, const FilterOptions& options) {
  const std::string server = finding.input.input.server();
  if (options.none || !options.files.empty()) return load_filters(options, server);
  auto rules = std::make_shared<RuleSet>(parse_rules(finding.filters, known_servers()));
  const bool some =
      std::ranges::any_of(rules->rules, [&](const Rule& rule) { return is_for(rule, server); });
  return some || rules->rules.empty() ? rules : load_filters(options, server);
}

ExplorationSettings settings_of(const Finding& finding, const FindingServer& server,
                                std::shared_ptr<const RuleSet> filters) {
  ExplorationSettings settings;
  settings.filters = std::move(filters);
  settings.server = {server.version, server.options};
  settings.strategy_text = finding.strategy;
  settings.clock_base_ns = static_cast<int64_t>(finding.clock_base_ns);
  settings.background = had_contexts(finding.control) ? Background::kOn : Background::kOff;
  return settings;
}

// Where a schedule could not have come from an execution, the file has been changed.
void check_schedule(const Finding& finding, const fs::path& file) {
  const auto& clients = finding.input.input.clients;
  bool whole = finding.choices.size() <= kMaxChoices && finding.values.size() <= kMaxValues;
  const bool contexts = had_contexts(finding.control);
  const auto is_there = [&](ThreadId thread) {
    const bool context = contexts && thread >= kMaxClients;
    return thread < clients.size() || (context && thread < kMaxSlots);
  };
  for (const Choice& choice : finding.choices) whole = whole && is_there(choice.thread);
  if (whole) return;
  throw FindingError(fmt::format(
      "{}: schedule.choices does not fit the input's {} clients, or is too long; was it changed?",
      file.string(), clients.size()));
}

}  // namespace

fs::path finding_file(const std::string& given) {
  const fs::path path(given);
  return is_folder(path) ? path / "finding.yaml" : path;
}

void add_finding_argument(Command& command, std::string& finding) {
  command.add_option("FINDING", finding, "a finding's folder, or its finding.yaml")->required();
}

void add_finding_search_options(Command& command, FindingSearchOptions& options,
                                const std::string& of) {
  constexpr uint64_t kMostOfOneFinding = 10'000'000;
  command.add_defaulted("--executions", options.executions, of,
                        within(uint64_t{1}, kMostOfOneFinding));
  Option* budget =
      command.add_option("--budget", options.budget, "end them after so long: 90s, 2m, 1h30m");
  if (!options.budget.empty()) budget->capture_default_str();
  command.add_defaulted("--attempts", options.variants,
                        "how many variants of the re-aligned schedule are tried");
  command.add_option("--seed", options.seed, "of the executions (default: the finding's)");
}

void add_budget_options(Command& command, std::string& budget, unsigned& executions,
                        unsigned most) {
  command.add_defaulted("--budget", budget, "end after so long: 90s, 2m, 1h30m");
  command.add_defaulted("--executions", executions, "end after so many executions",
                        within(1u, most));
}

void add_finding_options(Command& command, FindingOptions& options) {
  add_filter_options(command, options.filters);
  add_common_options(command, options.common);
  add_isolation_option(command, options.common);
}

FindingBench open_finding(const FindingOptions& options) {
  FindingBench opened;
  opened.file = finding_file(options.finding);
  opened.finding = read_finding(opened.file);
  adapt_inputs({&opened.finding.input.input, 1}, options.common.server);
  const Finding& finding = opened.finding;
  check_schedule(finding, opened.file);
  (void)structures_of(finding.input.input);
  const auto rules = filters_of(finding, options.filters);
  const ControlSettings control = control_from_record(finding.control, opened.file.string());
  opened.bench = make_workbench(with_server(options.common, finding, opened.warnings),
                                finding.input.input.server());
  opened.bench.executor.control = control;
  opened.bench.executor.contexts = had_contexts(finding.control);
  compare_servers(finding, opened.bench.description, opened.warnings);
  opened.settings = settings_of(finding, opened.bench.description, rules);
  return opened;
}

void tell_warnings(const FindingBench& bench) {
  for (const std::string& warning : bench.warnings) warn("WARNING: " + warning);
}

PreparedFinding::PreparedFinding(FindingBench& opened, const std::atomic<bool>& stop)
    : executors(server_executors(*opened.bench.server, opened.bench.executor)),
      executor(executors({})),
      exploration(opened.finding.input, opened.settings),
      elsewhere(opened.bench.description.path != opened.finding.server.path) {
  Finding& finding = opened.finding;
  exploration.add_known_masks(finding.masks);
  exploration.prepare(*executor);
  if (!elsewhere) return;
  Replayer replayer(*executor, exploration, finding, kVariants, stop);
  const ReplayAttempt attempt = replayer.once();
  if (attempt.result == ReplayResult::kNotReproduced) return;
  finding.choices = attempt.judged.report.record.choices;
  finding.values = attempt.judged.report.record.values;
}

void search_as_found(const Finding& finding, uint64_t seed, ExplorationSettings& settings) {
  constexpr StrategySpec kDefault{.kind = StrategyKind::kWeightedWalk};
  settings.strategy = exploring_strategy(finding.strategy).value_or(kDefault);
  settings.strategy_text = strategy_text(settings.strategy);
  settings.hunt_seed = seed;
}

std::string input_line(const Finding& finding) {
  const std::string conditions = conditions_of(finding.input);
  return finding.input.input.id + (conditions.empty() ? "" : " on ") + conditions;
}

std::string violation_line(const Finding& finding) {
  return fmt::format("{}: {}", class_name(finding.verdict),
                     class_in_words(finding.verdict, finding.latent));
}

std::vector<std::string> finding_head(const FindingBench& bench) {
  const Finding& finding = bench.finding;
  std::vector<std::string> lines{
      fmt::format("finding {}: {}\n{}", finding.id, input_line(finding), violation_line(finding))};
  for (const std::string& warning : bench.warnings) lines.push_back("WARNING: " + warning);
  return lines;
}

}  // namespace esox
