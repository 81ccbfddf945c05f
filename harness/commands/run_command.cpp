// SPDX-License-Identifier: Apache-2.0
// esox run: one input looked at closely - every distinct outcome, how often it came, and which
// serial orders explain it.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "analysis/masks.h"
#include "base/mapped.h"
#include "base/text/counted.h"
#include "base/text/spelling.h"
#include "harness/commands/command.h"
#include "harness/commands/manual/help_format.h"
#include "harness/commands/options.h"
#include "harness/commands/output.h"
#include "harness/commands/stop_signals.h"
#include "harness/commands/workbench.h"
#include "harness/engine/known_servers.h"
#include "harness/hunt/outcome_groups.h"
#include "harness/hunt/pinning.h"
#include "harness/hunt/setup_check.h"
#include "harness/records/json_text.h"
#include "harness/records/progress.h"
#include "harness/records/synopsis.h"
#include "inputs/reader.h"
#include "targets/registry.h"

namespace esox {
namespace {

constexpr const char* kRunExamples = R"(
Examples:
  esox run my.yaml                                     100 executions on each engine
  esox run my.yaml --engine Aria --executions 500 --seed 7
  esox run pairs.yaml --id pairs/insert--select-all    one of the file's inputs
  esox run my.yaml --seed 7 --from 41 --executions 1   only the 41st execution of that seed

Nothing is written; esox hunt keeps what it finds, to be replayed.

Exit status: 0 no violation, 1 a violation that replays, 2 wrong use or bad input, 3 esox failed.)";

struct RunOptions {
  CommonOptions common;
  SearchOptions search;
  FilterOptions filters;
  std::string input;
  std::string id;
  uint64_t executions = 100;
  uint64_t from = 1;
};

// What came of one input on one engine.
struct RunResult {
  const ConcreteInput* input = nullptr;
  uint64_t executions = 0;
  bool contexts = false;  // threads of the server's own were scheduled, too
  std::vector<SerialRun> serial_runs;
  SerialGraph::Counts serial_counts;
  std::vector<NamedMask> masks;
  FilterAccount filters;
  std::vector<OutcomeGroup> groups;
  std::string search;       // how far a search of all schedules came; empty: there was none
  std::string search_text;  // the same in full

  bool found() const {
    for (const OutcomeGroup& group : groups) {
      if (group.confirmed > 0) return true;
    }
    return false;
  }
};

std::vector<Input> wanted_inputs(const RunOptions& options) {
  std::vector<Input> inputs = read_inputs(std::filesystem::path(options.input), languages());
  adapt_inputs(inputs, options.common.server);
  if (options.id.empty()) return inputs;
  for (const Input& input : inputs) {
    if (input.id == options.id) return {input};
  }
  const auto ids = mapped<std::string_view>(inputs, &Input::id);
  const std::string_view near = nearest_name(options.id, ids);
  throw UsageError(fmt::format("--id {}: {} holds no such input{}", options.id, options.input,
                               near.empty() ? fmt::format("; its first is {}", ids.front())
                                            : fmt::format("; did you mean {}?", near)));
}

RunResult run_input(Executor& executor, const ConcreteInput& input,
                    const ExplorationSettings& settings, const RunOptions& options,
                    const std::atomic<bool>& stop, Progress& progress) {
  Exploration exploration(input, settings);
  OutcomeGroups groups;
  RunResult result;
  result.input = &input;
  result.filters = empty_account(settings.filters.get());
  HuntReport figures;  // for the progress line
  figures.explorations = figures.touched = 1;
  figures.planned = options.executions;
  exploration.expect(static_cast<double>(options.executions));
  const auto start = std::chrono::steady_clock::now();
  for (uint64_t i = 0; i < options.executions && !stop.load() && !exploration.searched(); ++i) {
    const Judged judged = exploration.explore(executor, options.from + i);
    groups.add(judged, input.input, exploration.masks());
    note_forgiven(result.filters, input, judged.report.record, judged.verdict);
    ++result.executions;
    ++figures.executions;
    figures.degraded += judged.verdict.verdict == VerdictClass::kDegraded;
    figures.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    progress.show(figures);
  }
  progress.clear();
  result.contexts = exploration.has_contexts();
  result.serial_runs = exploration.serial_runs();
  result.serial_counts = exploration.serial_counts();
  if (exploration.search() != nullptr) result.search = exploration.search()->text();
  result.search_text = exploration.search_text();
  if (const auto systematic = exploration.systematic()) {
    result.search = text_of(*systematic);
    result.search_text = result.search.empty() ? "" : result.search + "\n";
  }
  result.masks = mask_names(exploration.masks(), client_names(input.input));
  result.groups = std::move(groups).take(exploration.masks());
  return result;
}

// ---- as text

std::string verdict_text(const OutcomeGroup& group) {
  if (!group.forgiven.empty()) {
    return fmt::format("FORGIVEN by {}", fmt::join(group.forgiven, "; "));
  }
  if (group.verdict == VerdictClass::kNone)
    return fmt::format("as {}", fmt::join(group.orders, ", or "));
  std::string text = group.verdict == VerdictClass::kDegraded
                         ? fmt::format("not judged: {}", fmt::join(group.reasons, "; "))
                         : fmt::format("VIOLATION, {}: {}", class_name(group.verdict),
                                       class_in_words(group.verdict, group.latent));
  if (!group.doubt.empty()) text += " (not confirmed: " + group.doubt + ")";
  return text;
}

std::string group_text(const OutcomeGroup& group, const std::vector<std::string>& names) {
  std::string text = fmt::format("  {:>5} x  {}\n", group.count, verdict_text(group));
  const std::string indent(10, ' ');
  for (size_t c = 0; c < group.outcome.outputs.size(); ++c) {
    for (size_t r = 0; r < group.outcome.outputs[c].size(); ++r) {
      text += fmt::format("{}{}: {}\n", indent, request_name(c, r, names),
                          reply_line(group.outcome.outputs[c][r]));
    }
  }
  for (const std::string& line : group.explanation) text += fmt::format("{}| {}\n", indent, line);
  return text + fmt::format("{}first in execution {}, seed {}\n", indent, group.first_execution,
                            group.first_seed);
}

std::string serial_text(const SerialRun& run, const std::vector<std::string>& names) {
  const std::string name = order_name(run.order, run.without, names);
  if (run.infeasible.empty()) return "  " + name + "\n";
  return fmt::format("  {}  could not be executed: {}\n", name, run.infeasible);
}

std::string result_text(const RunResult& result) {
  const Input& input = result.input->input;
  const auto names = client_names(input);
  std::string text = fmt::format("{}{}{}\n", input.id, result.input->engine.empty() ? "" : " on ",
                                 result.input->engine);
  for (const std::string& line : statement_lines(input, 16)) text += "  " + line + "\n";
  text += "Serial orders, executed twice each:\n";
  for (const SerialRun& run : result.serial_runs) text += serial_text(run, names);
  if (result.serial_counts.steps > 0) {
    text += fmt::format("  and, of the other orders, {} steps that led to {} distinct states\n",
                        result.serial_counts.steps, result.serial_counts.states);
  }
  for (const NamedMask& mask : result.masks) {
    text += fmt::format("  not compared, for equal serial runs differ there: {}\n", mask.name);
  }
  for (const std::string& reply : unequal_reply_lines(input, result.serial_runs)) {
    text += "    " + reply + "\n";
  }
  text += fmt::format("{}{}, {}:\n", counted(result.executions, "concurrent execution"),
                      result.contexts ? " with threads of the server's own" : "",
                      counted(result.groups.size(), "distinct outcome"));
  for (const OutcomeGroup& group : result.groups) text += group_text(group, names);
  text += result.search_text;
  return text + account_text(result.filters) + "\n";
}

// ---- as JSON

OrderedJson group_json(const OutcomeGroup& group, const std::vector<std::string>& names) {
  OrderedJson replies = OrderedJson::object();
  for (size_t c = 0; c < group.outcome.outputs.size(); ++c) {
    for (size_t r = 0; r < group.outcome.outputs[c].size(); ++r) {
      replies[request_name(c, r, names)] = reply_line(group.outcome.outputs[c][r]);
    }
  }
  return {{"count", group.count},
          {"class", class_name(group.verdict)},
          {"latent", group.latent},
          {"confirmed", group.confirmed},
          {"doubt", group.doubt},
          {"orders", group.orders},
          {"first_execution", group.first_execution},
          {"first_seed", group.first_seed},
          {"ending", ending_name(group.ending)},
          {"cause", group.cause},
          {"replies", replies},
          {"explanation", group.explanation},
          {"forgiven", group.forgiven},
          {"degraded_reasons", group.reasons}};
}

OrderedJson result_json(const RunResult& result) {
  const auto names = client_names(result.input->input);
  OrderedJson json = {{"input", result.input->input.id},
                      {"engine", result.input->engine},
                      {"executions", result.executions},
                      {"contexts", result.contexts}};
  json["serial_steps"] = result.serial_counts.steps;
  json["serial_states"] = result.serial_counts.states;
  json["serial_orders"] = json_list(result.serial_runs, [&](const SerialRun& run) -> OrderedJson {
    return {{"order", order_name(run.order, run.without, names)}, {"infeasible", run.infeasible}};
  });
  json["filters"] = json_list(result.filters, [&](const RuleAccount& rule) -> OrderedJson {
    return {{"rule", rule.name}, {"executions", rule.executions}, {"forgiven", rule.example}};
  });
  json["masks"] = json_list(result.masks, [&](const NamedMask& mask) -> OrderedJson {
    return {{"place", mask.name}, {"orders", mask.orders}};
  });
  if (!result.search.empty()) json["search"] = result.search;
  json["outcomes"] =
      json_list(result.groups, [&](const OutcomeGroup& group) { return group_json(group, names); });
  return json;
}

int run(const RunOptions& options) {
  ExplorationSettings settings = exploration_settings(options.search);
  std::vector<std::string> left_out;
  std::vector<Input> wanted = wanted_inputs(options);
  add_structures(wanted, options.search);
  const std::vector<ConcreteInput> inputs = instantiate_all(wanted, options.search, &left_out);
  settings.filters = load_filters(options.filters, server_kind(inputs));
  const StopSignals signals;
  Workbench bench = make_workbench(options.common, server_kind(inputs));
  bench.executor.contexts = settings.background != Background::kOff;
  check_setups(*bench.server, bench.executor.base, inputs, signals.stop());
  settings.server = {bench.description.version, bench.description.options};
  const CorePin pin(0, 1);
  ServerExecutor executor(*bench.server, bench.executor);
  Progress progress(stderr);
  progress.say(fmt::format("esox {} on {}\nseed {}, strategy {}", kEsoxVersion,
                           bench.description.version, settings.hunt_seed, settings.strategy_text));

  OrderedJson json = {{"version", kEsoxVersion},
                      {"server", bench.description.version},
                      {"seed", settings.hunt_seed},
                      {"strategy", settings.strategy_text},
                      {"runs", OrderedJson::array()}};
  bool found = false;
  for (const ConcreteInput& input : inputs) {
    if (signals.stop().load()) break;
    const RunResult result =
        run_input(executor, input, settings, options, signals.stop(), progress);
    found = found || result.found();
    json["runs"].push_back(result_json(result));
    if (!options.common.json.on_stdout()) put(result_text(result));
  }
  json["interrupted"] = signals.stop().load();
  put_json(options.common.json, json_text(json));
  return found ? kFound : kNothingFound;
}

}  // namespace

void add_run_command(Command& app, Chosen& chosen) {
  const auto [command, options] = define<RunOptions>(
      app, chosen, {"run", "explore one input and show each distinct outcome", kRunExamples}, run);
  command.add_option("INPUT", options.input, "an input file")->required();
  command.add_option("--id", options.id, "of several inputs in the file, this one");
  command.add_defaulted("--executions", options.executions, "on each engine",
                        within(uint64_t{1}, uint64_t{10'000'000}));
  command.add_defaulted("--from", options.from, "number of the first execution",
                        within(uint64_t{1}, uint64_t{1} << 40));
  add_search_options(command, options.search);
  add_data_choices_option(command, options.common, "timer");
  add_background_option(command, options.search);
  add_learn_option(command, options.search);
  add_structures_option(command, options.search);
  add_common_options(command, options.common);
  add_filter_options(command, options.filters);
  add_isolation_option(command, options.common);
  shorten_help(command.app(), {"--id", "--executions", "--from", "--engine", "--strategy", "--seed",
                               "--summary", "--server", "--server-option", "--filters", "--json"});
}

}  // namespace esox
