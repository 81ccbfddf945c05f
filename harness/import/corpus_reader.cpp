// SPDX-License-Identifier: Apache-2.0
#include "harness/import/corpus_reader.h"

#include <fmt/format.h>

#include <map>
#include <set>
#include <system_error>
#include <utility>

#include "harness/engine/known_servers.h"
#include "harness/import/corpus.h"
#include "inputs/reader.h"

namespace esox {

bool is_corpus(const std::filesystem::path& path) {
  std::error_code error;
  return std::filesystem::is_regular_file(path / "index.sqlite", error);
}

std::vector<Input> read_corpus(const std::filesystem::path& folder, size_t most) {
  if (!is_corpus(folder)) {
    throw InputError(folder.string(), 0, "no corpus; name a folder that esox import has filled");
  }
  const std::vector<RankedInput> ranked = Corpus(folder).best(most);
  std::set<std::filesystem::path> files;
  for (const RankedInput& one : ranked) files.insert(folder / one.file);
  if (files.empty()) {
    throw InputError(folder.string(), 0, "the corpus holds no input; import into it first");
  }
  std::map<std::string, Input> by_id;
  for (Input& input : read_inputs({files.begin(), files.end()}, languages())) {
    std::string id = input.id;
    by_id.emplace(std::move(id), std::move(input));
  }
  std::vector<Input> inputs;
  for (const RankedInput& one : ranked) {
    const auto found = by_id.find(one.id);
    if (found == by_id.end()) {
      throw InputError(
          (folder / one.file).string(), 0,
          fmt::format("{} is gone from it; import again, which makes it anew", one.id));
    }
    inputs.push_back(std::move(found->second));
  }
  return inputs;
}

}  // namespace esox
