// SPDX-License-Identifier: Apache-2.0
#include "harness/nights/night/stages.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "base/mapped.h"
#include "harness/engine/known_servers.h"
#include "harness/import/corpus_reader.h"
#include "inputs/engine.h"
#include "inputs/reader.h"
#include "targets/registry.h"

namespace esox {
namespace {

using Engines = std::vector<std::string>;

// "pct:d=3" -> "pct_d_3"
std::string as_file_name(std::string text) {
  for (char& c : text) {
    const bool safe = std::isalnum(static_cast<unsigned char>(c)) || c == '.' || c == '-';
    if (!safe) c = '_';
  }
  return text;
}

std::string name_of(const Stage& stage, bool several_strategies) {
  std::string name =
      fmt::format("{}-{}-{}", stage.server.name, stage.options.name, stage.corpus.name);
  if (several_strategies) name += "-" + as_file_name(stage.strategy);
  return name;
}

// Empty lists allow all; `none` is set if nothing is left.
Engines common_engines(const std::vector<const Engines*>& lists, bool& none) {
  Engines common;
  bool any = true;
  for (const Engines* list : lists) {
    if (list->empty()) continue;
    if (any) {
      common = *list;
    } else {
      std::erase_if(common, [list](const std::string& one) {
        return std::ranges::find(*list, one) == list->end();
      });
    }
    any = false;
  }
  none = !any && common.empty();
  return common;
}

std::vector<Input> read_corpus_of(const Stage& stage, const std::string& kind) {
  const std::vector<std::string> paths = corpus_paths(stage, kind);
  if (paths.size() == 1 && is_corpus(paths.front())) {
    return read_corpus(paths.front(), stage.corpus.top == 0 ? SIZE_MAX : stage.corpus.top);
  }
  std::vector<Input> inputs = read_inputs({paths.begin(), paths.end()}, languages());
  for (Input& input : inputs) adapt_input(input, target_named(kind));
  return inputs;
}

}  // namespace

std::vector<Stage> stages_of(const HuntFile& file, uint64_t night) {
  std::vector<Stage> stages;
  std::set<std::string> names;
  double sum = 0;
  for (const HuntFileServer& server : file.servers) {
    for (const HuntFileOptions& options : file.options) {
      for (const HuntFileCorpus& corpus : file.corpora) {
        for (const std::string& strategy : file.strategies) {
          // How made inputs are scheduled is not the file's to say: once.
          if (corpus.grammar && strategy != file.strategies.front()) continue;
          Stage stage;
          stage.server = server;
          stage.options = options;
          stage.corpus = corpus;
          stage.strategy = strategy;
          stage.share = server.share * options.share * corpus.share;
          stage.engines = common_engines({&file.engines, &options.engines, &corpus.engines},
                                         stage.no_engine_fits);
          const std::string name = name_of(stage, file.strategies.size() > 1);
          stage.name = name;
          for (int i = 2; !names.insert(stage.name).second; ++i) {
            stage.name = fmt::format("{}-{}", name, i);
          }
          sum += stage.share;
          stages.push_back(std::move(stage));
        }
      }
    }
  }
  for (Stage& stage : stages) stage.share /= sum;
  std::rotate(stages.begin(), stages.begin() + static_cast<ptrdiff_t>(night % stages.size()),
              stages.end());
  return stages;
}

std::vector<std::string> corpus_paths(const Stage& stage, const std::string& server_kind) {
  if (!stage.corpus.inputs.empty()) return stage.corpus.inputs;
  return mapped<std::string>(target_named(server_kind).hunted_inputs(),
                             [&](const std::filesystem::path& one) { return one.string(); });
}

std::vector<StageInput> inputs_of(const Stage& stage, const std::string& server_kind) {
  std::vector<StageInput> inputs;
  for (const Input& input : read_corpus_of(stage, server_kind)) {
    if (input.server() != server_kind) continue;
    for (const ConcreteInput& one : instantiate(input, stage.engines)) {
      inputs.push_back({one.input.id, one.engine});
    }
  }
  return inputs;
}

}  // namespace esox
