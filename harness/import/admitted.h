// SPDX-License-Identifier: Apache-2.0
// What becomes of an import's inputs after their trials: the admitted ones, each for the engines on
// which it was, in rank order; the others; and how many there are of what.
#pragma once

#include <map>
#include <vector>

#include "harness/import/corpus.h"
#include "inputs/import/files_import.h"

namespace esox {

struct Admitted {
  std::vector<CorpusInput> inputs;  // in rank order
  std::vector<ImportedInput> rejected;
  ImportCounts counts;
};

// Inputs without a trial are neither. A rejected input's title says why.
Admitted admitted(std::vector<ImportedInput> inputs, const std::map<TrialKey, TrialResult>& trials,
                  const History& history);

}  // namespace esox
