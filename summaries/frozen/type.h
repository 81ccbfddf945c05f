// SPDX-License-Identifier: Apache-2.0
// Types of C and C++ as far as reading memory needs them: sizes, members, what a pointer leads to.
//
// Typedefs and qualifiers are gone by here. A Type never changes once it is made, and lives as long
// as the table that made it; so pointers to it may be kept and read by any thread.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace esox {

enum class TypeKind { kVoid, kInteger, kFloat, kEnum, kPointer, kArray, kStruct, kOther };

struct Type;

// Of a struct, class or union. A base class and an anonymous struct are members without a name.
struct Member {
  std::string name;
  const Type* type = nullptr;
  uint64_t offset = 0;      // bytes
  uint32_t bit_offset = 0;  // of a bit-field, beyond `offset`, from the lowest bit
  uint32_t bits = 0;        // of a bit-field; 0: none
};

struct Enumerator {
  std::string name;
  int64_t value = 0;
};

struct Type {
  TypeKind kind = TypeKind::kOther;
  std::string name;  // "struct node", "unsigned int"; of pointers and arrays empty (name_of)
  uint64_t bytes = 0;
  bool is_signed = false;
  const Type* target = nullptr;   // of a pointer, or an array's element
  std::optional<uint64_t> count;  // of an array; nothing: a flexible one
  std::vector<Member> members;
  std::vector<Enumerator> enumerators;
};

// "struct node *", "unsigned int [4]".
std::string name_of(const Type& type);

// A member by name, looked for in anonymous members and base classes too; its offset is from the
// beginning of `type`. Nothing if there is none.
std::optional<Member> find_member(const Type& type, std::string_view name);

// Makes types and keeps them. Not thread-safe.
class TypeTable {
 public:
  Type* make() { return &types_.emplace_back(); }
  const Type* pointer_to(const Type* target);
  // "int", "unsigned long", "uint32_t", "size_t", "char", "void" ...; null if it is none of these.
  const Type* built_in(std::string_view name);

 private:
  std::deque<Type> types_;
  std::map<const Type*, const Type*> pointers_;
  std::map<std::string, const Type*, std::less<>> built_ins_;
};

}  // namespace esox
