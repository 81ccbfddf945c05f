// SPDX-License-Identifier: Apache-2.0
#include "summaries/frozen/type.h"

#include <fmt/format.h>

#include <array>

namespace esox {
namespace {

constexpr int kMostNesting = 32;  // of anonymous members and base classes

struct BuiltIn {
  std::string_view name;
  TypeKind kind;
  uint64_t bytes;
  bool is_signed;
};

// As x86-64's ABI has them.
constexpr std::array<BuiltIn, 30> kBuiltIns = {{
    {"void", TypeKind::kVoid, 0, false},
    {"char", TypeKind::kInteger, 1, true},
    {"signed char", TypeKind::kInteger, 1, true},
    {"unsigned char", TypeKind::kInteger, 1, false},
    {"bool", TypeKind::kInteger, 1, false},
    {"_Bool", TypeKind::kInteger, 1, false},
    {"short", TypeKind::kInteger, 2, true},
    {"unsigned short", TypeKind::kInteger, 2, false},
    {"int", TypeKind::kInteger, 4, true},
    {"unsigned", TypeKind::kInteger, 4, false},
    {"unsigned int", TypeKind::kInteger, 4, false},
    {"long", TypeKind::kInteger, 8, true},
    {"unsigned long", TypeKind::kInteger, 8, false},
    {"long long", TypeKind::kInteger, 8, true},
    {"unsigned long long", TypeKind::kInteger, 8, false},
    {"int8_t", TypeKind::kInteger, 1, true},
    {"uint8_t", TypeKind::kInteger, 1, false},
    {"int16_t", TypeKind::kInteger, 2, true},
    {"uint16_t", TypeKind::kInteger, 2, false},
    {"int32_t", TypeKind::kInteger, 4, true},
    {"uint32_t", TypeKind::kInteger, 4, false},
    {"int64_t", TypeKind::kInteger, 8, true},
    {"uint64_t", TypeKind::kInteger, 8, false},
    {"size_t", TypeKind::kInteger, 8, false},
    {"ssize_t", TypeKind::kInteger, 8, true},
    {"intptr_t", TypeKind::kInteger, 8, true},
    {"uintptr_t", TypeKind::kInteger, 8, false},
    {"time_t", TypeKind::kInteger, 8, true},
    {"float", TypeKind::kFloat, 4, true},
    {"double", TypeKind::kFloat, 8, true},
}};

std::optional<Member> find_nested(const Type& type, std::string_view name, int depth) {
  for (const Member& member : type.members) {
    if (!member.name.empty() && member.name == name) return member;
  }
  if (depth >= kMostNesting) return std::nullopt;
  for (const Member& member : type.members) {
    if (!member.name.empty() || member.type == nullptr) continue;
    std::optional<Member> found = find_nested(*member.type, name, depth + 1);
    if (!found) continue;
    found->offset += member.offset;
    return found;
  }
  return std::nullopt;
}

}  // namespace

std::string name_of(const Type& type) {
  if (type.kind == TypeKind::kPointer) {
    return (type.target != nullptr ? name_of(*type.target) : "void") + " *";
  }
  if (type.kind == TypeKind::kArray) {
    const std::string count = type.count ? fmt::format("{}", *type.count) : "";
    return fmt::format("{} [{}]", type.target != nullptr ? name_of(*type.target) : "void", count);
  }
  return type.name.empty() ? "a type without a name" : type.name;
}

std::optional<Member> find_member(const Type& type, std::string_view name) {
  return find_nested(type, name, 0);
}

const Type* TypeTable::pointer_to(const Type* target) {
  const Type*& known = pointers_[target];
  if (known == nullptr) {
    Type* made = make();
    made->kind = TypeKind::kPointer;
    made->bytes = sizeof(uint64_t);
    made->target = target;
    known = made;
  }
  return known;
}

const Type* TypeTable::built_in(std::string_view name) {
  if (const auto known = built_ins_.find(name); known != built_ins_.end()) return known->second;
  for (const BuiltIn& one : kBuiltIns) {
    if (one.name != name) continue;
    Type* made = make();
    made->kind = one.kind;
    made->name = std::string(one.name);
    made->bytes = one.bytes;
    made->is_signed = one.is_signed;
    built_ins_.emplace(made->name, made);
    return made;
  }
  return nullptr;
}

}  // namespace esox
