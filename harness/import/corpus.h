// SPDX-License-Identifier: Apache-2.0
// The folder that an import fills, and its index.
//
//   OUT/index.sqlite           tests, inputs and counts; made to be queried with sqlite3
//   OUT/capture/SUITE/TEST/    the two logs of each test captured
//   OUT/inputs/SUITE/TEST.yaml the inputs, for esox hunt
//
// Each step is committed when it is done, so that an import that was killed goes on where it was.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "inputs/import/test_import.h"

struct sqlite3;

namespace esox {

struct TestState {
  std::string state;   // "captured", "failed", "skipped", "left out"
  std::string reason;  // of all but the first
};

class Corpus {
 public:
  // Makes the folder, or goes on with it. Throws OutError: not a corpus, another version, no space,
  // or another import is at work in it.
  explicit Corpus(std::filesystem::path folder);
  ~Corpus();
  Corpus(const Corpus&) = delete;
  Corpus& operator=(const Corpus&) = delete;

  const std::filesystem::path& folder() const { return folder_; }
  std::filesystem::path capture_of(const std::string& test) const;

  void set_test(const std::string& test, const TestState& state);
  std::map<std::string, TestState> tests() const;  // by "main/view"

  // All inputs there are now, in rank order, in place of those there were; their files too.
  void replace_inputs(const std::vector<ImportedInput>& inputs, const ImportCounts& counts);
  // Inputs of the index by form, "pair": 1234.
  std::map<std::string, size_t> inputs_by_form() const;

 private:
  void open();
  void write_files(const std::vector<ImportedInput>& inputs) const;

  std::filesystem::path folder_;
  struct Close {
    void operator()(sqlite3* database) const;
  };
  std::unique_ptr<sqlite3, Close> database_;
};

}  // namespace esox
