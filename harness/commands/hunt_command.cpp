// SPDX-License-Identifier: Apache-2.0
// esox hunt: explores many inputs for as long as it may and keeps what breaks.
//
// What can be wrong with inputs, options and machine is found out before anything is written; the
// progress goes to the standard error output, the result to the standard output.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>

#include "harness/commands/command.h"
#include "harness/commands/duration.h"
#include "harness/commands/options.h"
#include "harness/commands/stop_signals.h"
#include "harness/commands/workbench.h"
#include "harness/hunt/hunt.h"
#include "harness/hunt/out_folder.h"
#include "harness/hunt/pinning.h"
#include "harness/hunt/progress.h"
#include "harness/hunt/setup_check.h"
#include "harness/hunt/summary_text.h"
#include "harness/import/corpus.h"
#include "harness/import/corpus_reader.h"
#include "harness/reports/reports.h"
#include "harness/minimise/after_hunt.h"
#include "inputs/reader.h"
#include "inputs/settings.h"
#include "inputs/shipped.h"

namespace esox {
namespace {

constexpr size_t kDefaultJobs = 4;  // at most, by default
constexpr unsigned kMostJobs = 64;
constexpr size_t kMaxCorpusInputs = 200'000;
constexpr uint64_t kMostExecutions = 10'000'000;

constexpr const char* kExamples = R"(
Examples:
  esox hunt                                  the inputs that come with esox, to their end
  esox hunt --budget 2m                      the same for two minutes
  esox hunt corpus --budget 1h               a corpus's best-ranked inputs
  esox hunt my.yaml --engine Aria --seed 7   your own input on one engine
  esox hunt folder/ --executions 1000 --out found --json >report.json

What it finds lies in OUT/findings/, one folder each: finding.yaml, comparison.txt, trace.txt,
and elements.txt if the state differs.
At its end, beyond --budget, each is diagnosed and minimised within --diagnose-budget.
OUT/hunt.json holds the figures, OUT/report.html shows it all. Ctrl-C ends the hunt and keeps
everything found so far.

Exit status: 0 nothing found, 1 findings, 2 wrong use or bad input, 3 esox itself failed.)";

struct HuntOptions {
  CommonOptions common;
  SearchOptions search;
  FilterOptions filters;
  std::vector<std::string> inputs;
  uint64_t executions = 300;
  std::string budget;
  unsigned jobs = 0;  // 0: as many as cores, at most kDefaultJobs
  std::string out;
  std::string reports = "html";
  std::string diagnose_budget = "30s";
  bool no_gate = false;
  std::string settings;  // a file
  size_t top = 1000;
  bool all = false;
};

// The corpus among the paths, of which there may be one, alone.
std::optional<std::filesystem::path> corpus_of(const std::vector<std::string>& paths) {
  for (const std::string& path : paths) {
    if (!is_corpus(path)) continue;
    if (paths.size() == 1) return path;
    throw UsageError(
        fmt::format("{} is a corpus; hunt it alone, or name files in its inputs/", path));
  }
  return std::nullopt;
}

std::vector<Input> read_wanted(const HuntOptions& options) {
  if (options.inputs.empty()) return read_inputs(shipped_inputs());
  const auto corpus = corpus_of(options.inputs);
  if (corpus) return read_corpus(*corpus, options.all ? SIZE_MAX : options.top);
  return read_inputs(
      std::vector<std::filesystem::path>(options.inputs.begin(), options.inputs.end()));
}

// So that the next import ranks by it.
void remember(const std::filesystem::path& corpus, const Hunt& hunt) {
  std::map<std::string, HuntedInput> by_id;
  for (const InputAccount& account : hunt.accounts()) {
    HuntedInput& one = by_id[account.input];
    one.id = account.input;
    one.executions += account.executions;
    one.findings += account.findings;
  }
  std::vector<HuntedInput> hunted;
  for (auto& [id, one] : by_id) hunted.push_back(std::move(one));
  Corpus(corpus).add_history(hunted);
}

HuntSettings settings_of(const HuntOptions& options) {
  HuntSettings settings;
  settings.exploration = exploration_settings(options.search);
  settings.esox_version = kEsoxVersion;
  settings.executions_each = options.executions;
  settings.jobs = options.jobs != 0 ? options.jobs
                                    : static_cast<unsigned>(std::min(usable_cores(), kDefaultJobs));
  if (!options.budget.empty()) {
    settings.budget = parse_duration(options.budget);
    if (!settings.budget) {
      throw UsageError(
          fmt::format("--budget {}: not a duration; write 90s, 2m or 1h30m", options.budget));
    }
  }
  settings.out = options.out.empty() ? default_out() : std::filesystem::path(options.out);
  check_out(settings.out);
  return settings;
}

// Zero for "0".
std::chrono::milliseconds diagnose_budget(const HuntOptions& options) {
  if (options.diagnose_budget == "0") return {};
  const auto budget = parse_duration(options.diagnose_budget);
  if (budget) return *budget;
  throw UsageError(
      fmt::format("--diagnose-budget {}: not a duration; write 90s, 2m or 1h30m, or 0 for none",
                  options.diagnose_budget));
}

std::string head_text(const HuntReport& report, bool settings) {
  return fmt::format(
      "esox {} hunts {} input{} ({} with their engines{}) on {}\nseed {}, strategy {}, at most {} "
      "executions each, {} job{}{}",
      report.esox_version, report.inputs, report.inputs == 1 ? "" : "s", report.explorations,
      settings ? " and settings" : "", report.server_version, report.seed, report.strategy,
      report.executions_each, report.jobs, report.jobs == 1 ? "" : "s",
      report.budget_s ? ", budget " + duration_text(*report.budget_s) : "");
}

void tell_gate(const GateReport& gate, Progress& progress) {
  progress.say(
      fmt::format("gate: same seed twice gave the same trace {} of {}, the same outcome {} of {}",
                  gate.same_trace, gate.runs, gate.same_outcome, gate.runs));
  for (const std::string& difference : gate.differences) progress.say("gate: " + difference);
  if (gate.trusted()) return;
  progress.say(
      "WARNING: the same seed gave different outcomes. On this machine, or with these inputs, "
      "findings may not replay and verdicts may be wrong.");
}

// "latent, pairs/insert--select on Aria"
std::string name_of(const HuntFinding& finding) {
  const std::string conditions = conditions_of(finding.engine, finding.setting);
  return fmt::format("{}, {}{}{}", class_name(finding.verdict), finding.input,
                     conditions.empty() ? "" : " on ", conditions);
}

void tell_result(const HuntReport& report, const HuntSettings& settings, bool json) {
  const std::string text =
      json ? report_json(report)
           : summary_text(report) + fmt::format("All of it is in {}/\n", settings.out.string());
  std::fputs(text.c_str(), stdout);
  std::fflush(stdout);
}

// What was found is kept whatever becomes of its report, so that a failure of the hunt is told
// first.
void report_at_end(const HuntSettings& settings, const std::vector<ReportFormat>& formats,
                   const Hunt& hunt) {
  try {
    write_reports(read_report_data(settings.out), formats);
  } catch (...) {
    if (!hunt.failure()) throw;
  }
}

// Not after Ctrl-C, nor after a failure.
void look_into_findings(HuntReport& report, const HuntOptions& options,
                        const HuntSettings& settings, Server& server, const std::atomic<bool>& stop,
                        Progress& progress) {
  if (report.findings.empty() || report.interrupted || !report.failure.empty()) return;
  const auto say = [&progress](const std::string& line) { progress.show(line); };
  explain_findings(report, {server, settings.executor, settings.exploration,
                            diagnose_budget(options), stop, say});
  progress.clear();
  write_whole_file(settings.out / "hunt.json", report_json(report));
}

int hunt(const HuntOptions& options) {
  const std::vector<ReportFormat> reports = report_formats(options.reports);
  (void)diagnose_budget(options);
  std::vector<std::string> left_out;
  HuntSettings settings = settings_of(options);
  const auto corpus = corpus_of(options.inputs);
  std::vector<Input> wanted = read_wanted(options);
  add_structures(wanted, options.search);
  std::vector<ConcreteInput> inputs = instantiate_all(wanted, options.search, &left_out);
  if (!options.settings.empty()) {
    inputs = under_settings(std::move(inputs), read_settings(options.settings));
  }
  settings.exploration.filters = load_filters(options.filters, server_kind(inputs));

  const StopSignals signals;
  const Workbench bench = make_workbench(options.common, server_kind(inputs));
  settings.executor = bench.executor;
  settings.server = bench.description;
  settings.exploration.server_version = bench.description.version;
  settings.not_summarised = bench.not_summarised;
  // Of very many inputs, and of a corpus, some may not fit this server; the rest do.
  settings.skip_failing_setups =
      corpus || !check_setups(*bench.server, bench.executor.base, inputs, signals.stop());

  Hunt hunt(*bench.server, inputs, settings, signals.stop());
  std::vector<SkippedInput> skipped;
  skipped.reserve(left_out.size());
  for (const std::string& id : left_out) {
    skipped.push_back({id, "", "", "it is not meant for the engines asked for"});
  }
  hunt.set_skipped(std::move(skipped));
  Progress progress(stderr);
  progress.say(head_text(hunt.report(), !options.settings.empty()));
  if (!bench.not_summarised.empty()) {
    progress.say("not part of the state here: " + bench.not_summarised + " (see esox doctor)");
  }
  if (!options.no_gate && !signals.stop().load()) tell_gate(hunt.gate(), progress);
  if (signals.stop().load()) {
    progress.say("esox: stopped before the hunt began; nothing was written");
    return kNothingFound;
  }

  make_out(settings.out);
  size_t told = 0;
  hunt.run([&](const HuntReport& report) {
    for (; told < report.findings.size(); ++told) {
      progress.say("found: " + name_of(report.findings[told]));
    }
    progress.show(report);
  });
  progress.clear();
  HuntReport report = hunt.report();
  look_into_findings(report, options, settings, *bench.server, signals.stop(), progress);
  if (corpus) remember(*corpus, hunt);
  report_at_end(settings, reports, hunt);
  tell_result(report, settings, options.common.json);
  if (hunt.failure()) return tell_error(hunt.failure());
  return report.findings.empty() ? kNothingFound : kFound;
}

}  // namespace

void add_hunt_command(CLI::App& app, Chosen& chosen) {
  CLI::App* command =
      app.add_subcommand("hunt", "explore many inputs and keep every violation found");
  auto options = std::make_shared<HuntOptions>();
  command->add_option("INPUT", options->inputs,
                      "input files or folders, or a corpus made by esox import (default: the "
                      "inputs that come with esox)");
  command->add_option("--executions", options->executions, "at most so many, per input and engine")
      ->capture_default_str()
      ->check(CLI::Range(uint64_t{1}, kMostExecutions));
  command->add_option("--budget", options->budget, "end after so long: 90s, 2m, 1h30m");
  command
      ->add_option("--diagnose-budget", options->diagnose_budget,
                   "at the end, at most so long for diagnosing and minimising the findings; 0: off")
      ->capture_default_str();
  command
      ->add_option("--jobs", options->jobs,
                   "workers, each with a server (default: cores, at most 4)")
      ->check(CLI::Range(1u, kMostJobs));
  command->add_option("--out", options->out,
                      "folder for what is found, new or empty (default: esox-out/DATE-TIME)");
  command->add_option("--settings", options->settings,
                      "a file of server settings; each input is tried under each one besides");
  CLI::Option* top =
      command
          ->add_option("--top", options->top, "of a corpus: only so many inputs, the best-ranked")
          ->capture_default_str()
          ->check(CLI::Range(size_t{1}, kMaxCorpusInputs));
  command->add_flag("--all", options->all, "of a corpus: all inputs, in rank order")->excludes(top);
  command->add_option("--report", options->reports, "written into OUT at the end; see esox report")
      ->capture_default_str();
  command->add_flag("--no-gate", options->no_gate,
                    "skip the check that the same seed gives the same execution");
  add_search_options(*command, options->search);
  add_structures_option(*command, options->search);
  add_common_options(*command, options->common);
  add_filter_options(*command, options->filters);
  add_isolation_option(*command, options->common);
  command->footer(kExamples);
  command->callback([&chosen, options] { chosen = [options] { return hunt(*options); }; });
}

}  // namespace esox
