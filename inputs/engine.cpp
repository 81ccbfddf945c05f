// SPDX-License-Identifier: Apache-2.0
// Filling in ${engine}.
#include "inputs/engine.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text/input_error.h"
#include "base/text/letters.h"
#include "base/text/spelling.h"

namespace esox {
namespace {

// Calls `visit` with every text in which a placeholder is filled in.
template <typename AnyInput, typename Visitor>
void for_each_text(AnyInput& input, const Visitor& visit) {
  for (auto& option : input.server_options) visit(option);
  for (auto& statement : input.setup) visit(statement);
  for (auto& client : input.clients) {
    for (auto& statement : client.setup) visit(statement);
    for (auto& request : client.requests) visit(request.text);
  }
  for (auto& statement : input.observations) visit(statement);
}

void fill(std::string& text, std::string_view engine) {
  size_t at = text.find(kEnginePlaceholder);
  while (at != std::string::npos) {
    text.replace(at, kEnginePlaceholder.size(), engine);
    at = text.find(kEnginePlaceholder, at + engine.size());
  }
}

ConcreteInput filled(const Input& input, const std::string& engine) {
  ConcreteInput concrete{input, engine};
  concrete.input.engines.clear();
  for_each_text(concrete.input, [&](std::string& text) { fill(text, engine); });
  return concrete;
}

std::vector<std::string> engines_to_try(const Input& input,
                                        const std::vector<std::string>& requested) {
  if (!requested.empty()) return canonical_engines(*input.language, requested);
  if (!input.engines.empty()) return input.engines;
  const std::span<const std::string_view> tried = input.language->default_engines();
  return {tried.begin(), tried.end()};
}

// An input may have been written for another flavour of its server, with engines that this one
// lacks.
bool allows(const Input& input, const std::string& engine) {
  const auto& own = input.engines;
  return known_engine(*input.language, engine) &&
         (own.empty() || std::ranges::find(own, engine) != own.end());
}

}  // namespace

std::string engine_against_level(const Input& input) {
  if (input.isolation_level.empty()) return "";
  if (input.engines.empty()) return input.language->engine_without_transactions(input);
  for (const std::string& engine : input.engines) {
    std::string found = input.language->engine_without_transactions(filled(input, engine).input);
    if (!found.empty()) return found;
  }
  return "";
}

std::optional<std::string> known_engine(const RequestLanguage& language, std::string_view name) {
  for (const std::string_view known : language.engines()) {
    if (equal_but_for_case(known, name)) return std::string(known);
  }
  return std::nullopt;
}

std::string unknown_engine_message(const RequestLanguage& language, std::string_view name) {
  if (language.engines().empty()) {
    return fmt::format("a {} has no storage engines; leave {} out", language.server(),
                       in_quotes(name));
  }
  return "unknown engine " + in_quotes(name) + spelling_hint(name, language.engines());
}

std::vector<std::string> canonical_engines(const RequestLanguage& language,
                                           const std::vector<std::string>& names) {
  std::vector<std::string> engines;
  for (const std::string& name : names) {
    const auto engine = known_engine(language, name);
    if (!engine) throw InputError("", 0, unknown_engine_message(language, name));
    if (std::ranges::find(engines, *engine) == engines.end()) engines.push_back(*engine);
  }
  return engines;
}

bool has_engine_placeholder(std::string_view text) {
  return text.find(kEnginePlaceholder) != std::string_view::npos;
}

bool has_engine_placeholder(const Input& input) {
  bool found = false;
  for_each_text(input, [&](const std::string& text) {
    found = found || has_engine_placeholder(std::string_view(text));
  });
  return found;
}

std::vector<ConcreteInput> instantiate(const Input& input,
                                       const std::vector<std::string>& engines) {
  std::vector<ConcreteInput> instances;
  const std::vector<std::string> candidates = engines_to_try(input, engines);
  if (!has_engine_placeholder(input)) return {ConcreteInput{input, ""}};
  for (const std::string& engine : candidates) {
    if (!allows(input, engine)) continue;
    ConcreteInput instance = filled(input, engine);
    if (engine_against_level(instance.input).empty()) instances.push_back(std::move(instance));
  }
  return instances;
}

}  // namespace esox
