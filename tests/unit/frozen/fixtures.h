// SPDX-License-Identifier: Apache-2.0
// A made-up program and memory: struct node and a few variables, whatever the test puts there.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "summaries/frozen/description.h"
#include "summaries/frozen/errors.h"
#include "summaries/frozen/memory.h"
#include "summaries/frozen/program.h"
#include "summaries/frozen/structure_reader.h"

namespace esox {

inline constexpr uint64_t kBase = 0x10000;
inline constexpr uint64_t kMemoryBytes = 1 << 14;
inline constexpr uint64_t kNodes = kBase + 0x1000;  // where nodes are put
inline constexpr uint64_t kNodeBytes = 80;
inline constexpr uint64_t kBuckets = 8;

class FakeMemory final : public Memory {
 public:
  FakeMemory() : bytes_(kMemoryBytes) {}
  bool read(uint64_t address, void* to, size_t bytes) override {
    if (address < kBase || address - kBase > kMemoryBytes ||
        bytes > kMemoryBytes - (address - kBase)) {
      return false;
    }
    memcpy(to, bytes_.data() + (address - kBase), bytes);
    return true;
  }
  template <class T>
  void put(uint64_t address, T value) {
    ASSERT_LE(address - kBase + sizeof value, kMemoryBytes);
    memcpy(bytes_.data() + (address - kBase), &value, sizeof value);
  }
  void put_text(uint64_t address, const std::string& text) {
    memcpy(bytes_.data() + (address - kBase), text.c_str(), text.size() + 1);
  }

 private:
  std::vector<char> bytes_;
};

// struct node { next 0, prev 8, left 16, right 24: struct node *; unsigned key 32; enum color 36;
//   int low : 3, unsigned high : 5 at 40; char name[8] 48; char *text 56; struct links {forth,
//   back} 64 }
class FakeProgram final : public Program {
 public:
  FakeProgram() {
    Type* node = make(TypeKind::kStruct, "struct node", kNodeBytes);
    Type* links = make(TypeKind::kStruct, "struct links", 16);
    Type* color = make(TypeKind::kEnum, "enum color", 4);
    color->enumerators = {{"red", 0}, {"green", 1}};
    const Type* to_node = table_.pointer_to(node);
    const Type* to_links = table_.pointer_to(links);
    const Type* integer = table_.built_in("int");
    const Type* number = table_.built_in("unsigned int");
    links->members = {{"forth", to_links, 0}, {"back", to_links, 8}};
    node->members = {{"next", to_node, 0},
                     {"prev", to_node, 8},
                     {"left", to_node, 16},
                     {"right", to_node, 24},
                     {"key", number, 32},
                     {"color", color, 36},
                     {"low", integer, 40, 0, 3},
                     {"high", number, 40, 3, 5},
                     {"name", array(table_.built_in("char"), 8), 48},
                     {"text", table_.pointer_to(table_.built_in("char")), 56},
                     {"links", links, 64}};
    types_ = {{"struct node", node}, {"node", node}, {"struct links", links}};
    variables_ = {{"head", {{}, kBase, to_node}},
                  {"tail", {{}, kBase + 8, to_node}},
                  {"root", {{}, kBase + 16, to_node}},
                  {"ring", {{}, kBase + 32, links}},
                  {"buckets", {{}, kBase + 64, array(to_node, kBuckets)}},
                  {"numbers", {{}, kBase + 128, array(integer, 4)}},
                  {"many", {{}, kBase + 144, array(integer, std::nullopt)}},
                  {"ratio", {{}, kBase + 160, table_.built_in("double")}},
                  {"anything", {{}, kBase + 168, table_.pointer_to(table_.built_in("void"))}},
                  {"bare", {{}, kBase + 128, nullptr}}};
  }

  Meaning meaning(std::string_view name, std::string_view) override {
    if (name == "green") return Meaning{1};
    const auto found = variables_.find(std::string(name));
    if (found == variables_.end()) throw FrozenError("no variable '" + std::string(name) + "'");
    return found->second;
  }
  const Type* type(std::string_view name) override {
    if (const auto found = types_.find(std::string(name)); found != types_.end()) {
      return found->second;
    }
    if (const Type* built_in = table_.built_in(name)) return built_in;
    throw FrozenError("no type '" + std::string(name) + "'");
  }
  const Type* pointer_to(const Type* target) override { return table_.pointer_to(target); }

 private:
  Type* make(TypeKind kind, const char* name, uint64_t bytes) {
    Type* type = table_.make();
    type->kind = kind;
    type->name = name;
    type->bytes = bytes;
    return type;
  }
  const Type* array(const Type* of, std::optional<uint64_t> count) {
    Type* type = make(TypeKind::kArray, "", of->bytes * count.value_or(0));
    type->target = of;
    type->count = count;
    return type;
  }

  TypeTable table_;
  std::map<std::string, const Type*> types_;
  std::map<std::string, Meaning> variables_;
};

class FrozenTest : public testing::Test {
 protected:
  static uint64_t node(uint64_t number) { return kNodes + number * kNodeBytes; }

  void put_node(uint64_t number, uint32_t key) { memory_.put(node(number) + 32, key); }

  // What one component reads: "components: [{name: c, " + text + "}]".
  Component read(const std::string& text) {
    const auto descriptions =
        parse_structures("components: [{name: c, " + text + "}]", "test.yaml");
    std::vector<Component> all = read_structures(descriptions, program_, memory_);
    EXPECT_EQ(all.size(), 1u);
    return all.at(0);
  }

  static std::vector<std::string> values(const Component& component) {
    EXPECT_EQ(component.unavailable, "");
    std::vector<std::string> texts;
    for (const Element& element : component.elements) {
      texts.push_back(element.key.empty() ? element.value : element.key + "=" + element.value);
    }
    return texts;
  }

  FakeProgram program_;
  FakeMemory memory_;
};

}  // namespace esox
