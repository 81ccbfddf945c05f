// SPDX-License-Identifier: Apache-2.0
// esox replay: runs a finding's schedule again, each time on a fresh server, and says whether the
// same violation came: to the letter, or re-aligned where the server has changed.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include "analysis/report/comparison_text.h"
#include "analysis/thread_name.h"
#include "base/process/private_directory.h"
#include "base/process/server_error.h"
#include "harness/commands/command.h"
#include "harness/commands/finding_bench.h"
#include "harness/commands/output.h"
#include "harness/commands/stop_signals.h"
#include "harness/engine/debug_symbols.h"
#include "harness/engine/server_executor.h"
#include "harness/findings/export/export_folder.h"
#include "harness/findings/export/trace_events.h"
#include "harness/findings/replay/critical_place.h"
#include "harness/findings/replay/debugger.h"
#include "harness/findings/replay/replayer.h"
#include "harness/hunt/exploration.h"
#include "harness/hunt/pinning.h"
#include "harness/records/json_text.h"
#include "harness/records/out_folder.h"

namespace esox {
namespace {

constexpr const char* kReplayExamples = R"(
Examples:
  esox replay esox-out/2025-11-21-101500/findings/0123456789abcdef
  esox replay finding.yaml --times 20
  esox replay finding.yaml --server /opt/mariadb-12/sbin/mariadbd   does a newer server have it?
  esox replay finding.yaml --server-option=--general-log=1          and one that does more?
  esox replay finding.yaml --attempts 0                             to the letter, or not at all
  esox replay finding.yaml --trace trace.json       what each thread did, for ui.perfetto.dev
  esox replay finding.yaml --gdb                    a debugger at the critical switch
  esox replay finding.yaml --gdb-ex 'thread apply all bt 12'

Where the recorded choices give another outcome, the schedule is re-aligned: each switch is looked
for where its thread does the operation at which it was recorded; then nearby (docs/replaying.md).

Exit status: 0 the violation never came, 1 it came at least once, 2 wrong use or bad input, 3 esox
itself failed.)";

constexpr unsigned kMostTimes = 100'000;
constexpr unsigned kMostAttempts = 1'000'000;

struct ReplayOptions : FindingOptions {
  unsigned times = 1;
  unsigned attempts = 100;
  std::string trace;
  std::string gdb;  // empty, "run", "print"
  std::vector<std::string> gdb_commands;
};

std::string operation_at(const ExecutionRecord& record, ThreadId thread, uint64_t point,
                         Symbols& symbols) {
  const TraceEvent* at = nullptr;
  for (const TraceEvent& event : record.trace) {
    if (event.thread == thread && event.point <= point) at = &event;
  }
  if (at == nullptr) return "the beginning of its request";
  const std::string where = at->site == 0 ? "" : ", called at " + symbols.site(at->site);
  return fmt::format("'{}'{}", kind_text(at->kind), where);
}

std::vector<std::string> description_of(const FindingBench& opened, const ExecutionRecord& record,
                                        const FoundSwitch& place, const std::string& sentence) {
  Symbols symbols = debug_symbols(record.modules);
  const auto names = client_names(opened.finding.input.input);
  const auto name = [&](ThreadId thread) { return thread_name(names, thread); };
  std::vector<std::string> description = {
      fmt::format("esox: stopped at point {}, the {} switch, {} -> {}", place.point,
                  place.critical ? "critical" : "last", name(place.from), name(place.to))};
  for (const ThreadId thread : {place.from, place.to}) {
    description.push_back(fmt::format("esox: client {} stands at {}", name(thread),
                                      operation_at(record, thread, place.point, symbols)));
  }
  if (!sentence.empty()) description.push_back("esox: " + sentence);
  description.emplace_back(
      "esox: try 'bt', 'info threads', 'thread apply all bt 12'; the server ends with gdb");
  return description;
}

void wait_for_a_line() {
  for (int c = std::getchar(); c != EOF && c != '\n'; c = std::getchar()) {
  }
}

void run_or_print(const std::vector<std::string>& line, const ReplayOptions& options) {
  if (options.gdb != "print") {
    run_debugger(line);
    return;
  }
  put(fmt::format("{}\nThe server stands there until a line is entered here.\n",
                  fmt::join(line, " ")));
  wait_for_a_line();
}

// --gdb: the schedule of `record` once more, on a server of its own, up to `place`; there a
// debugger, and then the server's end. Throws ServerError.
void debug_replay(const FindingBench& opened, const Exploration& exploration,
                  const ExecutionRecord& record, const FoundSwitch& place,
                  const std::string& sentence, const ReplayOptions& options) {
  const PrivateDirectory folder(opened.bench.executor.base);
  const std::vector<std::string> description = description_of(opened, record, place, sentence);
  bool stood = false;
  ExecutorOptions to_the_place = opened.bench.executor;
  to_the_place.isolation = Isolation::kRestart;  // no namespaces: the debugger sees what it expects
  to_the_place.control.step_limit = place.point;
  to_the_place.on_parked = [&](const ParkedServer& server) {
    stood = true;
    DebuggerView view{client_names(opened.finding.input.input), place.from, description};
    const std::filesystem::path script = folder.path() / "start.gdb";
    write_whole_file(script, debugger_script(server, view));
    run_or_print(debugger_line(server.pid, script.string(), options.gdb_commands), options);
  };
  ServerExecutor executor(*opened.bench.server, std::move(to_the_place));
  executor.run(exploration.plan_replay(record.choices, record.values, record.seed));
  if (!stood) {
    throw ServerError(
        fmt::format("the schedule did not come to point {} on a server of its own", place.point));
  }
}

struct Replayed {
  std::vector<ReplayAttempt> attempts;
  std::optional<Realigned> realigned;
  std::vector<std::string> warnings;
  std::optional<ExecutionReport> telling;  // the first execution with the same violation, else the
                                           // last one
  std::string explanation;                 // of that

  size_t count(ReplayResult result) const {
    return static_cast<size_t>(std::ranges::count(attempts, result, &ReplayAttempt::result));
  }
  size_t same() const { return attempts.size() - count(ReplayResult::kNotReproduced); }
};

void say(const ReplayOptions& options, const std::string& line) {
  std::FILE* stream = options.common.json.on_stdout() ? stderr : stdout;
  std::fputs((line + "\n").c_str(), stream);
  std::fflush(stream);
}

std::string attempt_text(const ReplayAttempt& attempt) {
  if (attempt.result == ReplayResult::kToTheLetter) return "the same outcome, to the letter";
  if (attempt.result == ReplayResult::kRealigned) {
    return fmt::format("the same violation, re-aligned ({} executions{})", attempt.executions,
                       attempt.why.empty() ? "" : "; to the letter: " + attempt.why);
  }
  std::string text = "not reproduced: " + attempt.why;
  for (const std::string& reason : attempt.degraded_reasons) text += "; " + reason;
  return text;
}

std::string explain(Executor& executor, Exploration& exploration, ExecutionReport report) {
  exploration.prepare(executor);
  const Judged judged = exploration.judge_report(executor, std::move(report));
  const ExecutionRecord& record = judged.report.record;
  Symbols symbols = debug_symbols(record.modules);
  return comparison_text(exploration.input(), record, judged.verdict, exploration.masks(), symbols);
}

Replayed replay_all(Executor& executor, Exploration& exploration, const Finding& finding,
                    const ReplayOptions& options, const std::atomic<bool>& stop) {
  const std::optional<size_t> variants =
      options.attempts == 0 ? std::nullopt : std::optional<size_t>(options.attempts);
  Replayer replayer(executor, exploration, finding, variants, stop);
  Replayed replayed;
  for (unsigned i = 0; i < options.times && !stop.load(); ++i) {
    ReplayAttempt attempt = replayer.once();
    say(options, fmt::format("{:>4} of {}: {}", i + 1, options.times, attempt_text(attempt)));
    if (i == 0 && replayer.realigned()) say(options, "  " + followed_text(*replayer.realigned()));
    if (replayed.same() == 0) replayed.telling = std::exchange(attempt.judged.report, {});
    replayed.attempts.push_back(std::move(attempt));
  }
  replayed.realigned = replayer.realigned();
  if (replayed.telling && !stop.load()) {
    replayed.explanation = explain(executor, exploration, *replayed.telling);
  }
  return replayed;
}

OrderedJson followed_json(const Realigned& realigned) {
  const Followed& followed = realigned.followed;
  return {{"text", followed_text(realigned)},
          {"switches", followed.switches},
          {"to_the_letter", followed.to_the_letter},
          {"moved", followed.moved},
          {"lost", followed.lost},
          {"operations_added", followed.added},
          {"operations_missing", followed.missing},
          {"places", followed.places},
          {"variants", realigned.variants},
          {"variant", realigned.varied}};
}

OrderedJson replayed_json(const Finding& finding, const FindingServer& server,
                          const Replayed& replayed) {
  OrderedJson json = {
      {"version", kEsoxVersion},
      {"finding", finding.id},
      {"input", finding.input.input.id},
      {"engine", finding.input.engine},
      {"setting", finding.input.setting},
      {"class", class_name(finding.verdict)},
      {"latent", finding.latent},
      {"server", server.version},
      {"warnings", replayed.warnings},
      {"times", replayed.attempts.size()},
      {"same", replayed.same()},
      {"to_the_letter", replayed.count(ReplayResult::kToTheLetter)},
      {"realigned", replayed.count(ReplayResult::kRealigned)},
      {"attempts", json_list(replayed.attempts,
                             [&](const ReplayAttempt& attempt) -> OrderedJson {
                               return {{"same", attempt.result != ReplayResult::kNotReproduced},
                                       {"result", result_name(attempt.result)},
                                       {"why", attempt.why},
                                       {"executions", attempt.executions},
                                       {"diverged", attempt.diverged},
                                       {"degraded_reasons", attempt.degraded_reasons}};
                             })},
      {"explanation", replayed.explanation}};
  if (replayed.realigned) json["followed"] = followed_json(*replayed.realigned);
  return json;
}

std::string summary_line(const Replayed& replayed) {
  const size_t realigned = replayed.count(ReplayResult::kRealigned);
  if (realigned == 0) {
    return fmt::format("{} of {} gave the recorded outcome.", replayed.same(),
                       replayed.attempts.size());
  }
  return fmt::format("{} of {} gave the recorded violation: {} to the letter, {} re-aligned.",
                     replayed.same(), replayed.attempts.size(), replayed.same() - realigned,
                     realigned);
}

void check_use(const ReplayOptions& options) {
  if (options.gdb.empty() || options.gdb == "run" || options.gdb == "print") return;
  throw UsageError(fmt::format("--gdb={}: write --gdb or --gdb=print", options.gdb));
}

// What --trace and --gdb ask for, of the execution that tells.
void show(const ReplayOptions& options, const FindingBench& opened, const Exploration& exploration,
          const Replayed& replayed) {
  const bool debug = !options.gdb.empty() || !options.gdb_commands.empty();
  if ((options.trace.empty() && !debug) || !replayed.telling) return;
  const ExecutionRecord& record = replayed.telling->record;
  const Input& input = opened.finding.input.input;
  const auto critical = company_of(opened.file).critical;
  Symbols symbols = debug_symbols(record.modules);
  const auto place = deciding_switch(record, input, symbols, critical);
  const std::string sentence = place && place->critical ? critical->sentence : "";
  if (!options.trace.empty()) {
    write_whole_file(options.trace, trace_events_json(record, input, symbols, place, sentence));
    say(options, fmt::format("{}: open it in ui.perfetto.dev", options.trace));
  }
  if (!debug) return;
  if (replayed.same() == 0 || !place) {
    say(options, "no debugger: the violation did not come, or by no switch");
    return;
  }
  debug_replay(opened, exploration, record, *place, sentence, options);
}

int replay(const ReplayOptions& options) {
  check_use(options);
  const StopSignals signals;
  FindingBench opened = open_finding(options);
  const Finding& finding = opened.finding;
  const Workbench& bench = opened.bench;
  for (const std::string& line : finding_head(opened)) say(options, line);
  const CorePin pin(0, 1);
  ServerExecutor executor(*bench.server, bench.executor);
  Exploration exploration(finding.input, opened.settings);
  Replayed replayed = replay_all(executor, exploration, finding, options, signals.stop());
  replayed.warnings = opened.warnings;
  put_report(options.common.json,
             "\n" + replayed.explanation + "\n" + summary_line(replayed) + "\n",
             json_text(replayed_json(finding, bench.description, replayed)));
  show(options, opened, exploration, replayed);
  return replayed.same() > 0 ? kFound : kNothingFound;
}

}  // namespace

void add_replay_command(Command& app, Chosen& chosen) {
  const auto [command, options] = define<ReplayOptions>(
      app, chosen, {"replay", "run a finding's schedule again", kReplayExamples}, replay);
  add_finding_argument(command, options.finding);
  command.add_defaulted("--times", options.times, "how often, each time on a fresh server",
                        within(1u, kMostTimes));
  command.add_defaulted(
      "--attempts", options.attempts,
      "how many variants of the re-aligned schedule are tried; 0: to the letter only",
      within(0u, kMostAttempts));
  command.add_option("--trace", options.trace,
                     "write what the threads did to this file, in the format of Perfetto");
  command.add_flag("--gdb{run}", options.gdb,
                   "then stop in gdb at the critical switch of a diagnosis, or else at the last "
                   "one; --gdb=print only says how");
  command
      .add_option("--gdb-ex", options.gdb_commands,
                  "gdb runs this command there and ends; may be repeated")
      ->allow_extra_args(false);
  add_finding_options(command, options);
}

}  // namespace esox
