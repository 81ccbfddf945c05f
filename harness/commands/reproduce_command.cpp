// SPDX-License-Identifier: Apache-2.0
// esox reproduce: a finding as a script and a file that show it on a plain server, without esox.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/process/paths.h"
#include "harness/commands/command.h"
#include "harness/commands/finding_bench.h"
#include "harness/commands/json_option.h"
#include "harness/commands/options.h"
#include "harness/commands/stop_signals.h"
#include "harness/findings/reproduce/reproducer.h"
#include "harness/findings/reproduce/sync_points.h"
#include "harness/records/finding_file.h"
#include "harness/records/out_folder.h"

namespace esox {
namespace {

constexpr const char* kReproduceExamples = R"(
Examples:
  esox reproduce esox-out/2025-11-21-101500/findings/0123456789abcdef
  esox reproduce finding.yaml --rounds 100 --budget 2m
  esox reproduce FINDING --debug-server build/mariadb/debug/sql/mariadbd
  python3 esox-out/2025-11-21-101500/findings/0123456789abcdef/reproduce.py   anywhere, without esox

Looks for places - functions with names, if it can - at which holding one thread while another one
goes on gives the violation on the plain server, in each of 20 rounds. What it finds is beside
finding.yaml: reproduce.py, which needs python3 and a server alone, and reproduce.json. Of a folder
the minimised finding is tried first, if there is one. With a build of MariaDB for debugging also
finding.test, for the server's own test suite: sync points are tried until one gives the violation
in each of 100 rounds.

Exit status: 0 there is no such place or the violation did not come, 1 there is, and it violated,
2 wrong use or bad input, 3 esox itself failed.)";

constexpr unsigned kMostRounds = 1'000;
constexpr unsigned kMostExecutions = 1'000'000;

struct ReproduceOptions : FindingOptions {
  std::string budget = "5m";
  unsigned executions = DiagnosisLimits{}.executions;
  unsigned rounds = kSurely;
  std::string debug_server;  // empty: none
};

std::string outcome_text(const HoldMaterial& material, const Reproducer& done) {
  if (!material.came) return "The violation did not come: " + material.why_not + "\n";
  const PlayedRounds& rounds = done.measured.rounds;
  if (!done.measured.needs_esox.empty()) return "Needs esox: " + done.measured.needs_esox + ".\n";
  const bool neighbour = done.plan.contains("control");
  return fmt::format(
      "violated {} of {}, held: {}\ncontrol, {}: {} of {}\n{} trials, {:.0f} s; reproduce.py and "
      "reproduce.json are beside the finding: python3 reproduce.py\n",
      rounds.violated, rounds.rounds, rounds.held,
      neighbour ? "held one hit beside it" : "one request after the other", rounds.control_violated,
      rounds.control_rounds, done.trials, done.seconds);
}

nlohmann::ordered_json reproducer_json(const Finding& finding, const HoldMaterial& material,
                                       const Reproducer& done) {
  return {{"finding", finding.id},
          {"input", finding.input.input.id},
          {"engine", finding.input.engine},
          {"setting", finding.input.setting},
          {"came", material.came},
          {"why_not", material.why_not},
          {"switches", material.switches},
          {"plan", done.plan},
          {"measured", nlohmann::ordered_json::parse(to_json(done.measured, 0))},
          {"trials", done.trials},
          {"seconds", done.seconds}};
}

HoldMaterial material_of(FindingBench& opened, const DiagnosisLimits& limits,
                         const std::atomic<bool>& stop) {
  PreparedFinding ready(opened, stop);
  Trials trials(*ready.executor, ready.exploration, opened.finding, limits, stop);
  return hold_material(trials, ready.exploration, opened.finding, ready.executors);
}

// The minimised finding says more to a reader, if it can be shown.
std::vector<std::filesystem::path> forms_of(const std::string& given) {
  const std::filesystem::path whole = finding_file(given);
  const std::filesystem::path small = whole.parent_path() / "minimised.yaml";
  if (is_folder(given) && is_there(small)) return {small, whole};
  return {whole};
}

struct Shown {
  FindingBench opened;
  HoldMaterial material;
  Reproducer done;
};

Shown reproduce_form(const ReproduceOptions& options, const std::filesystem::path& form,
                     const std::atomic<bool>& stop) {
  const auto budget = duration_given("--budget", options.budget);
  FindingOptions here = options;
  here.finding = form.string();
  Shown shown{open_finding(here), {}, {}};
  tell_warnings(shown.opened);
  shown.material = material_of(shown.opened, {budget, options.executions}, stop);
  if (shown.material.came) {
    shown.done = reproduce(shown.material, shown.opened.finding, shown.opened.bench.description,
                           {budget, options.rounds, true}, stop);
  }
  return shown;
}

int reproduce_finding(const ReproduceOptions& options) {
  const StopSignals signals;
  const std::vector<std::filesystem::path> forms = forms_of(options.finding);
  Shown shown = reproduce_form(options, forms.front(), signals.stop());
  if (forms.size() > 1 && !shown.done.violates() && !signals.stop().load()) {
    shown = reproduce_form(options, forms.back(), signals.stop());
  }
  const bool violates = shown.done.violates();
  // That it needs esox is said of the server on which it was found.
  if (violates || shown.opened.warnings.empty()) write_reproducer(forms.back(), shown.done);
  std::optional<SyncTest> test;
  if (violates && !options.debug_server.empty()) {
    test = sync_point_test(shown.done, shown.opened.finding,
                           std::filesystem::absolute(options.debug_server),
                           duration_given("--budget", options.budget), signals.stop());
    // Of an earlier test; this one may need none.
    if (!test->files.empty())
      std::filesystem::remove(beside_finding(forms.back(), "finding.patch"));
    for (const auto& [name, text] : test->files) {
      write_whole_file(beside_finding(forms.back(), name), text);
    }
  }
  nlohmann::ordered_json json = reproducer_json(shown.opened.finding, shown.material, shown.done);
  if (test) json["sync_test"] = sync_test_json(*test);
  put_report(
      options.common.json,
      fmt::format("{}\n{}{}", fmt::join(finding_head(shown.opened), "\n"),
                  outcome_text(shown.material, shown.done), test ? sync_test_line(*test) : ""),
      json_text(json));
  return violates ? kFound : kNothingFound;
}

}  // namespace

void add_reproduce_command(Command& app, Chosen& chosen) {
  const auto [command, options] = define<ReproduceOptions>(
      app, chosen, {"reproduce", "a script that shows a finding without esox", kReproduceExamples},
      reproduce_finding);
  add_finding_argument(command, options.finding);
  add_budget_options(command, options.budget, options.executions, kMostExecutions);
  command.add_defaulted("--rounds", options.rounds,
                        "played in the end, by the script as it is sent", within(1u, kMostRounds));
  command
      .add_option("--debug-server", options.debug_server,
                  "a build of MariaDB for debugging, for a test with sync points")
      ->type_name("PROGRAM");
  add_finding_options(command, options);
}

}  // namespace esox
