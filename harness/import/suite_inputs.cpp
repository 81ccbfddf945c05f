// SPDX-License-Identifier: Apache-2.0
#include "harness/import/suite_inputs.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace esox {
namespace {

// The captured tests of the suite, by their keys in the corpus.
std::map<std::string, const SuiteTest*> captured_tests(const Corpus& corpus,
                                                       const std::vector<SuiteTest>& tests) {
  std::map<std::string, const SuiteTest*> by_name;
  for (const SuiteTest& test : tests) by_name[test.key()] = &test;
  std::map<std::string, const SuiteTest*> captured;
  for (const auto& [key, state] : corpus.tests()) {
    const auto test = by_name.find(plain_name(key));
    if (state.state == "captured" && test != by_name.end()) captured[key] = test->second;
  }
  return captured;
}

TestLogs logs_of(const Corpus& corpus, const std::string& key, const SuiteTest& test) {
  return {key, corpus.capture_of(key), test.server_options};
}

enum class Fate { kAdmitted, kWorthAgain, kOther };

Fate fate_of(const ImportedInput& imported, const std::map<TrialKey, TrialResult>& trials) {
  std::vector<std::string> engines = imported.input.engines;
  if (engines.empty()) engines.emplace_back();
  Fate fate = Fate::kOther;
  for (const std::string& engine : engines) {
    const auto trial = trials.find({imported.input.id, engine});
    if (trial == trials.end()) continue;
    if (trial->second.admitted()) return Fate::kAdmitted;
    const std::string& reason = trial->second.rejected;
    if (reason == kSetupFails || reason == kRequestFails) fate = Fate::kWorthAgain;
  }
  return fate;
}

}  // namespace

std::string plain_name(const std::string& key) {
  return key.substr(0, key.find(','));
}

SuiteInputs sliced_inputs(const Corpus& corpus, const std::vector<SuiteTest>& tests,
                          const SelectionLimits& limits, const std::atomic<bool>& stop,
                          const Target& target) {
  const SuiteImport& suites = *target.suite_import();
  SuiteInputs made;
  Selection selection(limits);
  for (const auto& [key, test] : captured_tests(corpus, tests)) {
    if (stop.load()) return made;
    TestInputs own =
        suites.slice(target.language(), logs_of(corpus, key, *test), selection, made.counts);
    std::ranges::move(own.inputs, std::back_inserter(made.inputs));
    if (!own.too_long.empty()) made.too_long[key] = std::move(own.too_long);
  }
  add_counts(made.counts.rejected, selection.left_out());
  return made;
}

std::map<std::string, std::vector<Candidate>> candidates_again(
    const SuiteInputs& sliced, const std::map<TrialKey, TrialResult>& trials) {
  std::map<std::string, std::vector<Candidate>> again = sliced.too_long;
  for (const ImportedInput& one : sliced.inputs) {
    if (fate_of(one, trials) == Fate::kWorthAgain) again[one.test].push_back(candidate_of(one));
  }
  return again;
}

std::vector<ImportedInput> prefix_inputs(const Corpus& corpus, const std::vector<SuiteTest>& tests,
                                         const SelectionLimits& limits, SuiteInputs& sliced,
                                         const std::atomic<bool>& stop, const Target& target) {
  const SuiteImport& suites = *target.suite_import();
  const auto trials = corpus.trials();
  Selection selection(limits);
  std::set<std::string> known;
  for (const ImportedInput& one : sliced.inputs) {
    known.insert(one.input.id);
    if (fate_of(one, trials) == Fate::kAdmitted) selection.know(one);
  }
  const auto captured = captured_tests(corpus, tests);
  std::vector<ImportedInput> made;
  for (auto& [key, candidates] : candidates_again(sliced, trials)) {
    if (stop.load()) return made;
    auto own = suites.again(target.language(), logs_of(corpus, key, *captured.at(key)), candidates,
                            known, selection, sliced.counts);
    std::ranges::move(own, std::back_inserter(made));
  }
  for (const auto& [reason, number] : selection.left_out()) {
    sliced.counts.rejected["full prefix: " + reason] += number;
  }
  return made;
}

}  // namespace esox
