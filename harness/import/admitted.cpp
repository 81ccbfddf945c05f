// SPDX-License-Identifier: Apache-2.0
#include "harness/import/admitted.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "harness/import/ranking.h"

namespace esox {
namespace {

// One input with the results of its engines put together.
struct Joined {
  CorpusInput input;
  std::set<Contact> contacts;
  std::vector<std::string> engines;
  std::set<std::string> observations;
  const TrialResult* rejected = nullptr;  // the first rejection
  bool tried = false;
};

void add_result(Joined& joined, const std::string& engine, const TrialResult& result) {
  joined.tried = true;
  if (!result.admitted()) {
    if (joined.rejected == nullptr) joined.rejected = &result;
    return;
  }
  joined.engines.push_back(engine);
  joined.contacts.insert(result.contacts.begin(), result.contacts.end());
  joined.observations.insert(result.observations.begin(), result.observations.end());
  joined.input.sensitivity = std::max(joined.input.sensitivity, result.sensitivity);
}

Joined join(ImportedInput imported, const std::map<TrialKey, TrialResult>& trials,
            ImportCounts& counts) {
  Joined joined;
  std::vector<std::string> engines = imported.input.engines;
  if (engines.empty()) engines.emplace_back();
  for (const std::string& engine : engines) {
    const auto found = trials.find({imported.input.id, engine});
    if (found == trials.end()) continue;
    ++counts.stages["trials"];
    add_result(joined, engine, found->second);
    if (!found->second.admitted()) ++counts.rejected["trial: " + found->second.rejected];
  }
  joined.input.imported = std::move(imported);
  return joined;
}

void settle_input(Joined& joined) {
  Input& input = joined.input.imported.input;
  if (!input.engines.empty()) input.engines = joined.engines;
  input.observations.assign(joined.observations.begin(), joined.observations.end());
  joined.input.contacts = joined.contacts.size();
}

std::vector<CorpusInput> in_rank_order(std::vector<Joined> all, const History& history) {
  std::vector<Rankable> rankable;
  for (const Joined& one : all) {
    const ImportedInput& imported = one.input.imported;
    Rankable row{imported.input.id,
                 one.input.sensitivity,
                 imported.kinds,
                 {one.contacts.begin(), one.contacts.end()},
                 0,
                 0};
    const auto past = history.find(imported.kinds);
    if (past != history.end()) {
      row.hunted = past->second.hunted;
      row.fertile = past->second.fertile;
    }
    rankable.push_back(std::move(row));
  }
  std::vector<CorpusInput> inputs;
  for (const size_t index : ranked(rankable)) inputs.push_back(std::move(all[index].input));
  return inputs;
}

}  // namespace

Admitted admitted(std::vector<ImportedInput> inputs, const std::map<TrialKey, TrialResult>& trials,
                  const History& history) {
  Admitted result;
  std::vector<Joined> kept;
  for (ImportedInput& one : inputs) {
    Joined joined = join(std::move(one), trials, result.counts);
    if (!joined.tried) continue;
    if (joined.engines.empty()) {
      ++result.counts.stages["inputs rejected"];
      ImportedInput& rejected = joined.input.imported;
      add_to_title(rejected.input, joined.rejected->rejected);
      result.rejected.push_back(std::move(rejected));
      continue;
    }
    settle_input(joined);
    if (joined.input.imported.whole_prefix) {
      ++result.counts.stages["inputs made again with the full prefix: admitted"];
    }
    ++result.counts.stages["inputs admitted"];
    ++result.counts.stages[fmt::format("inputs admitted: order-sensitive: {}",
                                       name_of(joined.input.sensitivity))];
    if (!joined.observations.empty()) {
      ++result.counts.stages["inputs admitted: they change users, variables or databases"];
    }
    kept.push_back(std::move(joined));
  }
  result.inputs = in_rank_order(std::move(kept), history);
  return result;
}

}  // namespace esox
