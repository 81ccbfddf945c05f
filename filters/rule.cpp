// SPDX-License-Identifier: Apache-2.0
// Names. See rule.h.
#include "filters/rule.h"

#include <array>
#include <utility>

namespace esox {
namespace {

template <class T, size_t N>
using Names = std::array<std::pair<T, const char*>, N>;

constexpr Names<RuleKind, 6> kKinds{{{RuleKind::kIncluded, "included"},
                                     {RuleKind::kIgnore, "ignore"},
                                     {RuleKind::kNormalise, "normalise"},
                                     {RuleKind::kUnordered, "unordered"},
                                     {RuleKind::kTolerate, "tolerate"},
                                     {RuleKind::kSplit, "split"}}};
constexpr Names<Direction, 3> kDirections{{{Direction::kInSerial, "in-serial"},
                                           {Direction::kHoldsSerial, "holds-serial"},
                                           {Direction::kEither, "either"}}};
constexpr Names<ReplyPart, 7> kParts{{{ReplyPart::kRows, "rows"},
                                      {ReplyPart::kInfo, "info"},
                                      {ReplyPart::kMessage, "message"},
                                      {ReplyPart::kWarnings, "warnings"},
                                      {ReplyPart::kWarningCount, "warning-count"},
                                      {ReplyPart::kAffectedRows, "affected-rows"},
                                      {ReplyPart::kInsertId, "insert-id"}}};

template <class T, size_t N>
const char* name_in(const Names<T, N>& names, T wanted) {
  for (const auto& [value, name] : names) {
    if (value == wanted) return name;
  }
  return "?";
}

template <class T, size_t N>
std::optional<T> value_in(const Names<T, N>& names, const std::string& wanted) {
  for (const auto& [value, name] : names) {
    if (wanted == name) return value;
  }
  return std::nullopt;
}

}  // namespace

const char* kind_name(RuleKind kind) {
  return name_in(kKinds, kind);
}

const char* direction_name(Direction d) {
  return name_in(kDirections, d);
}

const char* reply_part_name(ReplyPart p) {
  return name_in(kParts, p);
}

std::optional<RuleKind> rule_kind_from_name(const std::string& name) {
  return value_in(kKinds, name);
}

std::optional<Direction> direction_from_name(const std::string& name) {
  return value_in(kDirections, name);
}

std::optional<ReplyPart> reply_part_from_name(const std::string& name) {
  return value_in(kParts, name);
}

}  // namespace esox
