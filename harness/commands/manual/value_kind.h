// SPDX-License-Identifier: Apache-2.0
// What a shell offers for an option's value or an operand, by what the definition calls it.
#pragma once

#include <array>
#include <string_view>

#include "harness/commands/manual/command_facts.h"

namespace esox {

// As the scripts of templates/ call it; the choices, where there are some, take its place.
struct ValueKind {
  std::string_view bash;
  std::string_view zsh;
};

inline constexpr ValueKind kFiles = {"files", "_files"};  // also what has no name that tells
inline constexpr ValueKind kFolders = {"folders", "_files -/"};
inline constexpr ValueKind kFindings = {"findings", "_esox_findings"};  // their folders, and files
inline constexpr ValueKind kIds = {"ids", "_esox_ids"};  // of findings in the triage store
inline constexpr ValueKind kPrograms = {"programs", "_esox_programs"};  // commands and files
inline constexpr ValueKind kNothing = {"nothing", " "};  // a number, a duration, a word

struct NamedValue {
  std::string_view name;
  const ValueKind& kind;
};

// Operands by their names, options by those of their values (CLI11's own, or type_name()).
inline constexpr auto kNamedValues = std::to_array<NamedValue>(
    {{"FINDING", kFindings}, {"FOLDER", kFolders},  {"OUT", kFolders},
     {"CORPUS", kFolders},   {"HUNT", kFolders},    {"PROGRAM", kPrograms},
     {"ID", kIds},           {"INTO", kIds},        {"NIGHT", kNothing},
     {"STATE", kNothing},    {"NUMBER", kNothing},  {"TIME", kNothing},
     {"NAME", kNothing},     {"LIST", kNothing},    {"NAME[=VALUE]", kNothing},
     {"WORDS", kNothing},    {"PARTS", kNothing},   {"STRATEGY", kNothing},
     {"OPTION", kNothing},   {"COMMAND", kNothing}, {"RULE", kNothing},
     {"I/N", kNothing}});

inline const ValueKind& value_kind(const OptionFacts& option) {
  const std::string& name = option.operand ? option.names.front() : option.value;
  for (const NamedValue& one : kNamedValues) {
    if (one.name == name) return one.kind;
  }
  return kFiles;
}

}  // namespace esox
