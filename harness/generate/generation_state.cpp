// SPDX-License-Identifier: Apache-2.0
#include "harness/generate/generation_state.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <utility>

#include "inputs/import/imported_input.h"
#include "inputs/languages.h"
#include "inputs/limits.h"

namespace esox {
namespace {

std::string hash_digits(uint64_t hash) {
  return fmt::format("{:016x}", hash);
}

}  // namespace

bool GenerationState::is_no_news(const std::vector<std::string>& keys) const {
  return std::ranges::any_of(keys, [&](const std::string& key) {
    const auto found = causes.find(key);
    return found != causes.end() &&
           (found->second.told_before || found->second.confirmed >= kMostOfCause);
  });
}

const CorpusMember* GenerationState::member(uint64_t number) const {
  const auto found = std::ranges::lower_bound(members, number, {}, &CorpusMember::number);
  return found != members.end() && found->number == number ? &*found : nullptr;
}

uint64_t GenerationState::tried(std::string_view kind, std::string_view other) const {
  using Kinds = std::pair<std::string_view, std::string_view>;
  const Kinds wanted = std::minmax(kind, other);
  const auto found = std::ranges::lower_bound(
      kinds, wanted, {}, [](const KindCell& cell) { return Kinds(cell.first, cell.second); });
  const bool there =
      found != kinds.end() && found->first == wanted.first && found->second == wanted.second;
  return there ? found->inputs : 0;
}

std::string setup_key(const Input& input) {
  Input rest = input;
  rest.clients.clear();
  return hash_digits(text_hash(rest));
}

std::string text_key(const Input& input) {
  return hash_digits(text_hash(input));
}

std::string made_id(const Input& input) {
  return fmt::format("{}/{}", setup_key(input), text_key(input));
}

std::string made_title(const Input& input) {
  return fmt::format("{} clients: {}", input.clients.size(), kinds_of(input))
      .substr(0, kMaxTitleBytes);
}

}  // namespace esox
