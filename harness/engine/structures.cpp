// SPDX-License-Identifier: Apache-2.0
#include "harness/engine/structures.h"

#include <map>
#include <mutex>
#include <utility>

#include "summaries/frozen/description.h"

namespace esox {

std::vector<std::shared_ptr<const StructureDescriptions>> structures_of(const Input& input) {
  using Key = std::pair<std::string, std::string>;  // file, text
  static std::mutex mutex;
  static std::map<Key, std::shared_ptr<const StructureDescriptions>> known;
  std::vector<std::shared_ptr<const StructureDescriptions>> all;
  const std::lock_guard lock(mutex);
  for (const StructureText& one : input.structures) {
    auto& read = known[{one.file, one.text}];
    if (read == nullptr) {
      read = std::make_shared<StructureDescriptions>(parse_structures(one.text, one.file));
    }
    all.push_back(read);
  }
  return all;
}

}  // namespace esox
