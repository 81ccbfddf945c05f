// SPDX-License-Identifier: Apache-2.0
// esox import: a server's own regression suites, and files of its requests, become inputs.
//
// Progress goes to the standard error output, the table of counts to the standard output.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/yaml/file_text.h"
#include "harness/commands/command.h"
#include "harness/commands/import_trials.h"
#include "harness/commands/options.h"
#include "harness/commands/stop_signals.h"
#include "harness/import/capture.h"
#include "harness/import/corpus.h"
#include "harness/import/corpus_reader.h"
#include "harness/import/suite_inputs.h"
#include "harness/records/lines.h"
#include "harness/records/out_folder.h"
#include "inputs/writer.h"
#include "targets/registry.h"

namespace esox {
namespace {

struct ImportOptions {
  std::string suites;
  std::string out;
  std::string folder;
  std::vector<std::string> only;
  unsigned jobs = kImportJobs;
  CommonOptions common;
  size_t per_test = SelectionLimits().per_test_and_form;
  size_t per_kinds = SelectionLimits().per_kinds;
  std::string form;
};

std::vector<std::string> names_in(const std::string& list) {
  std::vector<std::string> names = parts_of(list, ',');
  std::erase(names, "");
  if (names.empty()) throw UsageError("--suite: name at least one suite, such as main");
  return names;
}

// Empty: any.
std::optional<Candidate::Form> form_named(const std::string& name) {
  const auto* const found = std::ranges::find(kFormNames, name);
  if (found == std::end(kFormNames)) return std::nullopt;
  return static_cast<Candidate::Form>(found - std::begin(kFormNames));
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

void capture_tests(const TestSuites& suites, const std::vector<SuiteTest>& tests, Corpus& corpus,
                   const ImportOptions& options, const std::atomic<bool>& stop) {
  ProgressLine line;
  capture(suites, tests, corpus, {options.jobs, geteuid() == 0}, stop,
          [&](const CaptureProgress& progress) {
            line.show(progress.done,
                      fmt::format("{} of {} tests run", progress.done, progress.wanted));
          });
}

int import_suites(const SuiteImport& import, const ImportOptions& options) {
  const Target& target = target_of(options.common.server);
  if (target.suite_import() != &import) {
    throw UsageError(fmt::format("--server {}: esox import {} makes no inputs for {}",
                                 options.common.server, import.command.name, target.name()));
  }
  const std::unique_ptr<TestSuites> suites = import.open(options.folder, options.common.server);
  std::vector<SuiteTest> tests;
  for (const std::string& suite : names_in(options.suites)) {
    auto own = suites->tests_of(suite, options.only);
    std::ranges::move(own, std::back_inserter(tests));
  }
  const Workbench bench = make_workbench(options.common, target.name());
  const StopSignals signals;
  Corpus corpus(options.out);
  capture_tests(*suites, tests, corpus, options, signals.stop());
  if (signals.stop().load()) return stopped_import();
  const SelectionLimits limits{options.per_test, options.per_kinds, form_named(options.form)};
  SuiteInputs made = sliced_inputs(corpus, tests, limits, signals.stop(), target);
  if (signals.stop().load()) return stopped_import();
  if (!try_imported(made.inputs, corpus, bench, options.jobs, signals.stop())) {
    return stopped_import();
  }
  auto again = prefix_inputs(corpus, tests, limits, made, signals.stop(), target);
  if (signals.stop().load()) return stopped_import();
  std::ranges::move(again, std::back_inserter(made.inputs));
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
  const auto [best, options] = define<BestOptions>(
      import, chosen,
      {"best", "print the best-ranked inputs of a corpus as one file, in rank order"}, print_best);
  best.add_option("CORPUS", options.corpus, "the folder that an import has filled")->required();
  best.add_defaulted("--top", options.top, "so many", within(1, 100000));
  best.add_option("--most-bytes", options.most_bytes, "leave out those with a longer text")
      ->check(within(1, 1 << 30));
}

void add_suite_options(Command& command, const SuiteImport& import, ImportOptions& options) {
  options.suites = import.suite;
  command.add_defaulted("--suite", options.suites, "suites, separated by commas");
  command.add_option("--out", options.out, "the corpus: a new folder, or one to go on with")
      ->required();
  command.add_option("--do-test", options.only, "only tests whose name begins so; may be repeated");
  command.add_option(fmt::format("--{}", import.command.name), options.folder, import.folder_help);
  command.add_option("--form", options.form, "only inputs of this form")
      ->check(one_of({std::begin(kFormNames), std::end(kFormNames)}));
  add_import_jobs(command, options.jobs);
  command.add_defaulted("--per-test", options.per_test,
                        "at most so many inputs of each form of a test", within(1, 100000));
  command.add_defaulted("--per-kinds", options.per_kinds,
                        "at most so many of the same kinds of statement", within(1, 100000));
}

CommandWords words_of(const ImportCommand& command) {
  return {command.name, command.of, command.help};
}

// What stands in for a suite's client program.
void add_client_command(Command& import, const SuiteImport& suites, Chosen& chosen) {
  const auto [command, words] = define<std::vector<std::string>>(
      import, chosen, {suites.client_command, "run a test's client program and record it"},
      suites.run_as_client);
  command.add_option("WORD", words, "after --: the folder of what is done, the program, its own");
  command.group("");  // for the scripts
}

void add_suite_command(Command& import, const SuiteImport& suites, Chosen& chosen) {
  const auto [command, options] = define<ImportOptions>(
      import, chosen, words_of(suites.command),
      [&suites](const ImportOptions& given) { return import_suites(suites, given); });
  add_suite_options(command, suites, options);
  add_server_options(command, options.common);
  add_isolation_option(command, options.common);
}

// ---- Files of requests

constexpr const char* kImportExamples = R"(
Examples:
  esox import mtr --suite main --out corpus        a server's own regression suite
  esox import sql session.sql --out corpus         one session, cut into pairs and short sessions
  esox import sql a.sql b.sql --out corpus         two sessions that go on at the same time
  esox import text a.txt b.txt --out corpus        the same with memcached's requests

Each has its own --help. More: docs/importing.md.

Exit status: 0 done, 2 wrong use or bad input, 3 esox itself failed.)";

struct FilesOptions {
  std::vector<std::string> files;
  std::vector<std::string> setup;
  std::string out;
  CommonOptions common;
  unsigned jobs = kImportJobs;
  SelectionLimits limits;
};

std::vector<ImportFile> read_files(const FilesOptions& options, const FileImport& import) {
  std::vector<ImportFile> files;
  for (const std::string& path : options.setup) {
    files.push_back({path, file_text(path, import.max_bytes, import.kind), true});
  }
  for (const std::string& path : options.files) {
    files.push_back({path, file_text(path, import.max_bytes, import.kind), false});
  }
  return files;
}

int keep(FilesImport result, const FilesOptions& options, const std::string& kind) {
  if (result.inputs.empty()) {
    std::string reasons;
    for (const auto& [name, number] : result.counts.rejected) {
      reasons += fmt::format("{}{} ({})", reasons.empty() ? "" : ", ", name, number);
    }
    throw UsageError(fmt::format(
        "no input can be made of these files: {}",
        reasons.empty() ? "no two requests share something that one of them changes" : reasons));
  }
  for (ImportedInput& one : result.inputs) one.errors.clear();  // nobody has run them yet
  const Workbench bench = make_workbench(options.common, kind);
  const StopSignals signals;
  Corpus corpus(options.out);
  if (!corpus.best(1).empty()) {
    throw OutError(fmt::format("{} holds inputs already; name a new folder by --out", options.out));
  }
  const bool tried = try_and_keep(std::move(result.inputs), std::move(result.counts), corpus, bench,
                                  options.jobs, signals.stop());
  return tried ? kNothingFound : stopped_import();
}

int import_files(const Target& target, const FilesOptions& options) {
  const FileImport& import = *target.file_import();
  if (!is_corpus(options.out)) check_out(options.out);
  return keep(import.make(read_files(options, import), options.limits), options, target.name());
}

void add_files_command(Command& import, const Target& target, Chosen& chosen) {
  const auto [command, options] = define<FilesOptions>(
      import, chosen, words_of(target.file_import()->command),
      [&target](const FilesOptions& given) { return import_files(target, given); });
  command.add_option("files", options.files, "one file per session")->required();
  command
      .add_option("--out", options.out, "the corpus: a new folder, or one whose import was stopped")
      ->required();
  command.add_option("--setup", options.setup, "a file that is setup only; may be repeated")
      ->allow_extra_args(false);
  command.add_defaulted("--per-test", options.limits.per_test_and_form,
                        "at most so many inputs of each form of a file, or of two files",
                        within(1, 100000));
  command.add_defaulted("--per-kinds", options.limits.per_kinds,
                        "at most so many of the same kinds of request", within(1, 100000));
  add_import_jobs(command, options.jobs);
  add_server_options(command, options.common);
  add_isolation_option(command, options.common);
}

}  // namespace

void add_import_command(Command& app, Chosen& chosen) {
  Command* command = app.add_subcommand("import", "make inputs of tests, of SQL, of requests");
  command->require_subcommand(1, 1);
  std::set<const SuiteImport*> suites;  // which targets may share
  for (const Target* target : targets()) {
    const SuiteImport* const own = target->suite_import();
    if (own == nullptr || !suites.insert(own).second) continue;
    add_suite_command(*command, *own, chosen);
    add_client_command(*command, *own, chosen);
  }
  add_best_command(*command, chosen);
  for (const Target* target : targets()) {
    if (target->file_import() != nullptr) add_files_command(*command, *target, chosen);
  }
  command->footer(kImportExamples);
}

}  // namespace esox
