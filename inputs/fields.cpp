// SPDX-License-Identifier: Apache-2.0
// The checks on single values: names, statements, engines, server options.
#include "inputs/fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include "inputs/engine.h"
#include "inputs/input_error.h"
#include "inputs/limits.h"
#include "base/text/spelling.h"
#include "inputs/statement.h"

namespace esox {
namespace {

bool is_name_character(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '.' || c == '_' || c == '-';
}

// A file name that is safe on its own: no hidden file, no "..", nothing a shell takes for an
// option.
bool is_safe_name(std::string_view name) {
  return !name.empty() && name.front() != '.' && name.front() != '-' &&
         std::all_of(name.begin(), name.end(), is_name_character);
}

bool is_safe_id(std::string_view id) {
  size_t parts = 1;
  for (size_t slash = id.find('/'); slash != std::string_view::npos; slash = id.find('/')) {
    if (!is_safe_name(id.substr(0, slash))) return false;
    id.remove_prefix(slash + 1);
    ++parts;
  }
  return is_safe_name(id) && parts <= kMaxIdParts;
}

// Options with which an input could reach outside the server's private folder, or take the server
// out of the harness's hands. The harness alone gives them.
constexpr std::array<std::string_view, 23> kReservedOptions = {"basedir",
                                                               "bind-address",
                                                               "bootstrap",
                                                               "chroot",
                                                               "core-file",
                                                               "datadir",
                                                               "defaults-file",
                                                               "defaults-extra-file",
                                                               "extra-port",
                                                               "gdb",
                                                               "help",
                                                               "init-file",
                                                               "log-error",
                                                               "no-defaults",
                                                               "pid-file",
                                                               "plugin-dir",
                                                               "port",
                                                               "print-defaults",
                                                               "secure-file-priv",
                                                               "skip-networking",
                                                               "socket",
                                                               "tmpdir",
                                                               "user"};
constexpr std::array<std::string_view, 5> kOptionModifiers = {"loose-", "maximum-", "skip-",
                                                              "enable-", "disable-"};

// The option's own name: "--loose_datadir=x" -> "datadir".
std::string option_name(std::string_view option) {
  std::string name(option.substr(2, option.find('=') - 2));
  std::replace(name.begin(), name.end(), '_', '-');
  for (const std::string_view modifier : kOptionModifiers) {
    if (name.starts_with(modifier)) name.erase(0, modifier.size());
  }
  return name;
}

// The server takes any unambiguous beginning of an option's name, so all beginnings are reserved.
std::string_view reserved_option(std::string_view name) {
  for (const std::string_view reserved : kReservedOptions) {
    const std::string bare = option_name(fmt::format("--{}", reserved));
    if (reserved.starts_with(name) || bare.starts_with(name)) return reserved;
  }
  return {};
}

}  // namespace

Fields::Fields(const Node& node, std::string file, std::string object,
               std::span<const std::string_view> known)
    : node_(node), file_(std::move(file)), object_(std::move(object)) {
  if (node.kind != Node::Kind::kMapping) {
    fail(node.line, fmt::format("{} must be a mapping with the keys {}, not {}", object_,
                                fmt::join(known, ", "), kind_name(node.kind)));
  }
  for (const Field& field : node.fields) {
    if (std::find(known.begin(), known.end(), field.key) != known.end()) continue;
    fail(field.line, fmt::format("unknown key {} in {}{}", in_quotes(field.key), object_,
                                 spelling_hint(field.key, known)));
  }
}

void Fields::fail(int line, std::string_view message) const {
  throw InputError(file_, line, message);
}

std::string Fields::origin() const {
  return fmt::format("{}:{}", file_, node_.line);
}

const Node* Fields::find(std::string_view key) const {
  for (const Field& field : node_.fields) {
    if (field.key != key) continue;
    return field.value->kind == Node::Kind::kNull ? nullptr : field.value.get();
  }
  return nullptr;
}

const Node& Fields::require(std::string_view key, std::string_view remedy) const {
  const Node* node = find(key);
  if (node == nullptr) {
    fail(node_.line, fmt::format("{} has no '{}'; {}", object_, key, remedy));
  }
  return *node;
}

const std::string& Fields::text(const Node& node, std::string_view what) const {
  if (node.kind == Node::Kind::kText) return node.text;
  const bool split = node.kind == Node::Kind::kMapping;
  fail(node.line,
       fmt::format("{} in {} must be a text, not {}{}", what, object_, kind_name(node.kind),
                   split ? "; put quotes around it (it holds ': ' or begins with '{')"
                         : "; write it on the same line, or after '|'"));
}

std::string Fields::name(const Node& node, std::string_view key) const {
  const std::string& value = text(node, key);
  if (is_safe_name(value) && value.size() <= kMaxInputNameBytes) return value;
  fail(node.line, fmt::format("{} {} in {} is no safe file name; use up to {} letters, digits, "
                              "'.', '_' and '-', beginning with a letter or digit",
                              key, in_quotes(value), object_, kMaxInputNameBytes));
}

std::string Fields::id(const Node& node, std::string_view key) const {
  const std::string& value = text(node, key);
  if (is_safe_id(value) && value.size() <= kMaxIdBytes) return value;
  fail(node.line,
       fmt::format("{} {} is no safe file name; use letters, digits, '.', '_' and '-' in up to {} "
                   "parts separated by '/', {} bytes in all",
                   key, in_quotes(value), kMaxIdParts, kMaxIdBytes));
}

std::string Fields::title(const Node& node) const {
  const std::string value = trim_statement(text(node, "title"));
  const auto is_control = [](unsigned char c) { return c < 0x20 || c == 0x7f; };
  if (value.size() > kMaxTitleBytes || std::any_of(value.begin(), value.end(), is_control)) {
    fail(node.line, fmt::format("the title of {} must be one line of up to {} bytes; shorten it",
                                object_, kMaxTitleBytes));
  }
  if (has_engine_placeholder(std::string_view(value))) {
    fail(node.line, fmt::format("the title of {} holds ${{engine}}, which is filled in only in "
                                "statements and server_options; remove it",
                                object_));
  }
  return value;
}

bool Fields::boolean(const Node& node, std::string_view key) const {
  const std::string& value = text(node, key);
  if (value == "true") return true;
  if (value == "false") return false;
  fail(node.line,
       fmt::format("'{}' in {} must be true or false, not {}", key, object_, in_quotes(value)));
}

const std::vector<NodePtr>& Fields::list(const Node& node, std::string_view key) const {
  if (node.kind == Node::Kind::kList) return node.items;
  fail(node.line, fmt::format("'{}' in {} must be a list, not {}; begin each entry with '- '", key,
                              object_, kind_name(node.kind)));
}

void Fields::check_placeholders(const Node& node, std::string_view text,
                                std::string_view what) const {
  for (size_t at = text.find("${"); at != std::string_view::npos; at = text.find("${", at + 2)) {
    const std::string_view rest = text.substr(at);
    if (rest.starts_with(kEnginePlaceholder)) continue;
    const std::string_view name = rest.substr(0, rest.find('}'));
    fail(node.line, fmt::format("unknown placeholder {} in {} of {}; only ${{engine}} is filled in",
                                in_quotes(fmt::format("{}}}", name)), what, object_));
  }
}

std::string Fields::statement(const Node& node, std::string_view what) const {
  // YAML marks an entry with nothing in it by what follows, which may be on a later line.
  if (node.kind == Node::Kind::kNull) {
    fail(node.line, fmt::format("empty statement in {} of {}, on this line or just above; write "
                                "one or remove the entry",
                                what, object_));
  }
  std::string value = trim_statement(text(node, what));
  if (value.size() > kMaxStatementBytes) {
    fail(node.line, fmt::format("a statement in {} of {} is longer than {} MB; shorten it", what,
                                object_, kMaxStatementBytes >> 20));
  }
  if (value.find('\0') != std::string::npos) {
    fail(node.line, fmt::format("a statement in {} of {} holds a NUL byte; write it as 0x00 or "
                                "CHAR(0)",
                                what, object_));
  }
  if (statement_kind(value).empty()) {
    fail(node.line,
         fmt::format("empty statement in {} of {}; write one or remove the line", what, object_));
  }
  check_placeholders(node, value, what);
  return value;
}

std::vector<std::string> Fields::statements(std::string_view key) const {
  const Node* node = find(key);
  if (node == nullptr) return {};
  std::vector<std::string> texts;
  for (const NodePtr& item : list(*node, key)) {
    if (texts.size() >= kMaxStatementsPerList) {
      fail(item->line, fmt::format("more than {} statements in '{}' of {}; use fewer, longer ones",
                                   kMaxStatementsPerList, key, object_));
    }
    texts.push_back(statement(*item, fmt::format("'{}'", key)));
  }
  return texts;
}

std::vector<std::string> Fields::engines() const {
  const Node* node = find("engines");
  if (node == nullptr) return {};
  std::vector<std::string> names;
  for (const NodePtr& item : list(*node, "engines")) {
    const std::string& name = text(*item, "an engine");
    const auto engine = known_engine(name);
    if (!engine) fail(item->line, unknown_engine_message(name));
    if (std::find(names.begin(), names.end(), *engine) != names.end()) {
      fail(item->line, fmt::format("engine {} is listed twice; remove one", in_quotes(*engine)));
    }
    names.push_back(*engine);
  }
  return names;
}

std::string Fields::server_option(const Node& node) const {
  const std::string& option = text(node, "a server option");
  const auto is_blank = [](unsigned char c) { return c <= ' ' || c == 0x7f; };
  if (option.size() < 4 || !option.starts_with("--") || option[2] == '-' || option[2] == '=' ||
      option.size() > kMaxTitleBytes || std::any_of(option.begin(), option.end(), is_blank)) {
    fail(node.line, fmt::format("server option {} must have the form --name or --name=value, "
                                "without blanks",
                                in_quotes(option)));
  }
  check_placeholders(node, option, "'server_options'");
  const std::string_view reserved = reserved_option(option_name(option));
  if (!reserved.empty()) {
    fail(node.line, fmt::format("server option {} is esox's own to give (--{}); remove it",
                                in_quotes(option), reserved));
  }
  if (option.find('/') != std::string::npos) {
    fail(node.line, fmt::format("server option {} names a path; the server keeps to its private "
                                "folder, so give a bare file name or remove it",
                                in_quotes(option)));
  }
  return option;
}

std::vector<std::string> Fields::server_options() const {
  const Node* node = find("server_options");
  if (node == nullptr) return {};
  std::vector<std::string> options;
  for (const NodePtr& item : list(*node, "server_options")) {
    if (options.size() >= kMaxServerOptions) {
      fail(item->line, fmt::format("more than {} server options; remove some", kMaxServerOptions));
    }
    options.push_back(server_option(*item));
  }
  return options;
}

}  // namespace esox
