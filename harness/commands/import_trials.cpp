// SPDX-License-Identifier: Apache-2.0
#include "harness/commands/import_trials.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <utility>

#include "base/yaml/limits.h"
#include "harness/commands/command.h"
#include "harness/import/admission.h"
#include "harness/import/admitted.h"
#include "inputs/writer.h"

namespace esox {
namespace {

constexpr unsigned kMostJobs = 16;
constexpr std::chrono::seconds kEvery{10};  // a line on what is no terminal

void tell(const Corpus& corpus, const ImportCounts& counts, size_t inputs) {
  std::string text;
  for (const auto& [name, number] : counts.stages) text += fmt::format("{:>9}  {}\n", number, name);
  if (!counts.rejected.empty()) text += "Left out:\n";
  for (const auto& [name, number] : counts.rejected)
    text += fmt::format("{:>9}  {}\n", number, name);
  text += fmt::format("{} inputs in {}/; the index is {}\n", inputs,
                      (corpus.folder() / "inputs").string(),
                      (corpus.folder() / "index.sqlite").string());
  std::fputs(text.c_str(), stdout);
  std::fflush(stdout);
}

}  // namespace

void add_import_jobs(Command& command, unsigned& jobs) {
  command.add_defaulted("--jobs", jobs, "tests, and later trials, that run at the same time",
                        within(1U, kMostJobs));
}

// One alone must fit into a file; see Corpus.
void leave_out_large_inputs(std::vector<ImportedInput>& inputs, ImportCounts& counts) {
  const size_t gone = std::erase_if(inputs, [](const ImportedInput& one) {
    return to_yaml(one.input).size() > kMaxFileBytes / 2;
  });
  if (gone > 0) counts.rejected["input: larger than half a file may be"] += gone;
}

bool try_imported(const std::vector<ImportedInput>& inputs, Corpus& corpus, const Workbench& bench,
                  unsigned jobs, const std::atomic<bool>& stop) {
  ProgressLine line;
  try_inputs(*bench.server, bench.executor, inputs, corpus, jobs, stop,
             [&](const AdmissionProgress& progress) {
               line.show(progress.done,
                         fmt::format("{}/{} inputs and engines tried, {} admitted", progress.done,
                                     progress.wanted, progress.admitted));
             });
  return !stop.load();
}

bool try_and_keep(std::vector<ImportedInput> inputs, ImportCounts counts, Corpus& corpus,
                  const Workbench& bench, unsigned jobs, const std::atomic<bool>& stop) {
  leave_out_large_inputs(inputs, counts);
  if (!try_imported(inputs, corpus, bench, jobs, stop)) return false;
  const Admitted result = admitted(std::move(inputs), corpus.trials(), corpus.history());
  add_counts(counts.stages, result.counts.stages);
  add_counts(counts.rejected, result.counts.rejected);
  corpus.replace_inputs(result.inputs, result.rejected, counts);
  tell(corpus, counts, result.inputs.size());
  return true;
}

int stopped_import() {
  std::fputs("esox: stopped; what is done is kept, call it again to go on\n", stderr);
  return kNothingFound;
}

void ProgressLine::show(size_t done, const std::string& text) {
  const bool terminal = isatty(STDERR_FILENO) != 0;
  const auto now = std::chrono::steady_clock::now();
  if (done == shown_ || (!terminal && now - last_ < kEvery)) return;
  shown_ = done;
  last_ = now;
  std::fputs((terminal ? "\r" + text + "\x1b[K" : text + "\n").c_str(), stderr);
  drawn_ = terminal;
}

ProgressLine::~ProgressLine() {
  if (drawn_) std::fputs("\n", stderr);
}

}  // namespace esox
