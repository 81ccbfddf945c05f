// SPDX-License-Identifier: Apache-2.0
// The checks on single values.
#include "base/yaml/fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <utility>

#include "base/text/input_error.h"
#include "base/text/number.h"
#include "base/text/spelling.h"
#include "base/yaml/limits.h"

namespace esox {
namespace {

bool is_name_character(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '.' || c == '_' || c == '-';
}

// A file name that is safe on its own: no hidden file, no "..", nothing a shell takes for an
// option.
bool is_safe_name(std::string_view name) {
  return !name.empty() && name.front() != '.' && name.front() != '-' &&
         std::ranges::all_of(name, is_name_character);
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

}  // namespace

std::string object_name(const Node& node, std::string_view kind, std::string_view key,
                        std::string_view otherwise) {
  std::string_view name = otherwise;
  for (const Field& field : node.fields) {
    if (field.key == key && !field.value->text.empty()) name = field.value->text;
  }
  return name.empty() ? std::string(kind) : fmt::format("{} {}", kind, in_quotes(name));
}

Fields::Fields(const Node& node, std::string file, std::string object,
               std::span<const std::string_view> known)
    : node_(node), file_(std::move(file)), object_(std::move(object)) {
  if (node.kind != Node::Kind::kMapping) {
    fail(node.line, fmt::format("{} must be a mapping with the keys {}, not {}", object_,
                                fmt::join(known, ", "), kind_name(node.kind)));
  }
  for (const Field& field : node.fields) {
    if (std::ranges::find(known, field.key) != known.end()) continue;
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
  if (node == nullptr) fail(node_.line, fmt::format("{} has no '{}'; {}", object_, key, remedy));
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
  if (is_safe_name(value) && value.size() <= kMaxFieldNameBytes) return value;
  fail(node.line, fmt::format("{} {} in {} is no safe file name; use up to {} letters, digits, "
                              "'.', '_' and '-', beginning with a letter or digit",
                              key, in_quotes(value), object_, kMaxFieldNameBytes));
}

std::string Fields::id(const Node& node, std::string_view key) const {
  const std::string& value = text(node, key);
  if (is_safe_id(value) && value.size() <= kMaxIdBytes) return value;
  fail(node.line, fmt::format("{} {} is no safe file name; use letters, digits, '.', '_' and '-' "
                              "in up to {} parts separated by '/', {} bytes in all",
                              key, in_quotes(value), kMaxIdParts, kMaxIdBytes));
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

uint64_t Fields::number(const Node& node, std::string_view key, uint64_t least,
                        uint64_t most) const {
  const std::string& written = text(node, key);
  const auto value = number_of<uint64_t>(written);
  if (value && *value >= least && *value <= most) return *value;
  fail(node.line, fmt::format("'{}' in {} must be a whole number from {} to {}, not {}", key,
                              object_, least, most, in_quotes(written)));
}

size_t Fields::word(const Node& node, std::string_view key,
                    std::span<const std::string_view> known) const {
  const std::string& written = text(node, key);
  const auto found = std::ranges::find(known, written);
  if (found != known.end()) return static_cast<size_t>(found - known.begin());
  fail(node.line, fmt::format("'{}' in {} is {}{}", key, object_, in_quotes(written),
                              spelling_hint(written, known)));
}

}  // namespace esox
