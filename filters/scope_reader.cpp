// SPDX-License-Identifier: Apache-2.0
// See scope_reader.h.
#include "filters/scope_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "filters/circumstances.h"
#include "inputs/engine.h"
#include "inputs/input_error.h"
#include "base/text/spelling.h"
#include "inputs/statement.h"

namespace esox {
namespace {

// First words of MariaDB's statements.
constexpr std::array<std::string_view, 55> kVerbs = {
    "ALTER",     "ANALYZE",   "BACKUP",  "BEGIN",   "BINLOG",     "CACHE",  "CALL",     "CHANGE",
    "CHECK",     "CHECKSUM",  "COMMIT",  "CREATE",  "DEALLOCATE", "DELETE", "DESC",     "DESCRIBE",
    "DO",        "DROP",      "EXECUTE", "EXPLAIN", "FLUSH",      "GET",    "GRANT",    "HANDLER",
    "HELP",      "INSERT",    "INSTALL", "KILL",    "LOAD",       "LOCK",   "OPTIMIZE", "PREPARE",
    "PURGE",     "RELEASE",   "RENAME",  "REPAIR",  "REPLACE",    "RESET",  "REVOKE",   "ROLLBACK",
    "SAVEPOINT", "SELECT",    "SET",     "SHOW",    "SHUTDOWN",   "START",  "STOP",     "TABLE",
    "TRUNCATE",  "UNINSTALL", "UNLOCK",  "UPDATE",  "USE",        "VALUES", "WITH"};

constexpr size_t kMaxListed = 64;

constexpr std::string_view kOptionLetters = "abcdefghijklmnopqrstuvwxyz0123456789-";

std::string checked_kind(const Fields& fields, std::string_view key, const Node& node,
                         const std::string& server) {
  const std::string& written = fields.text(node, fmt::format("'{}'", key));
  const std::string kind = statement_kind(written);
  if (kind != written) {
    fields.fail(node.line,
                fmt::format("'{}' in {}: no statement is of the kind {}{}", key, fields.object(),
                            in_quotes(written),
                            kind.empty() ? "" : fmt::format("; write {}", in_quotes(kind))));
  }
  const std::string_view verb = std::string_view(kind).substr(0, kind.find(' '));
  if (server != kMariadb || std::find(kVerbs.begin(), kVerbs.end(), verb) != kVerbs.end()) {
    return kind;
  }
  const std::string_view near = nearest_name(verb, kVerbs);
  fields.fail(node.line, fmt::format("'{}' in {}: no statement begins with {}{}", key,
                                     fields.object(), in_quotes(verb),
                                     near.empty() ? "" : fmt::format("; did you mean {}?", near)));
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
                                  const std::string& server) {
  std::vector<std::string> kinds;
  for (const Node* node : nodes_at(fields, key)) {
    kinds.push_back(checked_kind(fields, key, *node, server));
  }
  return kinds;
}

std::vector<std::string> engines_at(const Fields& fields, const std::string& server) {
  std::vector<std::string> engines;
  for (const Node* node : nodes_at(fields, "engine")) {
    if (server != kMariadb) {
      fields.fail(node->line, fmt::format("'engine' in {}: a {} has no storage engines; remove it",
                                          fields.object(), server));
    }
    const std::string& name = fields.text(*node, "'engine'");
    const auto engine = known_engine(name);
    if (!engine) fields.fail(node->line, unknown_engine_message(name));
    engines.push_back(*engine);
  }
  return engines;
}

std::vector<uint32_t> version_at(const Fields& fields, std::string_view key) {
  const Node* node = fields.find(key);
  if (node == nullptr) return {};
  const std::string& written = fields.text(*node, fmt::format("'{}'", key));
  const std::vector<uint32_t> numbers = version_numbers(written);
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
    std::replace(name.begin(), name.end(), '_', '-');
    if (name.empty() || name.find_first_not_of(kOptionLetters) != std::string::npos) {
      fields.fail(
          node->line,
          fmt::format("'{}' in {} must be the name of a server option without a value, such "
                      "as log-bin, not {}",
                      key, fields.object(), in_quotes(name)));
    }
    options.push_back(std::move(name));
  }
  return options;
}

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

}  // namespace

std::vector<std::string> texts_at(const Fields& fields, std::string_view key) {
  std::vector<std::string> texts;
  for (const Node* node : nodes_at(fields, key)) {
    texts.push_back(fields.text(*node, fmt::format("'{}'", key)));
  }
  return texts;
}

Scope read_scope(const Fields& fields, const std::string& server) {
  Scope scope;
  scope.statements = kinds_at(fields, "statement", server);
  scope.beside = kinds_at(fields, "beside", server);
  scope.engines = engines_at(fields, server);
  if (const Node* object = fields.find("object")) scope.object = fields.text(*object, "'object'");
  scope.text = pattern_at(fields, "text");
  scope.without_options = options_at(fields, "without_option");
  scope.from_version = version_at(fields, "from_version");
  scope.before_version = version_at(fields, "before_version");
  if (!scope.before_version.empty() && scope.from_version >= scope.before_version) {
    fields.fail(fields.require("before_version", "").line,
                fmt::format("{} can match no server: 'before_version' must be later than "
                            "'from_version'",
                            fields.object()));
  }
  return scope;
}

}  // namespace esox
