// SPDX-License-Identifier: Apache-2.0
// esox import mtr: MariaDB's own regression suites become inputs.
//
// Progress goes to the standard error output, the table of counts to the standard output.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <memory>
#include <set>

#include "harness/commands/command.h"
#include "harness/commands/stop_signals.h"
#include "harness/import/capture.h"
#include "harness/import/corpus.h"
#include "harness/import/suite.h"

namespace esox {
namespace {

namespace fs = std::filesystem;

constexpr unsigned kMostJobs = 16;
constexpr const char* kExamples = R"(
Examples:
  esox import mtr --suite main --out corpus
  esox import mtr --suite main --do-test insert --do-test view --out small
  esox hunt small/inputs

A suite is run by its own runner, on private servers, and what its tests do is cut into inputs. An
import that was stopped goes on when it is called again. What the folder holds, and what the counts
mean: docs/importing.md.

Exit status: 0 done, 2 wrong use or a machine that cannot, 3 esox itself failed.)";

struct ImportOptions {
  std::string suites = "main";
  std::string out;
  std::string mtr;
  std::vector<std::string> only;
  unsigned jobs = 2;
  size_t per_test = SelectionLimits().per_test_and_form;
  size_t per_kinds = SelectionLimits().per_kinds;
};

std::string text_of_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

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

// One line now and then on what is no terminal, a redrawn one on what is.
class CaptureLine {
 public:
  void show(const CaptureProgress& progress) {
    const bool terminal = isatty(STDERR_FILENO) != 0;
    if (!terminal && progress.done < next_) return;
    next_ = progress.done + kEvery;
    std::fputs(fmt::format("{}{}/{} tests run{}", terminal ? "\r" : "", progress.done,
                           progress.wanted, terminal ? "" : "\n")
                   .c_str(),
               stderr);
    drawn_ = terminal;
  }
  ~CaptureLine() {
    if (drawn_) std::fputs("\n", stderr);
  }

 private:
  static constexpr size_t kEvery = 50;
  size_t next_ = 0;
  bool drawn_ = false;
};

struct Made {
  std::vector<ImportedInput> inputs;
  ImportCounts counts;
};

// "view" of "view,ps".
std::string plain_name(const std::string& key) {
  return key.substr(0, key.find(','));
}

Made make_inputs(const Corpus& corpus, const std::vector<SuiteTest>& tests,
                 const ImportOptions& options, const std::atomic<bool>& stop) {
  std::map<std::string, const SuiteTest*> by_key;
  for (const SuiteTest& test : tests) by_key[test.key()] = &test;
  Made made;
  Selection selection({options.per_test, options.per_kinds});
  for (const auto& [key, state] : corpus.tests()) {
    const auto test = by_key.find(plain_name(key));
    if (state.state != "captured" || test == by_key.end() || stop.load()) continue;
    const fs::path logs = corpus.capture_of(key);
    auto inputs = import_test({key, text_of_file(logs / "general.log"),
                               text_of_file(logs / "audit.log"), test->second->server_options},
                              selection, made.counts);
    std::move(inputs.begin(), inputs.end(), std::back_inserter(made.inputs));
  }
  for (const auto& [reason, number] : selection.left_out()) made.counts.rejected[reason] += number;
  return made;
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

void tell(const Corpus& corpus, const ImportCounts& counts, size_t inputs) {
  std::string text;
  for (const auto& [name, number] : counts.stages) text += fmt::format("{:>9}  {}\n", number, name);
  text += "Left out:\n";
  for (const auto& [name, number] : counts.rejected)
    text += fmt::format("{:>9}  {}\n", number, name);
  text += fmt::format("{} inputs in {}/; the index is {}\n", inputs,
                      (corpus.folder() / "inputs").string(),
                      (corpus.folder() / "index.sqlite").string());
  std::fputs(text.c_str(), stdout);
  std::fflush(stdout);
}

int import_mtr(const ImportOptions& options) {
  const SuiteRunner runner = find_suite_runner(options.mtr);
  std::vector<SuiteTest> tests;
  for (const std::string& suite : names_in(options.suites)) {
    auto own = tests_of(runner, suite, options.only);
    std::move(own.begin(), own.end(), std::back_inserter(tests));
  }
  const StopSignals signals;
  Corpus corpus(options.out);
  {
    CaptureLine line;
    capture(runner, tests, corpus, {options.jobs, geteuid() == 0}, signals.stop(),
            [&](const CaptureProgress& progress) { line.show(progress); });
  }
  Made made;
  if (!signals.stop().load()) made = make_inputs(corpus, tests, options, signals.stop());
  if (signals.stop().load()) {
    std::fputs("esox: stopped; what is done is kept, call it again to go on\n", stderr);
    return kNothingFound;
  }
  count_tests(corpus, tests, made.counts);
  corpus.replace_inputs(made.inputs, made.counts);
  tell(corpus, made.counts, made.inputs.size());
  return kNothingFound;
}

void add_mtr_options(CLI::App& command, ImportOptions& options) {
  command.add_option("--suite", options.suites, "suites, separated by commas")
      ->capture_default_str();
  command.add_option("--out", options.out, "the corpus: a new folder, or one to go on with")
      ->required();
  command.add_option("--do-test", options.only, "only tests whose name begins so; may be repeated");
  command.add_option("--mtr", options.mtr, "the mysql-test folder (default: where it usually is)");
  command.add_option("--jobs", options.jobs, "tests that run at the same time")
      ->capture_default_str()
      ->check(CLI::Range(1U, kMostJobs));
  command
      .add_option("--per-test", options.per_test, "at most so many inputs of each form of a test")
      ->capture_default_str()
      ->check(CLI::Range(1, 100000));
  command
      .add_option("--per-kinds", options.per_kinds,
                  "at most so many of the same kinds of statement")
      ->capture_default_str()
      ->check(CLI::Range(1, 100000));
}

}  // namespace

void add_import_command(CLI::App& app, Chosen& chosen) {
  CLI::App* command = app.add_subcommand("import", "make inputs of what a server's own tests do");
  command->require_subcommand(1);
  CLI::App* mtr = command->add_subcommand("mtr", "of MariaDB's regression suites");
  auto options = std::make_shared<ImportOptions>();
  add_mtr_options(*mtr, *options);
  mtr->footer(kExamples);
  mtr->callback([&chosen, options] { chosen = [options] { return import_mtr(*options); }; });
}

}  // namespace esox
