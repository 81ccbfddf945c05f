// SPDX-License-Identifier: Apache-2.0
// The inputs of a suite's captured tests: those with sliced setups first; and, when these have been
// tried, those to be made again with the full prefix.
//
// What is made again depends on the logs and on the trials of sliced setups alone. So an import
// that is called again makes the same ones, with the same ids, and tries none of them twice.
#pragma once

#include <atomic>
#include <map>
#include <string>
#include <vector>

#include "harness/import/corpus.h"
#include "inputs/import/selection.h"
#include "targets/target.h"

namespace esox {

struct SuiteInputs {
  std::vector<ImportedInput> inputs;
  std::map<std::string, std::vector<Candidate>> too_long;  // by test: those without a slice
  ImportCounts counts;
};

// Of the tests named, those that the corpus has captured, for the target; their logs are read one
// after the other. All below return early once `stop`.
SuiteInputs sliced_inputs(const Corpus& corpus, const std::vector<SuiteTest>& tests,
                          const SelectionLimits& limits, const std::atomic<bool>& stop,
                          const Target& target);

// What a second try is worth: by test, the candidates without a slice, and those whose sliced setup
// failed, or whose requests did in it, and that no engine admitted.
std::map<std::string, std::vector<Candidate>> candidates_again(
    const SuiteInputs& sliced, const std::map<TrialKey, TrialResult>& trials);

// Inputs of these with the full prefix, none of the shape of one that was admitted. Reads the logs
// of their tests again. Adds to the counts of `sliced`.
std::vector<ImportedInput> prefix_inputs(const Corpus& corpus, const std::vector<SuiteTest>& tests,
                                         const SelectionLimits& limits, SuiteInputs& sliced,
                                         const std::atomic<bool>& stop, const Target& target);

// "main/view" of "main/view,ps".
std::string plain_name(const std::string& key);

}  // namespace esox
