// SPDX-License-Identifier: Apache-2.0
// esox hunt: explores many inputs for as long as it may and keeps what breaks.
// With --resume it goes on with a hunt that ended early (hunt_assignment.h).
//
// What can be wrong with inputs, options and machine is found out before anything is written; the
// progress goes to the standard error output, the result to the standard output.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>

#include "base/text/counted.h"
#include "harness/commands/command.h"
#include "harness/commands/hunt_assignment.h"
#include "harness/commands/manual/help_format.h"
#include "harness/commands/options.h"
#include "harness/commands/output.h"
#include "harness/commands/stop_signals.h"
#include "harness/commands/workbench.h"
#include "harness/findings/minimise/after_hunt.h"
#include "harness/findings/reproduce/hunt_reproducers.h"
#include "harness/hunt/hunt.h"
#include "harness/hunt/setup_check.h"
#include "harness/import/corpus.h"
#include "harness/records/control_record.h"
#include "harness/records/out_folder.h"
#include "harness/records/progress.h"
#include "harness/records/reports/reports.h"
#include "harness/records/summary_text.h"
#include "harness/records/triage/families.h"
#include "harness/records/triage/recording.h"

namespace esox {
namespace {

constexpr unsigned kMostHuntJobs = 64;
constexpr size_t kMaxCorpusInputs = 200'000;
constexpr uint64_t kMostExecutions = 10'000'000;

constexpr const char* kHuntExamples = R"(
Examples:
  esox hunt                                  the inputs that come with esox, to their end
  esox hunt --budget 2m                      the same for two minutes
  esox hunt corpus --budget 1h               a corpus's best-ranked inputs
  esox hunt my.yaml --engine Aria --seed 7   your own input on one engine
  esox hunt folder/ --executions 1000 --out found --json >report.json
  esox hunt --seed 7 --shard 3/20            what the third of twenty machines does of it
  esox hunt --resume found                   goes on with a hunt that ended early

What it finds lies in OUT/findings/, one folder each: finding.yaml, comparison.txt, trace.txt,
and elements.txt if the state differs.
At its end, beyond --budget, each is diagnosed and minimised within --diagnose-budget; in what is
left of that, reproducers are made (esox reproduce).
OUT/hunt.json holds the figures, OUT/report.html shows it all. Ctrl-C ends the hunt and keeps
everything found so far.
However a hunt ended - its budget, Ctrl-C, kill -9 - it goes on by --resume OUT, which knows its
inputs and options; beside it only --jobs, --budget (of all launches together) and what concerns
the report may be given.

What was found is also added to the triage store, which knows it from earlier hunts: esox triage.

Exit status: 0 nothing found, 1 findings (see --fail-on), 2 wrong use or bad input, 3 esox itself
failed.)";

// So that the next import ranks by it, and the next hunt knows where clients conflict.
void remember(const std::filesystem::path& corpus, const std::string& server_version, Hunt& hunt) {
  std::map<std::string, HuntedInput> by_id;
  std::vector<ShownConflicts> shown;
  for (InputAccount& account : hunt.tell_accounts()) {
    HuntedInput& one = by_id[account.input];
    one.id = account.input;
    one.executions += account.executions;
    one.findings += account.findings;
    if (account.conflicts.empty()) continue;
    shown.push_back({account.input, account.engine, std::move(account.conflicts)});
  }
  std::vector<HuntedInput> hunted;
  hunted.reserve(by_id.size());
  for (auto& [id, one] : by_id) hunted.push_back(std::move(one));
  Corpus index(corpus);
  index.add_history(hunted);
  index.set_conflicts(server_version, shown);
}

// Where inputs of earlier hunts have conflicted. Of a corpus that shards of one campaign share, the
// pool would depend on which of them have ended: they do without.
std::shared_ptr<const ConflictPool> pool_for(const HuntAssignment& assignment,
                                             const std::string& server_version) {
  if (assignment.state) return std::make_shared<ConflictPool>(assignment.state->pool());
  ConflictPool pool;
  if (assignment.corpus && !assignment.shard) {
    pool = Corpus(*assignment.corpus).conflicts(server_version);
  }
  if (assignment.learnt.server_versions == std::set{server_version}) {
    merge_pools(assignment.learnt.pool, pool);
  }
  return std::make_shared<ConflictPool>(std::move(pool));
}

// ", shard 3/20 of 481"
std::string shard_clause(const std::optional<ShardPlace>& place) {
  if (!place) return "";
  return fmt::format(", shard {} of {}", shard_text(place->shard), place->explorations);
}

std::string head_text(const HuntReport& report, const HuntAssignment& assignment) {
  return fmt::format(
      "esox {} hunts {} ({} with their engines{}{}) on {}\nseed {}, strategy {}{}, at most {} "
      "executions each, {}{}",
      report.esox_version, counted(report.inputs, "input"), report.explorations,
      assignment.under_settings ? " and settings" : "", shard_clause(assignment.shard),
      report.server_version, report.seed, report.strategy, report.learn ? ", learning" : "",
      report.executions_each, counted(report.jobs, "job"),
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
  const std::string conditions = conditions_of(finding);
  return fmt::format("{}, {}{}{}", class_name(finding.verdict), finding.input,
                     conditions.empty() ? "" : " on ", conditions);
}

// How to go on with a hunt that did not execute all it was to.
std::string how_to_go_on(const Hunt& hunt, const HuntReport& report, const HuntSettings& settings) {
  if (hunt.finished()) return "";
  const bool spent = !report.interrupted && report.failure.empty();
  return fmt::format("esox: it goes on by esox hunt --resume {}{}\n", settings.out.string(),
                     spent ? " --budget TIME, of both launches together" : "");
}

void tell_resumed(const HuntReport& report, const HuntState& state, Progress& progress) {
  progress.say(
      fmt::format("goes on where it ended after {}: {} of {} executions, {} so far (launch {})",
                  duration_text(report.seconds), report.executions, report.planned,
                  counted(report.findings.size(), "finding"), state.launches() + 1));
}

// A first launch checks what a later one knows.
void settle(const HuntAssignment& assignment, const Workbench& bench, HuntSettings& settings,
            const std::atomic<bool>& stop) {
  settings.control = control_record(bench.executor.control);
  settings.server = bench.description;
  settings.exploration.server = {bench.description.version, bench.description.options};
  settings.not_summarised = bench.not_summarised;
  if (settings.exploration.learn)
    settings.exploration.pool = pool_for(assignment, bench.description.version);
  if (assignment.state) return refuse_other_server(assignment, bench.description);
  // Of very many inputs, of a corpus, and of inputs for another flavour, some may not fit this
  // server; the rest do. A shard does not know how many the others have.
  settings.skip_failing_setups =
      assignment.corpus || assignment.shard || assignment.adapted ||
      !check_setups(*bench.server, bench.executor.base, assignment.inputs, stop);
}

// Schedules are told in points of the clients, which another build of the server has about as many
// of; the call sites that conflict are those of one build.
Experiences fitting(const HuntAssignment& assignment, const std::string& server_version,
                    Progress& progress) {
  Experiences experiences = assignment.learnt.experiences;
  const bool same = assignment.learnt.server_versions == std::set{server_version};
  size_t known = 0;
  for (const ConcreteInput& input : assignment.inputs) {
    const auto found = experiences.find(key_of(input));
    if (found == experiences.end()) continue;
    ++known;
    if (!same) found->second.lessons = {};
  }
  if (assignment.learnt.server_versions.empty()) return experiences;
  progress.say(fmt::format("begins with what earlier hunts learnt of {} of {} inputs{}", known,
                           assignment.inputs.size(),
                           same ? "" : ", but for places that conflict: that was another server"));
  return experiences;
}

void tell_pool(const HuntSettings& settings, bool resumed, Progress& progress) {
  const ConflictPool* pool = settings.exploration.pool.get();
  if (resumed || pool == nullptr || pool->empty()) return;
  progress.say(
      fmt::format("begins with {} places where inputs of earlier hunts conflicted", pool->size()));
}

void run_hunt(Hunt& hunt, Progress& progress) {
  size_t told = hunt.report().findings.size();
  hunt.run([&](const HuntReport& report) {
    for (; told < report.findings.size(); ++told) {
      progress.say("found: " + name_of(report.findings[told]));
    }
    progress.show(report);
  });
  progress.clear();
}

// What a launch came to; the hunt itself has closed its files by then.
struct Launch {
  bool begun = false;
  HuntReport report;
  std::exception_ptr failure;
  std::string go_on;
};

// Zero for "0".
std::chrono::milliseconds diagnose_budget(const HuntOptions& options) {
  if (options.diagnose_budget == "0") return {};
  return duration_given("--diagnose-budget", options.diagnose_budget);
}

// What follows the executions; all of it is checked before the hunt begins.
struct Afterwards {
  std::chrono::milliseconds diagnose_budget{};
  std::vector<ReportFormat> reports;
};

// Not after Ctrl-C, nor after a failure.
void look_into_findings(HuntReport& report, std::chrono::milliseconds budget,
                        const HuntSettings& settings, const Workbench& bench,
                        const std::atomic<bool>& stop, Progress& progress) {
  if (report.interrupted || !report.failure.empty()) {
    name_families(report.findings, settings.out / "findings");
    return;
  }
  const auto say = [&progress](const std::string& line) { progress.show(line); };
  const auto began = std::chrono::steady_clock::now();
  ExecutionMeter meter;
  ExecutorOptions options = bench.executor;
  options.meter = &meter;
  const ExecutorFactory executors = server_executors(*bench.server, std::move(options));
  explain_findings(report, {executors, settings.exploration, budget, stop, say});
  name_families(report.findings, settings.out / "findings");
  const auto spent = std::chrono::steady_clock::now() - began;
  const auto left = budget - std::chrono::duration_cast<std::chrono::milliseconds>(spent);
  reproduce_findings(report, bench.description, {executors, settings.exploration, left, stop, say});
  // One thread does it; what the other workers could have had counts, too.
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
  const double all_s = took.count() * settings.jobs;
  add_fields(report.time, {meter.executing_s(), meter.preparing_s(),
                           std::max(0.0, all_s - meter.executing_s() - meter.preparing_s())});
  progress.clear();
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

Launch launch(HuntAssignment& assignment, HuntSettings settings, const Afterwards& afterwards) {
  const StopSignals signals;
  Workbench bench = make_workbench(assignment.common, assignment.kind);
  bench.executor.contexts = settings.exploration.background != Background::kOff;
  settle(assignment, bench, settings, signals.stop());

  Hunt hunt(server_executors(*bench.server, bench.executor), assignment.inputs, settings,
            signals.stop());
  hunt.set_skipped(assignment.skipped);
  Progress progress(stderr);
  progress.say(head_text(hunt.report(), assignment));
  if (assignment.state) {
    hunt.use(assignment.state);
    tell_resumed(hunt.report(), *assignment.state, progress);
  }
  tell_pool(settings, assignment.state != nullptr, progress);
  if (!bench.not_summarised.empty()) {
    progress.say("not part of the state here: " + bench.not_summarised + " (see esox doctor)");
  }
  if (assignment.gate && !signals.stop().load()) tell_gate(hunt.gate(), progress);
  if (signals.stop().load()) {
    progress.say("esox: stopped before the hunt began; nothing was written");
    return {};
  }

  if (!assignment.state) {
    make_out(settings.out);
    assignment.state =
        HuntState::begin(settings.out, spec_of(assignment, settings), assignment.inputs,
                         fitting(assignment, settings.server.version, progress),
                         settings.exploration.pool ? *settings.exploration.pool : ConflictPool());
    hunt.use(assignment.state);
  }
  assignment.state->begin_launch();
  run_hunt(hunt, progress);
  HuntReport report = hunt.report();
  if (!report.findings.empty()) {
    look_into_findings(report, afterwards.diagnose_budget, settings, bench, signals.stop(),
                       progress);
    if (report.failure.empty()) write_whole_file(settings.out / "hunt.json", report_json(report));
  }
  if (assignment.corpus) remember(*assignment.corpus, settings.server.version, hunt);
  report_at_end(settings, afterwards.reports, hunt);
  put_report(assignment.common.json,
             summary_text(report) + fmt::format("All of it is in {}/\n", settings.out.string()),
             report_json(report));
  return {true, report, hunt.failure(), how_to_go_on(hunt, report, settings)};
}

// Of the findings of earlier hunts.
std::set<std::string> known_families(const std::filesystem::path& file) {
  return std::filesystem::exists(file) ? Store(file).keys() : std::set<std::string>();
}

// Into the triage store. What cannot be stored now can be later; the status then says so.
std::vector<Filed> store_findings(const std::filesystem::path& file,
                                  const std::filesystem::path& out, const JsonOption& json,
                                  int& status) {
  try {
    Store store(file);
    std::vector<Filed> filed = record_hunt(store, out);
    std::fputs(filed_text(filed, file).c_str(), json.on_stdout() ? stderr : stdout);
    return filed;
  } catch (...) {
    status = tell_error(std::current_exception());
    warn(fmt::format("nothing found is lost; esox triage add --store {} {} adds it later",
                     file.string(), out.string()));
    return {};
  }
}

int hunt(const HuntOptions& options) {
  const Afterwards afterwards{diagnose_budget(options), report_formats(options.reports)};
  HuntAssignment assignment =
      options.resume.empty() ? assignment_of(options) : resumed_assignment(options);
  const std::filesystem::path out = assignment.settings.out;
  if (assignment.state && assignment.state->ended()) {
    throw UsageError(fmt::format("the hunt in {} has come to its end: nothing is left to do in it",
                                 out.string()));
  }
  const std::filesystem::path store =
      options.store.empty() ? default_store(out) : std::filesystem::path(options.store);
  if (!options.no_store) {
    check_store(store);
    assignment.settings.known_families = known_families(store);
  }

  const Launch done = launch(assignment, assignment.settings, afterwards);
  if (!done.begun) return kNothingFound;
  assignment.state.reset();  // hunt.db is read by the store next
  std::fputs(done.go_on.c_str(), stderr);
  int status = done.failure ? tell_error(done.failure) : kNothingFound;
  std::vector<Filed> filed;
  if (!options.no_store) filed = store_findings(store, out, options.common.json, status);
  if (status != kNothingFound) return status;
  return fails_on(options.fail_on, done.report.findings.size(), filed) ? kFound : kNothingFound;
}

// All options but those that a later launch may have otherwise.
void exclude_but(Command& command, Option& resume, const std::set<std::string>& allowed) {
  for (Option* option : command.get_options()) {
    if (option == &resume || allowed.contains(option->get_name())) continue;
    resume.excludes(option);
  }
}

// What a night of a hunt file was called before it was a command of its own.
void refuse_config(Command& command) {
  command
      .add_option_function(
          "--config",
          [](const std::string& file) {
            throw UsageError(fmt::format("hunt --config {0}: write esox night {0}", file));
          },
          "")
      ->group("");
}

}  // namespace

void add_hunt_command(Command& app, Chosen& chosen) {
  const auto [command, options] = define<HuntOptions>(
      app, chosen, {"hunt", "explore many inputs and keep every violation found", kHuntExamples},
      hunt);
  command.add_option("INPUT", options.inputs,
                     "input files or folders, or a corpus made by esox import or generate "
                     "(default: the inputs that come with esox)");
  command.add_defaulted("--executions", options.executions, "at most so many, per input and engine",
                        within(uint64_t{1}, kMostExecutions));
  command.add_option("--budget", options.budget, "end after so long: 90s, 2m, 1h30m");
  command.add_defaulted(
      "--diagnose-budget", options.diagnose_budget,
      "at the end, at most so long for diagnosing and minimising the findings; 0: off");
  command
      .add_option("--jobs", options.jobs, "workers, each with a server (default: cores, at most 4)")
      ->check(within(1u, kMostHuntJobs));
  command.add_option("--out", options.out,
                     "folder for what is found, new or empty (default: esox-out/DATE-TIME)");
  command.add_option("--settings", options.settings,
                     "a file of server settings; each input is tried under each one besides");
  Option* top = command.add_defaulted("--top", options.top,
                                      "of a corpus: only so many inputs, the best-ranked",
                                      within(size_t{1}, kMaxCorpusInputs));
  command.add_flag("--all", options.all, "of a corpus: all inputs, in rank order")->excludes(top);
  command.add_option("--ranking", options.ranking,
                     "a file of input ids, a line each, ID [ENGINE [SETTING]]: only these, in "
                     "this order");
  command.add_defaulted("--wide", options.wide,
                        "so many inputs have their first executions before any has more",
                        within(size_t{1}, kMaxCorpusInputs));
  command.add_defaulted("--stuck-after", options.stuck_after,
                        "a worker whose execution does not end for so long gets a new server");
  command.add_defaulted("--report", options.reports,
                        "written into OUT at the end; see esox report");
  command.add_flag("--no-gate", options.no_gate,
                   "skip the check that the same seed gives the same execution");
  add_shard_options(command, options.shard, options.campaign);
  add_search_options(command, options.search);
  add_data_choices_option(command, options.common, "timer");
  add_background_option(command, options.search);
  add_learn_option(command, options.search);
  command
      .add_option("--learn-from", options.learn_from,
                  "begin with what an earlier hunt learnt of the same inputs; its OUT folder; may "
                  "be repeated (docs/learning.md)")
      ->allow_extra_args(false);
  add_structures_option(command, options.search);
  add_common_options(command, options.common);
  add_filter_options(command, options.filters);
  add_isolation_option(command, options.common);
  add_store_options(command, options.store, options.no_store, options.fail_on, "--out");
  Option* resume = command.add_option(
      "--resume", options.resume, "go on with the hunt of this --out folder, which ended early");
  exclude_but(command, *resume,
              {"--help", "--jobs", "--budget", "--diagnose-budget", "--report", "--json", "--store",
               "--no-store", "--fail-on", "--stuck-after"});
  refuse_config(command);
  shorten_help(command.app(),
               {"--executions", "--budget", "--jobs", "--out", "--engine", "--strategy", "--seed",
                "--server", "--server-option", "--fail-on", "--resume", "--json"});
}

}  // namespace esox
