// SPDX-License-Identifier: Apache-2.0
#include "harness/commands/options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <random>
#include <system_error>

#include "base/process/paths.h"
#include "base/text/duration.h"
#include "base/text/number.h"
#include "base/time/utc.h"
#include "base/yaml/file_text.h"
#include "filters/circumstances.h"
#include "filters/expiry.h"
#include "filters/reader.h"
#include "harness/commands/command.h"
#include "harness/engine/known_servers.h"
#include "harness/engine/structures.h"
#include "harness/search/portfolio.h"
#include "harness/search/strategy_text.h"
#include "inputs/engine.h"
#include "inputs/summary_parts.h"
#include "preload/strategy/registry.h"
#include "targets/registry.h"

namespace esox {
namespace {

namespace fs = std::filesystem;

constexpr const char* kPreload = "libesox_preload.so";

// LD_PRELOAD separates its entries by these; there is no way to quote them.
void check_path(const fs::path& path) {
  if (path.string().find_first_of(": ") == std::string::npos) return;
  throw UsageError(
      fmt::format("{} cannot be preloaded: its path holds a blank or a colon; move esox elsewhere",
                  path.string()));
}

// "pct, random, pos, ..."
std::string strategies_that_explore() {
  std::vector<std::string_view> names;
  for (const StrategyFacts& one : known_strategies()) {
    if (explores(one.kind)) names.push_back(one.name);
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

// "indexes, answers, ...": of all servers, each once.
std::string summary_parts() {
  std::vector<std::string_view> names;
  for (const RequestLanguage* language : languages()) {
    for (const std::string_view part : language->summary_parts()) {
      if (std::ranges::find(names, part) == names.end()) names.push_back(part);
    }
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

StrategySpec strategy_of(const std::string& text) {
  try {
    const StrategySpec spec = strategy_from_text(text);
    if (explores(spec.kind)) return spec;
  } catch (const std::invalid_argument& error) {
    throw UsageError(
        fmt::format("--strategy: {}; or write {} or exhaustive", error.what(), kPortfolioName));
  }
  throw UsageError(
      fmt::format("--strategy {}: this one explores nothing; use one of {}, as in pct:d=3", text,
                  strategies_that_explore()));
}

std::optional<exhaustive::SearchSpec> search_of(const std::string& strategy) {
  try {
    return exhaustive::search_spec_of(strategy);
  } catch (const exhaustive::SearchSpecError& error) {
    throw UsageError(fmt::format("--strategy: {}", error.what()));
  }
}

void choose_summary(const SearchOptions& options, std::vector<ConcreteInput>& inputs) {
  if (options.summary.empty()) return;
  for (ConcreteInput& one : inputs) {
    const std::string complaint = summary_complaint(options.summary, *one.input.language);
    if (!complaint.empty()) throw UsageError(fmt::format("--summary: {}", complaint));
    one.input.summary = options.summary;
  }
}

}  // namespace

fs::path find_preload(const fs::path& wanted) {
  fs::path found;
  if (!wanted.empty()) {
    if (!is_file(wanted)) {
      throw UsageError(
          fmt::format("--preload {}: no such file; name {}", wanted.string(), kPreload));
    }
    found = fs::canonical(wanted);
  } else {
    std::error_code error;
    const fs::path folder = fs::read_symlink("/proc/self/exe", error).parent_path();
    for (const fs::path& place : {folder, folder.parent_path() / "lib/esox", folder / "preload"}) {
      if (found.empty() && is_file(place / kPreload)) found = place / kPreload;
    }
    if (found.empty()) {
      throw UsageError(fmt::format("no {} beside {}; install esox again or name it by --preload",
                                   kPreload, (folder / "esox").string()));
    }
  }
  check_path(found);
  return found;
}

std::chrono::milliseconds duration_given(const char* option, const std::string& text) {
  if (const auto duration = parse_duration(text)) return *duration;
  throw UsageError(fmt::format("{} {}: not a duration; write 90s, 2m or 1h30m", option, text));
}

DataChoiceModes data_choices_given(const CommonOptions& options, DataChoiceUse use) {
  try {
    return parse_data_choices(options.data_choices, use);
  } catch (const std::invalid_argument& error) {
    throw UsageError(fmt::format("--data-choices: {}", error.what()));
  }
}

void add_server_options(Command& command, CommonOptions& options) {
  command.add_option("--server", options.server,
                     "the server's program, a path or a name in $PATH (default: mariadbd)");
  add_report_options(command, options);
}

void add_report_options(Command& command, CommonOptions& options) {
  command.add_option("--preload", options.preload,
                     "libesox_preload.so (default: the one that came with this esox)");
  add_json_option(command, options.json);
}

void add_store_options(Command& command, std::string& store, bool& no_store, std::string& fail_on,
                       const char* folder) {
  Option* file = command.add_option("--store", store,
                                    fmt::format("the triage store, a file, to which findings are "
                                                "added (default: findings.db beside the {} folder)",
                                                folder));
  Option* none = command.add_flag("--no-store", no_store, "add them to none");
  none->excludes(file);
  Option* when = command.add_defaulted("--fail-on", fail_on,
                                       "which findings make the exit status 1: any, new (those "
                                       "nobody has looked at yet, and regressed ones), none",
                                       one_of({"any", "new", "none"}));
  none->excludes(when);
}

bool fails_on(const std::string& fail_on, size_t findings, const std::vector<Filed>& filed) {
  if (fail_on == "none") return false;
  if (fail_on == "any") return findings > 0;
  return std::ranges::any_of(filed, [](const Filed& one) {
    return one.state == TriageState::kNew || one.state == TriageState::kRegressed;
  });
}

void add_shard_options(Command& command, std::string& shard, std::string& campaign) {
  Option* part = command.add_option("--shard", shard,
                                    "of the work divided over OF machines only part NUMBER, such "
                                    "as 3/20; needs --seed (docs/many-machines.md)");
  command
      .add_option("--campaign", campaign,
                  "with --shard: a name that all shards share, so that another hunt of the same "
                  "inputs and seed is counted for itself")
      ->needs(part);
}

void add_isolation_option(Command& command, CommonOptions& options) {
  command.add_defaulted(
      "--isolation", options.isolation,
      "how an execution gets an untouched server: snapshot (a fork of one that was set up), "
      "restart, or auto (snapshot where machine and server allow it)",
      one_of({"auto", "snapshot", "restart"}));
}

void add_common_options(Command& command, CommonOptions& options) {
  add_server_options(command, options);
  add_server_option(command, options);
}

void add_server_option(Command& command, CommonOptions& options) {
  command
      .add_option(
          "--server-option", options.server_options,
          "an option for the server, as in --server-option=--query-cache-size=0; may be repeated")
      ->allow_extra_args(false);
}

void add_strategy_option(Command& command, std::string& strategy) {
  command.add_defaulted(
      "--strategy", strategy,
      fmt::format("how threads are scheduled: {} (several, by what they find), {}; or all "
                  "schedules: exhaustive, exhaustive:preemptions=1, exhaustive:delays=1, iterative",
                  kPortfolioName, strategies_that_explore()));
}

void add_search_options(Command& command, SearchOptions& options) {
  command
      .add_option("--engine", options.engines,
                  "storage engines, separated by commas (default: Aria,MyISAM,InnoDB)")
      ->delimiter(',')
      ->allow_extra_args(false);
  add_strategy_option(command, options.strategy);
  command.add_option("--summary", options.summary,
                     "which parts of the state are looked at beside tables, rows and checks: auto "
                     "(all that the statements can touch), all, basic (none), or some with commas "
                     "(default: as the input says, else auto); there are " +
                         summary_parts());
  command.add_option("--seed", options.seed, "repeats an earlier run (default: drawn and printed)");
}

void add_data_choices_option(Command& command, CommonOptions& options, std::string_view last) {
  options.data_choices = data_choices_text(shipped_data_choices());
  command.add_defaulted(
      "--data-choices", options.data_choices,
      fmt::format("what calls may give beside what they give most often, KIND=MODE,...: signal, "
                  "spurious, early-timeout, trylock, short-io, eintr, {} or all, each off, rare or "
                  "on; none: all off (docs/data-choices.md)",
                  last));
}

void add_background_option(Command& command, SearchOptions& options) {
  command.add_defaulted("--background", options.background,
                        "on: threads of the server's own are scheduled beside the clients'; auto: "
                        "of inputs where they do work that meets the clients (docs/background.md)",
                        one_of({"auto", "on", "off"}));
}

void add_learn_option(Command& command, SearchOptions& options) {
  command.add_defaulted("--learn", options.learn,
                        "on: part of the executions choose only where earlier ones of the input "
                        "have shown conflicts; auto: on under the portfolio (docs/learning.md)",
                        one_of({"auto", "on", "off"}));
}

void add_filter_options(Command& command, FilterOptions& options) {
  auto* files = command
                    .add_option("--filters", options.files,
                                "a file of rules that say what is forgiven (docs/filters.md), in "
                                "place of the shipped one; may be repeated")
                    ->allow_extra_args(false);
  command.add_flag("--no-filters", options.none, "forgive nothing")->excludes(files);
}

std::shared_ptr<const RuleSet> load_filters(const FilterOptions& options,
                                            const std::string& server_kind) {
  if (options.none) return nullptr;
  std::vector<fs::path> files(options.files.begin(), options.files.end());
  if (files.empty()) {
    const auto shipped = target_named(server_kind).filters_file();
    if (!shipped) return nullptr;
    files.push_back(*shipped);
  }
  auto rules = std::make_shared<RuleSet>(read_rules(files, known_servers()));
  refuse_expired(*rules, utc_date());
  const bool some = std::ranges::any_of(
      rules->rules, [&](const Rule& rule) { return is_for(rule, server_kind); });
  if (some) return rules;
  throw UsageError(fmt::format("--filters {}: none of its rules is for a {} server",
                               fmt::join(options.files, ", "), server_kind));
}

void add_structures_option(Command& command, SearchOptions& options) {
  command
      .add_option("--structures", options.structures,
                  "a description of what to read of the server's memory at the end; may be "
                  "repeated (docs/reading-a-frozen-server.md)")
      ->allow_extra_args(false);
}

uint64_t seed_of(const std::string& text) {
  if (text.empty()) return std::random_device{}();
  const bool hex = text.starts_with("0x");
  const std::string_view digits = std::string_view(text).substr(hex ? 2 : 0);
  if (const auto seed = number_of<uint64_t>(digits, hex ? 16 : 10)) return *seed;
  throw UsageError(fmt::format(
      "--seed {}: not a number from 0 to 18446744073709551615, or 0x and 16 digits at most", text));
}

ExplorationSettings exploration_settings(const SearchOptions& options) {
  ExplorationSettings settings;
  settings.portfolio = options.strategy == kPortfolioName;
  settings.search = search_of(options.strategy);
  if (settings.portfolio) {
    settings.strategy_text = kPortfolioName;
  } else if (settings.search) {
    settings.strategy.kind = StrategyKind::kPct;  // where an execution is none of the search's
    settings.strategy_text = text_of(*settings.search);
  } else {
    settings.strategy = strategy_of(options.strategy);
    settings.strategy_text = strategy_text(settings.strategy);
  }
  settings.hunt_seed = seed_of(options.seed);
  settings.learn = options.learn == "on" || (options.learn == "auto" && settings.portfolio);
  if (settings.learn && settings.search) {
    throw UsageError(fmt::format("--learn on: strategy {} looks at all points; leave --learn away",
                                 settings.strategy_text));
  }
  settings.background = background_of(options.background);
  settings.clock_base_ns = kClockBase_ns;
  return settings;
}

void add_structures(std::vector<Input>& inputs, const SearchOptions& options) {
  std::vector<StructureText> added;
  for (const std::string& file : options.structures) added.push_back({file, file_text(file)});
  for (Input& input : inputs) {
    input.structures.insert(input.structures.end(), added.begin(), added.end());
    (void)structures_of(input);
  }
}

std::vector<ConcreteInput> instantiate_all(const std::vector<Input>& inputs,
                                           const SearchOptions& options,
                                           std::vector<std::string>* left_out) {
  std::vector<ConcreteInput> all;
  std::vector<std::string> wanted;
  for (const Input& input : inputs) {
    wanted = canonical_engines(*input.language, options.engines);
    std::vector<ConcreteInput> some = instantiate(input, wanted);
    if (some.empty()) left_out->push_back(input.id);
    for (ConcreteInput& one : some) all.push_back(std::move(one));
  }
  if (all.empty()) {
    throw UsageError(fmt::format("none of the {} inputs is meant for {}; give another --engine",
                                 inputs.size(), fmt::join(wanted, ", ")));
  }
  choose_summary(options, all);
  return all;
}

}  // namespace esox
