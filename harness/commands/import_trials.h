// SPDX-License-Identifier: Apache-2.0
// What all imports end with: the inputs are tried, ranked, kept, and counted for the user.
#pragma once

#include <atomic>
#include <chrono>
#include <string>
#include <vector>

#include "harness/commands/cli.h"
#include "harness/commands/workbench.h"
#include "harness/import/corpus.h"
#include "inputs/import/files_import.h"

namespace esox {

inline constexpr unsigned kImportJobs = 2;  // by default

void add_import_jobs(Command& command, unsigned& jobs);

// Tries what has not been tried. Progress goes to the standard error output. False: it was stopped;
// what was tried is kept.
bool try_imported(const std::vector<ImportedInput>& inputs, Corpus& corpus, const Workbench& bench,
                  unsigned jobs, const std::atomic<bool>& stop);

// The same, and then they are the corpus; the table of counts goes to the standard output. False:
// it was stopped; what was tried is kept, and nothing else is changed.
bool try_and_keep(std::vector<ImportedInput> inputs, ImportCounts counts, Corpus& corpus,
                  const Workbench& bench, unsigned jobs, const std::atomic<bool>& stop);

// Says so, for the exit status it gives.
int stopped_import();

// One line now and then on what is no terminal, a redrawn one on what is.
class ProgressLine {
 public:
  void show(size_t done, const std::string& text);
  ~ProgressLine();
  ProgressLine() = default;
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

 private:
  size_t shown_ = SIZE_MAX;
  std::chrono::steady_clock::time_point last_;
  bool drawn_ = false;
};

}  // namespace esox
