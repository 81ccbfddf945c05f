// SPDX-License-Identifier: Apache-2.0
#include "filters/scope_reader.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/mapped.h"
#include "base/text/input_error.h"
#include "filters/circumstances.h"
#include "inputs/engine.h"

namespace esox {
namespace {

constexpr size_t kMaxListed = 64;

constexpr std::string_view kOptionLetters = "abcdefghijklmnopqrstuvwxyz0123456789-";

std::string checked_kind(const Fields& fields, std::string_view key, const Node& node,
                         const RequestLanguage& language) {
  const std::string& kind = fields.text(node, fmt::format("'{}'", key));
  const std::string complaint = language.kind_complaint(kind);
  if (complaint.empty()) return kind;
  fields.fail(node.line, fmt::format("'{}' in {}: {}", key, fields.object(), complaint));
}

std::vector<const Node*> nodes_at(const Fields& fields, std::string_view key) {
  const Node* node = fields.find(key);
  if (node == nullptr) return {};
  if (node->kind == Node::Kind::kText) return {node};
  std::vector<const Node*> nodes;
  for (const NodePtr& item : fields.list(*node, key)) nodes.push_back(item.get());
  if (nodes.empty() || nodes.size() > kMaxListed) {
    fields.fail(node->line, fmt::format("'{}' in {} must list 1 to {} values, or be left out", key,
                                        fields.object(), kMaxListed));
  }
  return nodes;
}

std::vector<std::string> kinds_at(const Fields& fields, std::string_view key,
                                  const RequestLanguage& language) {
  return mapped<std::string>(nodes_at(fields, key), [&](const Node* node) {
    return checked_kind(fields, key, *node, language);
  });
}

std::vector<std::string> engines_at(const Fields& fields, const RequestLanguage& language) {
  std::vector<std::string> engines;
  for (const Node* node : nodes_at(fields, "engine")) {
    if (language.engines().empty()) {
      fields.fail(node->line, fmt::format("'engine' in {}: a {} has no storage engines; remove it",
                                          fields.object(), language.server()));
    }
    const std::string& name = fields.text(*node, "'engine'");
    const auto engine = known_engine(language, name);
    if (!engine) fields.fail(node->line, unknown_engine_message(language, name));
    engines.push_back(*engine);
  }
  return engines;
}

std::vector<uint32_t> version_at(const Fields& fields, std::string_view key) {
  const Node* node = fields.find(key);
  if (node == nullptr) return {};
  const std::string& written = fields.text(*node, fmt::format("'{}'", key));
  std::vector<uint32_t> numbers = version_numbers(written);
  const bool plain = written.find_first_not_of("0123456789.") == std::string::npos;
  if (!numbers.empty() && plain && written.back() != '.') return numbers;
  fields.fail(node->line,
              fmt::format("'{}' in {} must be a version such as 10.11 or 11.4.2, not {}", key,
                          fields.object(), in_quotes(written)));
}

// As has_option() takes it.
std::vector<std::string> options_at(const Fields& fields, std::string_view key) {
  std::vector<std::string> options;
  for (const Node* node : nodes_at(fields, key)) {
    std::string name = fields.text(*node, fmt::format("'{}'", key));
    name.erase(0, std::min(name.find_first_not_of('-'), name.size()));
    std::ranges::replace(name, '_', '-');
    if (name.empty() || name.find_first_not_of(kOptionLetters) != std::string::npos) {
      fields.fail(node->line, fmt::format("'{}' in {} must be the name of a server option without "
                                          "a value, such as log-bin, not {}",
                                          key, fields.object(), in_quotes(name)));
    }
    options.push_back(std::move(name));
  }
  return options;
}

}  // namespace

std::optional<Pattern> pattern_at(const Fields& fields, std::string_view key) {
  const Node* node = fields.find(key);
  if (node == nullptr) return std::nullopt;
  try {
    return Pattern(fields.text(*node, fmt::format("'{}'", key)));
  } catch (const PatternError& error) {
    fields.fail(node->line, fmt::format("'{}' of {} is no regular expression: {}", key,
                                        fields.object(), error.what()));
  }
}

std::vector<std::string> texts_at(const Fields& fields, std::string_view key) {
  return mapped<std::string>(nodes_at(fields, key), [&](const Node* node) {
    return fields.text(*node, fmt::format("'{}'", key));
  });
}

Scope read_scope(const Fields& fields, const RequestLanguage& language) {
  Scope scope;
  scope.statements = kinds_at(fields, "statement", language);
  scope.beside = kinds_at(fields, "beside", language);
  scope.after = kinds_at(fields, "after", language);
  scope.engines = engines_at(fields, language);
  if (const Node* object = fields.find("object")) scope.object = fields.text(*object, "'object'");
  scope.text = pattern_at(fields, "text");
  scope.input = pattern_at(fields, "input");
  scope.without_options = options_at(fields, "without_option");
  scope.from_version = version_at(fields, "from_version");
  scope.before_version = version_at(fields, "before_version");
  if (!scope.before_version.empty() && scope.from_version >= scope.before_version) {
    fields.fail(
        fields.require("before_version", "").line,
        fmt::format("{} can match no server: 'before_version' must be later than 'from_version'",
                    fields.object()));
  }
  return scope;
}

}  // namespace esox
