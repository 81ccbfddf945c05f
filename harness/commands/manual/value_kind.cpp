// SPDX-License-Identifier: Apache-2.0
// See value_kind.h.
#include "harness/commands/manual/value_kind.h"

#include <string_view>

namespace esox {
namespace {

struct Named {
  std::string_view name;
  ValueKind kind;
};

// Operands by their names, options by those of their values (CLI11's own, or type_name()).
constexpr Named kNamed[] = {
    {"FINDING", ValueKind::kFindings}, {"FOLDER", ValueKind::kFolders},
    {"OUT", ValueKind::kFolders},      {"CORPUS", ValueKind::kFolders},
    {"HUNT", ValueKind::kFolders},     {"PROGRAM", ValueKind::kPrograms},
    {"ID", ValueKind::kIds},           {"INTO", ValueKind::kIds},
    {"NIGHT", ValueKind::kNothing},    {"STATE", ValueKind::kNothing},
    {"NUMBER", ValueKind::kNothing},   {"TIME", ValueKind::kNothing},
    {"NAME", ValueKind::kNothing},     {"NAME[=VALUE]", ValueKind::kNothing},
    {"LIST", ValueKind::kNothing},     {"WORDS", ValueKind::kNothing},
    {"STRATEGY", ValueKind::kNothing}, {"PARTS", ValueKind::kNothing},
    {"OPTION", ValueKind::kNothing},   {"COMMAND", ValueKind::kNothing},
    {"RULE", ValueKind::kNothing},     {"I/N", ValueKind::kNothing},
};

}  // namespace

ValueKind value_kind(const OptionFacts& option) {
  if (!option.choices.empty()) return ValueKind::kChoices;
  const std::string& name = option.operand ? option.names.front() : option.value;
  for (const Named& one : kNamed) {
    if (one.name == name) return one.kind;
  }
  return ValueKind::kFiles;
}

}  // namespace esox
