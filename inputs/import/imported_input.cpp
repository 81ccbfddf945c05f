// SPDX-License-Identifier: Apache-2.0
#include "inputs/import/imported_input.h"

#include <fmt/format.h>
#include <xxhash.h>

#include "inputs/limits.h"

namespace esox {
namespace {

void hash_texts(XXH3_state_t* state, const std::vector<std::string>& all) {
  for (const std::string& text : all) XXH3_64bits_update(state, text.c_str(), text.size() + 1);
  XXH3_64bits_update(state, "", 1);
}

}  // namespace

uint64_t text_hash(const Input& input) {
  XXH3_state_t* const state = XXH3_createState();
  XXH3_64bits_reset(state);
  hash_texts(state, input.setup);
  hash_texts(state, input.server_options);
  for (const InputClient& client : input.clients) {
    std::vector<std::string> requests;
    for (const Request& request : client.requests) requests.push_back(request.text);
    hash_texts(state, client.setup);
    hash_texts(state, requests);
  }
  if (!input.isolation_level.empty()) hash_texts(state, {input.isolation_level});
  const uint64_t hash = XXH3_64bits_digest(state);
  XXH3_freeState(state);
  return hash;
}

Candidate candidate_of(const ImportedInput& imported) {
  Candidate candidate{imported.form, {}, imported.input.isolation_level};
  auto number = imported.statements.begin();
  for (const InputClient& client : imported.input.clients) {
    candidate.clients.emplace_back();
    for (size_t i = 0; i < client.requests.size(); ++i) {
      candidate.clients.back().push_back(*number++ - 1);
    }
  }
  return candidate;
}

void add_to_title(Input& input, const std::string& remark) {
  input.title = fmt::format("{}: {}", input.title, remark).substr(0, kMaxTitleBytes);
}

}  // namespace esox
