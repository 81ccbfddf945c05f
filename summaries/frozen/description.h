// SPDX-License-Identifier: Apache-2.0
// What to read of a frozen server: components, each a container of the program's memory with what
// counts of its elements. Written in YAML (docs/reading-a-frozen-server.md).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "summaries/component.h"
#include "summaries/frozen/expression.h"

namespace esox {

inline constexpr uint64_t kElementLimit = 100'000;         // of a component, unless it says another
inline constexpr uint64_t kMostElements = 5'000'000;       // that it may say
inline constexpr uint64_t kMostFieldBytes = 1 << 20;       // of one string or range of bytes
inline constexpr uint64_t kMostComponentBytes = 64 << 20;  // of all its elements' texts
inline constexpr uint64_t kMostRepeats = 1024;
inline constexpr size_t kMostTreeDepth = 4096;

// An expression and where it is written.
struct Written {
  ExpressionPtr expression;  // null: not given
  int line = 0;
  explicit operator bool() const { return expression != nullptr; }
};

enum class FieldKind { kInteger, kEnum, kReal, kString, kBytes };

struct FieldDescription {
  FieldKind kind = FieldKind::kInteger;
  Written value;
  Written length;                        // of a string or bytes; a string without ends at NUL
  std::map<int64_t, std::string> names;  // of an integer's values
};

enum class ContainerKind { kValue, kArray, kList, kRing, kHash, kTree };

// Members are paths: {"links", "next"} for links.next.
using MemberPath = std::vector<std::string>;

struct ContainerDescription {
  ContainerKind kind = ContainerKind::kValue;
  Written root;
  Written count;        // array, hash: how many elements, buckets
  Written tail;         // list: what must be its last node
  MemberPath head;      // hash: of a bucket, where it is a struct
  MemberPath next;      // list, ring, hash
  MemberPath previous;  // list, ring: must lead back
  MemberPath left;      // tree
  MemberPath right;
  MemberPath link;   // the nodes are this member of the elements
  std::string type;  // of the elements; empty: what the links lead to
};

struct RepeatDescription {
  std::string name;  // in expressions, and as {NAME} in the component's name; empty: no repeat
  Written count;
  Written where;
};

struct ComponentDescription {
  std::string name;
  int line = 0;
  ComponentKind kind = ComponentKind::kMultiset;
  ComponentMeaning meaning = ComponentMeaning::kContent;
  std::string unit;            // the compile unit to look in first
  std::string element = "it";  // its name in expressions
  ContainerDescription container;
  RepeatDescription repeat;
  std::vector<std::pair<std::string, Written>> let;
  Written where;
  std::vector<FieldDescription> key;
  std::vector<FieldDescription> fields;
  uint64_t limit = kElementLimit;
};

struct StructureDescriptions {
  std::string file;  // for messages
  std::map<std::string, int64_t> constants;
  std::vector<ComponentDescription> components;
};

// From YAML. What is wrong is said as for inputs: file, line, what to do. Throws InputError
// (base/text/input_error.h).
StructureDescriptions parse_structures(std::string_view yaml, const std::string& file);

}  // namespace esox
