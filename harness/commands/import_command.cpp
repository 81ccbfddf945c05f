// SPDX-License-Identifier: Apache-2.0
// esox import mtr: MariaDB's own regression suites become inputs.
//
// Progress goes to the standard error output, the table of counts to the standard output.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <memory>
#include <set>

#include "harness/commands/command.h"
#include "harness/commands/import_files_command.h"
#include "harness/commands/import_trials.h"
#include "harness/commands/options.h"
#include "harness/commands/stop_signals.h"
#include "harness/engine/known_servers.h"
#include "harness/import/capture.h"
#include "harness/import/corpus.h"
#include "harness/import/corpus_reader.h"
#include "harness/import/suite_inputs.h"
#include "inputs/writer.h"
#include "targets/mariadb/suites/suite.h"

namespace esox {
namespace {

constexpr const char* kExamples = R"(
Examples:
  esox import mtr --suite main --out corpus
  esox import mtr --suite main --do-test insert --do-test view --out small
  esox hunt corpus --budget 1h
  esox import best corpus --top 50 >best.yaml

A suite is run by its own runner, on private servers, and what its tests do is cut into inputs. An
import that was stopped goes on when it is called again. What the folder holds, and what the counts
mean: docs/importing.md.

Exit status: 0 done or stopped, 2 wrong use or a machine that cannot, 3 esox itself failed.)";

struct ImportOptions {
  std::string suites = "main";
  std::string out;
  std::string mtr;
  std::vector<std::string> only;
  unsigned jobs = kImportJobs;
  CommonOptions common;
  size_t per_test = SelectionLimits().per_test_and_form;
  size_t per_kinds = SelectionLimits().per_kinds;
};

std::vector<std::string> names_in(const std::string& list) {
  std::vector<std::string> names;
  size_t at = 0;
  while (at <= list.size()) {
    const size_t end = std::min(list.find(',', at), list.size());
    if (end > at) names.push_back(list.substr(at, end - at));
    at = end + 1;
  }
  if (names.empty()) throw UsageError("--suite: name at least one suite, such as main");
  return names;
}

// Those of this call's suites and filter.
void count_tests(const Corpus& corpus, const std::vector<SuiteTest>& tests, ImportCounts& counts) {
  std::set<std::string> wanted;
  for (const SuiteTest& test : tests) wanted.insert(test.key());
  for (const auto& [key, state] : corpus.tests()) {
    if (!wanted.contains(plain_name(key))) continue;
    ++counts.stages["tests"];
    ++counts.stages["tests: " + state.state];
    if (!state.reason.empty()) ++counts.rejected["test: " + state.reason];
  }
}

void capture_tests(const SuiteRunner& runner, const std::vector<SuiteTest>& tests, Corpus& corpus,
                   const ImportOptions& options, const std::atomic<bool>& stop) {
  ProgressLine line;
  capture(runner, tests, corpus, {options.jobs, geteuid() == 0}, stop,
          [&](const CaptureProgress& progress) {
            line.show(progress.done,
                      fmt::format("{} of {} tests run", progress.done, progress.wanted));
          });
}

int import_mtr(const ImportOptions& options) {
  const SuiteRunner runner = find_suite_runner(options.mtr);
  std::vector<SuiteTest> tests;
  for (const std::string& suite : names_in(options.suites)) {
    auto own = tests_of(runner, suite, options.only);
    std::move(own.begin(), own.end(), std::back_inserter(tests));
  }
  const Workbench bench = make_workbench(options.common, "mariadb");
  const StopSignals signals;
  Corpus corpus(options.out);
  capture_tests(runner, tests, corpus, options, signals.stop());
  if (signals.stop().load()) return stopped_import();
  const RequestLanguage& language = language_of(languages(), "mariadb");
  const SelectionLimits limits{options.per_test, options.per_kinds};
  SuiteInputs made = sliced_inputs(corpus, tests, limits, signals.stop(), language);
  if (signals.stop().load()) return stopped_import();
  if (!try_imported(made.inputs, corpus, bench, options.jobs, signals.stop())) {
    return stopped_import();
  }
  auto again = prefix_inputs(corpus, tests, limits, made, signals.stop(), language);
  if (signals.stop().load()) return stopped_import();
  std::move(again.begin(), again.end(), std::back_inserter(made.inputs));
  count_tests(corpus, tests, made.counts);
  const bool tried = try_and_keep(std::move(made.inputs), std::move(made.counts), corpus, bench,
                                  options.jobs, signals.stop());
  return tried ? kNothingFound : stopped_import();
}

struct BestOptions {
  std::string corpus;
  size_t top = 300;
  size_t most_bytes = SIZE_MAX;
};

int print_best(const BestOptions& options) {
  std::vector<Input> best;
  for (Input& input : read_corpus(options.corpus, SIZE_MAX)) {
    if (best.size() == options.top) break;
    if (to_yaml(input).size() <= options.most_bytes) best.push_back(std::move(input));
  }
  std::fputs(to_yaml(best).c_str(), stdout);
  return kNothingFound;
}

void add_best_command(Command& import, Chosen& chosen) {
  Command* best = import.add_subcommand(
      "best", "print the best-ranked inputs of a corpus as one file, in rank order");
  auto options = std::make_shared<BestOptions>();
  best->add_option("CORPUS", options->corpus, "the folder that an import has filled")->required();
  best->add_option("--top", options->top, "so many")
      ->capture_default_str()
      ->check(within(1, 100000));
  best->add_option("--most-bytes", options->most_bytes, "leave out those with a longer text")
      ->check(within(1, 1 << 30));
  best->callback([&chosen, options] { chosen = [options] { return print_best(*options); }; });
}

void add_mtr_options(Command& command, ImportOptions& options) {
  command.add_option("--suite", options.suites, "suites, separated by commas")
      ->capture_default_str();
  command.add_option("--out", options.out, "the corpus: a new folder, or one to go on with")
      ->required();
  command.add_option("--do-test", options.only, "only tests whose name begins so; may be repeated");
  command.add_option("--mtr", options.mtr, "the mysql-test folder (default: where it usually is)");
  add_import_jobs(command, options.jobs);
  command
      .add_option("--per-test", options.per_test, "at most so many inputs of each form of a test")
      ->capture_default_str()
      ->check(within(1, 100000));
  command
      .add_option("--per-kinds", options.per_kinds,
                  "at most so many of the same kinds of statement")
      ->capture_default_str()
      ->check(within(1, 100000));
}

}  // namespace

void add_import_command(Command& app, Chosen& chosen) {
  Command* command = app.add_subcommand("import", "make inputs of tests, of SQL, of requests");
  command->require_subcommand(1, 1);
  Command* mtr = command->add_subcommand("mtr", "of MariaDB's regression suites");
  auto options = std::make_shared<ImportOptions>();
  add_mtr_options(*mtr, *options);
  add_server_options(*mtr, options->common);
  add_isolation_option(*mtr, options->common);
  mtr->footer(kExamples);
  add_best_command(*command, chosen);
  mtr->callback([&chosen, options] { chosen = [options] { return import_mtr(*options); }; });
  add_import_files_commands(*command, chosen);
}

}  // namespace esox
