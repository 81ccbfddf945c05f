// SPDX-License-Identifier: Apache-2.0
// The stages of a night: servers x rows of the options matrix x corpora x strategies, in the order
// in which they are hunted, and the inputs of each.
#pragma once

#include <string>
#include <vector>

#include "harness/nights/hunt_file/hunt_file.h"
#include "inputs/input.h"

namespace esox {

struct Stage {
  std::string name;  // a folder name, unique, the same each night
  HuntFileServer server;
  HuntFileOptions options;
  HuntFileCorpus corpus;
  std::string strategy;
  double share = 1;                  // of the night: all stages' shares together are 1
  std::vector<std::string> engines;  // empty: as each input says
  bool no_engine_fits = false;       // the file's, the row's and the corpus's have none in common
};

// Never empty. The order is another one each night, so that what suffers from being last does not
// always hit the same.
std::vector<Stage> stages_of(const HuntFile& file, uint64_t night);

// An input on one of its engines, in the corpus's own order: its rank.
struct StageInput {
  std::string input;
  std::string engine;
};

// What the corpus is made of, those that come with esox too. Throws InputError.
std::vector<std::string> corpus_paths(const Stage& stage, const std::string& server_kind);

// Throws InputError, OutError (a corpus that is being imported into).
std::vector<StageInput> inputs_of(const Stage& stage, const std::string& server_kind);

}  // namespace esox
