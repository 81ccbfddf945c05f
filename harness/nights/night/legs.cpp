// SPDX-License-Identifier: Apache-2.0
// See legs.h.
#include "harness/nights/night/legs.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

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

std::string name_of(const Leg& leg, bool several_strategies) {
  std::string name = fmt::format("{}-{}-{}", leg.server.name, leg.options.name, leg.corpus.name);
  if (several_strategies) name += "-" + as_file_name(leg.strategy);
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
        return std::find(list->begin(), list->end(), one) == list->end();
      });
    }
    any = false;
  }
  none = !any && common.empty();
  return common;
}

std::vector<Input> read_corpus_of(const Leg& leg, const std::string& kind) {
  const std::vector<std::string> paths = corpus_paths(leg, kind);
  if (paths.size() == 1 && is_corpus(paths.front())) {
    return read_corpus(paths.front(), leg.corpus.top == 0 ? SIZE_MAX : leg.corpus.top);
  }
  return read_inputs({paths.begin(), paths.end()}, languages());
}

}  // namespace

std::vector<Leg> legs_of(const HuntFile& file, uint64_t night) {
  std::vector<Leg> legs;
  std::set<std::string> names;
  double sum = 0;
  for (const HuntFileServer& server : file.servers) {
    for (const HuntFileOptions& options : file.options) {
      for (const HuntFileCorpus& corpus : file.corpora) {
        for (const std::string& strategy : file.strategies) {
          Leg leg;
          leg.server = server;
          leg.options = options;
          leg.corpus = corpus;
          leg.strategy = strategy;
          leg.share = server.share * options.share * corpus.share;
          leg.engines = common_engines({&file.engines, &options.engines, &corpus.engines},
                                       leg.no_engine_fits);
          const std::string name = name_of(leg, file.strategies.size() > 1);
          leg.name = name;
          for (int i = 2; !names.insert(leg.name).second; ++i) {
            leg.name = fmt::format("{}-{}", name, i);
          }
          sum += leg.share;
          legs.push_back(std::move(leg));
        }
      }
    }
  }
  for (Leg& leg : legs) leg.share /= sum;
  std::rotate(legs.begin(), legs.begin() + static_cast<ptrdiff_t>(night % legs.size()), legs.end());
  return legs;
}

std::vector<std::string> corpus_paths(const Leg& leg, const std::string& server_kind) {
  if (!leg.corpus.inputs.empty()) return leg.corpus.inputs;
  std::vector<std::string> paths;
  for (const std::filesystem::path& one : target_named(server_kind).hunted_inputs()) {
    paths.push_back(one.string());
  }
  return paths;
}

std::vector<LegInput> inputs_of(const Leg& leg, const std::string& server_kind) {
  std::vector<LegInput> inputs;
  for (const Input& input : read_corpus_of(leg, server_kind)) {
    if (input.server() != server_kind) continue;
    for (const ConcreteInput& one : instantiate(input, leg.engines)) {
      inputs.push_back({one.input.id, one.engine});
    }
  }
  return inputs;
}

}  // namespace esox
