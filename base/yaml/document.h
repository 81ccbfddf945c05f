// SPDX-License-Identifier: Apache-2.0
// YAML text as a small tree with line numbers, safe on any bytes.
//
// The tree is built from yaml-cpp's events rather than from its nodes, for four reasons: every
// value keeps its line; a key that appears twice is an error instead of a silent loss; nesting is
// bounded before anything recurses; and an alias counts as the copy it stands for, so that a few
// lines that expand to gigabytes ("alias bombs") are refused. Trees are immutable; aliases share
// them.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace esox {

struct Node;
using NodePtr = std::shared_ptr<const Node>;

struct Field {
  std::string key;
  int line = 0;
  NodePtr value;
};

struct Node {
  enum class Kind { kNull, kText, kList, kMapping };
  Kind kind = Kind::kNull;
  int line = 0;                // counts from 1
  std::string text;            // kText
  std::vector<NodePtr> items;  // kList
  std::vector<Field> fields;   // kMapping, in the file's order, keys unique
  size_t node_count = 1;       // of this subtree, aliases counted as copies
  size_t text_bytes = 0;       // the same
};

// All documents of a YAML stream; empty documents are left out. `file` is for messages only.
// Throws InputError: broken YAML, not UTF-8, too deep, too big, a key twice, a key that is no text,
// an alias that holds itself.
std::vector<NodePtr> parse_documents(std::string_view yaml, const std::string& file);

// "a text", "a list", "a mapping", "nothing": for messages.
std::string_view kind_name(Node::Kind kind);

}  // namespace esox
