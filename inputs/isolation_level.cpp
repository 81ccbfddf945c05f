// SPDX-License-Identifier: Apache-2.0
#include "inputs/isolation_level.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

#include "base/text/input_error.h"
#include "base/text/spelling.h"

namespace esox {
namespace {

const IsolationLevel* level_of(const std::string& name, const RequestLanguage& language) {
  for (const IsolationLevel& level : language.isolation_levels()) {
    if (level.name == name) return &level;
  }
  return nullptr;
}

}  // namespace

std::string isolation_level_complaint(const std::string& name, const RequestLanguage& language) {
  if (name.empty() || level_of(name, language) != nullptr) return {};
  std::vector<std::string_view> known;
  for (const IsolationLevel& level : language.isolation_levels()) known.push_back(level.name);
  if (known.empty()) {
    return fmt::format("sessions of a {} have no isolation level; leave it out", language.server());
  }
  return fmt::format("{} is no isolation level{}; give one of {}", in_quotes(name),
                     spelling_hint(name, known), fmt::join(known, ", "));
}

Input at_level(Input input, const std::string& level) {
  input.id += "-" + level;
  input.isolation_level = level;
  return input;
}

const IsolationLevel* isolation_level_of(const Input& input) {
  return level_of(input.isolation_level, *input.language);
}

std::vector<std::string> session_setup(const Input& input, const InputClient& client) {
  std::vector<std::string> texts = client.setup;
  if (const IsolationLevel* level = isolation_level_of(input)) {
    texts.insert(texts.begin(), std::string(level->statement));
  }
  return texts;
}

}  // namespace esox
