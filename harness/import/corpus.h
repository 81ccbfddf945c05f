// SPDX-License-Identifier: Apache-2.0
// The folder that an import fills, and its index.
//
//   OUT/index.sqlite             tests, trials, inputs and counts; to be queried with sqlite3
//   OUT/capture/SUITE/TEST/      the two logs of each test captured
//   OUT/inputs/SUITE/TEST.yaml   the inputs that were admitted, for esox hunt
//   OUT/rejected/SUITE/TEST.yaml those that were not; the index says why
//
// A file that would be too large for the reader goes on in TEST-2.yaml.
// Each step is committed when it is done, so that an import that was killed goes on where it was.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "analysis/conflict_pool.h"
#include "base/sqlite/database.h"
#include "harness/import/trial_result.h"
#include "inputs/import/files_import.h"

namespace esox {

struct TestState {
  std::string state;   // "captured", "failed", "skipped", "left out"
  std::string reason;  // of all but the first
};

using TrialKey = std::pair<std::string, std::string>;  // an input's id, an engine or nothing

// An input that was admitted, with the engines left on which it was.
struct CorpusInput {
  ImportedInput imported;
  Sensitivity sensitivity = Sensitivity::kNone;  // the most telling of its engines'
  size_t contacts = 0;
};

// What hunts over the corpus have shown, by the kinds of statement of an input.
struct PastHunts {
  uint64_t hunted = 0;   // inputs
  uint64_t fertile = 0;  // those that gave a finding
};
using History = std::map<std::string, PastHunts>;

// What a hunt did with one input, all engines together.
struct HuntedInput {
  std::string id;
  uint64_t executions = 0;
  uint64_t findings = 0;
};

// Where the clients of one input on one engine have conflicted.
struct ShownConflicts {
  std::string id;
  std::string engine;
  ConflictTable places;
};

struct RankedInput {
  std::string id;
  std::string file;  // within the corpus
};

inline constexpr size_t kMostPooledInputs = 5'000;

class Corpus {
 public:
  // Makes the folder, or goes on with it. Throws OutError (not a corpus, another version) and, as
  // all others do, DatabaseError: no space, or another import is at work in it.
  explicit Corpus(std::filesystem::path folder);

  const std::filesystem::path& folder() const { return folder_; }
  std::filesystem::path capture_of(const std::string& test) const;

  void set_test(const std::string& test, const TestState& state);
  std::map<std::string, TestState> tests() const;  // by "main/view"

  void add_trials(const std::vector<std::pair<TrialKey, TrialResult>>& trials);
  std::map<TrialKey, TrialResult> trials() const;

  // Adds to what there is of these inputs.
  void add_history(const std::vector<HuntedInput>& hunted);
  History history() const;

  // In place of what was known of these inputs on this version of the server.
  void set_conflicts(const std::string& server_version, const std::vector<ShownConflicts>& shown);
  // What the inputs have shown there, the kMostPooledInputs last ones.
  ConflictPool conflicts(const std::string& server_version) const;

  // All inputs there are now, in rank order, in place of those there were; their files too, and
  // those of the rejected ones.
  void replace_inputs(const std::vector<CorpusInput>& inputs,
                      const std::vector<ImportedInput>& rejected, const ImportCounts& counts);
  // One more, whose file is there, within a transaction of the caller.
  void add_input(size_t rank, const CorpusInput& input, const std::string& file);
  // For who keeps more in the same file, and in the same transactions.
  Database& index() { return database_; }
  // The first ones in rank order.
  std::vector<RankedInput> best(size_t most) const;

 private:
  void write_files(const std::string& folder,
                   const std::map<std::string, std::vector<Input>>& inputs_of) const;

  std::filesystem::path folder_;
  mutable Database database_;
};

}  // namespace esox
