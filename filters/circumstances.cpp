// SPDX-License-Identifier: Apache-2.0
#include "filters/circumstances.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/text/letters.h"
#include "base/text/wildcard.h"

namespace esox {
namespace {

bool has(const std::vector<std::string>& list, const std::string& value) {
  return std::ranges::find(list, value) != list.end();
}

std::vector<std::string> texts_of(const Input& input) {
  std::vector<std::string> texts = input.server_options;
  texts.insert(texts.end(), input.setup.begin(), input.setup.end());
  for (const InputClient& client : input.clients) {
    texts.insert(texts.end(), client.setup.begin(), client.setup.end());
    for (const Request& request : client.requests) texts.push_back(request.text);
  }
  return texts;
}

// A text in which the bound of the search was reached is not one that the rule is for.
bool is_found(const Pattern& pattern, const std::string& text) {
  return pattern.found_in(text).value_or(false);
}

}  // namespace

std::vector<uint32_t> version_numbers(std::string_view text) {
  std::vector<uint32_t> numbers;
  const char* at = text.data();
  const char* const end = at + text.size();
  for (;;) {
    uint32_t number = 0;
    const auto [stop, error] = std::from_chars(at, end, number);
    if (error != std::errc()) return numbers;
    numbers.push_back(number);
    if (stop == end || *stop != '.') return numbers;
    at = stop + 1;
  }
}

Circumstances circumstances_of(const ConcreteInput& input, const ServerFacts& server) {
  Circumstances made;
  const RequestLanguage& language = *input.input.language;
  made.server = language.server();
  made.version = version_numbers(server.version);
  made.options = server.options;
  made.options.insert(made.options.end(), input.input.server_options.begin(),
                      input.input.server_options.end());
  made.texts = texts_of(input.input);
  RequestEngines touched;
  if (input.engine.empty()) touched = language.touched_engines(input.input, made.options);
  for (size_t c = 0; c < input.input.clients.size(); ++c) {
    auto& requests = made.requests.emplace_back();
    for (const Request& request : input.input.clients[c].requests) {
      std::vector<std::string> engines;
      if (!input.engine.empty()) engines = {input.engine};
      if (c < touched.size()) engines = touched[c].at(requests.size());
      requests.push_back({language.kind(request.text), request.text, language.names(request.text),
                          language.tells_of_last_request(request.text), std::move(engines)});
    }
  }
  return made;
}

bool is_of_kind(std::string_view kind, const std::vector<std::string>& wanted) {
  return std::ranges::any_of(wanted, [&](const std::string& one) {
    return kind == one ||
           (kind.size() > one.size() && kind.starts_with(one) && kind[one.size()] == ' ');
  });
}

bool has_option(const std::vector<std::string>& options, std::string_view name) {
  bool has = false;
  for (std::string_view option : options) {
    option.remove_prefix(std::min(option.find_first_not_of('-'), option.size()));
    std::string given = lower(option.substr(0, option.find('=')));
    std::ranges::replace(given, '_', '-');
    if (given == name) has = true;
    if (given == fmt::format("skip-{}", name)) has = false;
  }
  return has;
}

bool is_for(const Rule& rule, std::string_view server) {
  return std::ranges::find(rule.servers, server) != rule.servers.end();
}

// A version that is not known is not one that the rule is for.
bool fits(const Rule& rule, const Circumstances& circumstances) {
  const Scope& scope = rule.scope;
  const std::vector<uint32_t>& version = circumstances.version;
  const bool has_range = !scope.from_version.empty() || !scope.before_version.empty();
  if (!is_for(rule, circumstances.server) || (has_range && version.empty())) return false;
  if (version < scope.from_version) return false;
  if (!scope.before_version.empty() && version >= scope.before_version) return false;
  const auto holds_it = [&](const std::string& text) { return is_found(*scope.input, text); };
  if (scope.input && std::ranges::none_of(circumstances.texts, holds_it)) return false;
  return std::ranges::none_of(scope.without_options, [&](const std::string& option) {
    return has_option(circumstances.options, option);
  });
}

bool fits(const Scope& scope, const RequestFacts& request) {
  if (!scope.statements.empty() && !is_of_kind(request.kind, scope.statements)) return false;
  if (scope.text && !is_found(*scope.text, request.text)) return false;
  // Argued for some engines, and for no others; one that is not known is another.
  const bool on_others = request.engines.empty() ||
                         !std::ranges::all_of(request.engines, [&](const std::string& engine) {
                           return has(scope.engines, engine);
                         });
  if (!scope.engines.empty() && on_others) return false;
  if (scope.object.empty()) return true;
  const std::string object = lower(scope.object);
  return std::ranges::any_of(request.names,
                             [&](const std::string& name) { return matches(object, name); });
}

}  // namespace esox
