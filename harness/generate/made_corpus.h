// SPDX-License-Identifier: Apache-2.0
// A corpus of made inputs on disk: one of the ordinary kind (harness/import/corpus.h), with all
// that generation goes on from in its index.
//
//   OUT/index.sqlite             besides the inputs: members, features, templates, mutators, causes
//   OUT/inputs/SETUP/TEXT.yaml   a member each, for esox hunt
//
// An epoch is one transaction, so that the index is always that of the end of some epoch. Files are
// written before it: one of an epoch that never ended is in no index, and the epoch, executed
// again, writes the same one. Throws OutError, DatabaseError; InputError for a file that was
// changed.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "harness/generate/generation_state.h"
#include "harness/import/corpus.h"

namespace esox {

// What an epoch changed in a state, beside what is small and always kept whole.
struct EpochChanges {
  std::vector<uint64_t> members;  // new ones, and those of whom a number changed
  std::vector<std::string> gone;  // files of members that had to make room
  Features features;
};

class MadeCorpus {
 public:
  // Makes the folder, or goes on with it.
  explicit MadeCorpus(const std::filesystem::path& folder);

  // Whether something was generated into it.
  bool begun();
  GenerationState read();
  // All of a new one.
  void begin(const GenerationState& state);
  void keep(const GenerationState& state, const EpochChanges& changes);
  // Members in rank order: by these energies, the greatest first.
  void rank(const std::vector<std::pair<uint64_t, double>>& energies);

  const std::filesystem::path& folder() const { return corpus_.folder(); }

 private:
  void put_member(const CorpusMember& member);
  void put_small(const GenerationState& state);
  void read_members(GenerationState& state);
  void read_small(GenerationState& state);

  Corpus corpus_;
  std::map<std::pair<std::string, std::string>, std::string> kept_cells_;  // by kinds: how it was
};

}  // namespace esox
