// SPDX-License-Identifier: Apache-2.0
// Checked access to the keys of one YAML mapping: the vocabulary in which readers of files are
// written.
//
// A Fields knows which keys its mapping may have and how to name it in a message ("client 'A'").
// Construction fails on anything else, so that a misspelt key is never silently ignored. A key with
// nothing behind it counts as absent. All errors are InputError with file and line.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/yaml/document.h"

namespace esox {

// "client 'A'", by the text behind `key`, before it is checked; "client" without one or another
// name.
std::string object_name(const Node& node, std::string_view kind, std::string_view key = "name",
                        std::string_view otherwise = "");

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
  bool boolean(const Node& node, std::string_view key) const;
  const std::vector<NodePtr>& list(const Node& node, std::string_view key) const;
  uint64_t number(const Node& node, std::string_view key, uint64_t least, uint64_t most) const;
  // Its place among `known`.
  size_t word(const Node& node, std::string_view key,
              std::span<const std::string_view> known) const;

 private:
  const Node& node_;
  std::string file_;
  std::string object_;
};

}  // namespace esox
