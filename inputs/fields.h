// SPDX-License-Identifier: Apache-2.0
// Checked access to the keys of one YAML mapping: the vocabulary in which schema.cpp is written.
//
// A Fields knows which keys its mapping may have and how to name it in a message ("client 'A'").
// Construction fails on anything else, so that a misspelt key is never silently ignored. A key with
// nothing behind it counts as absent. All errors are InputError with file and line.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "inputs/document.h"

namespace esox {

class Fields {
 public:
  // `node` must outlive this object.
  Fields(const Node& node, std::string file, std::string object,
         std::span<const std::string_view> known);

  [[noreturn]] void fail(int line, std::string_view message) const;
  int line() const { return node_.line; }
  const std::string& object() const { return object_; }
  std::string origin() const;  // "file.yaml:12"

  const Node* find(std::string_view key) const;                              // null if absent
  const Node& require(std::string_view key, std::string_view remedy) const;  // fails if absent

  const std::string& text(const Node& node, std::string_view what) const;
  // A name: letters, digits, '.', '_' and '-', not beginning with '.' or '-'.
  std::string name(const Node& node, std::string_view key) const;
  // A relative file name: names separated by '/'.
  std::string id(const Node& node, std::string_view key) const;
  std::string title(const Node& node) const;
  bool boolean(const Node& node, std::string_view key) const;
  const std::vector<NodePtr>& list(const Node& node, std::string_view key) const;

  // A statement: trimmed, not empty, no unknown placeholder. `what`: "a request", "setup".
  std::string statement(const Node& node, std::string_view what) const;
  // The list of statements behind `key`; empty if absent.
  std::vector<std::string> statements(std::string_view key) const;
  // The list behind "engines", spelt our way; empty if absent.
  std::vector<std::string> engines() const;
  // The list behind "server_options", each "--name" or "--name=value"; empty if absent.
  std::vector<std::string> server_options() const;

 private:
  std::string server_option(const Node& node) const;
  void check_placeholders(const Node& node, std::string_view text, std::string_view what) const;

  const Node& node_;
  std::string file_;
  std::string object_;
};

}  // namespace esox
