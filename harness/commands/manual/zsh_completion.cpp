// SPDX-License-Identifier: Apache-2.0
// See completion.h. One function for each command, which calls _arguments; a command with parts
// calls the function of the part that is named.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "harness/commands/manual/completion.h"
#include "harness/commands/manual/scripts.h"
#include "harness/commands/manual/value_kind.h"

namespace esox {
namespace {

constexpr size_t kMostDescription = 70;

// "_esox__triage__list"
std::string function_of(const CommandFacts& command) {
  std::string name = "_";
  for (const char c : command.path) {
    if (c == ' ') {
      name += "__";
    } else {
      name += c == '-' ? '_' : c;
    }
  }
  return name;
}

// The beginning of a description, up to the end of a word.
std::string brief(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  if (text.size() <= kMostDescription) return text;
  return text.substr(0, text.rfind(' ', kMostDescription)) + " ...";
}

// As part of a specification of _arguments or _describe.
std::string specified(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == ':' || c == '[' || c == ']' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

// What _arguments calls for a value.
std::string action(const OptionFacts& option) {
  switch (value_kind(option)) {
    case ValueKind::kChoices:
      return fmt::format("({})", fmt::join(option.choices, " "));
    case ValueKind::kFiles:
      return "_files";
    case ValueKind::kFolders:
      return "_files -/";
    case ValueKind::kFindings:
      return "_esox_findings";
    case ValueKind::kIds:
      return "_esox_ids";
    case ValueKind::kPrograms:
      return "_esox_programs";
    case ValueKind::kNothing:
      return " ";
  }
  return " ";
}

std::string option_spec(const OptionFacts& option, const std::string& name) {
  std::string spec = (option.several ? "*" : "") + name;
  if (!option.value.empty() && name.starts_with("--")) spec += "=";
  spec += "[" + specified(brief(option.description)) + "]";
  if (!option.value.empty()) spec += ":" + specified(option.value) + ":" + action(option);
  return spec;
}

std::string operand_spec(const OptionFacts& option) {
  const std::string name = specified(option.names.front());
  // The words of another program's command line are completed as if it stood alone.
  if (value_kind(option) == ValueKind::kPrograms && option.several)
    return "*:::" + name + ":_normal";
  if (option.several) return "*:" + name + ":" + action(option);
  return (option.required ? ":" : "::") + name + ":" + action(option);
}

std::string specs_of(const CommandFacts& command) {
  std::string text;
  for (const OptionFacts& option : command.options) {
    std::vector<std::string> specs;
    if (option.operand) specs.push_back(operand_spec(option));
    if (!option.operand) {
      for (const std::string& name : option.names) specs.push_back(option_spec(option, name));
    }
    for (const std::string& spec : specs) text += " \\\n    " + shell_quoted(spec);
  }
  return text;
}

void tell_leaf(const CommandFacts& command, std::string& text) {
  text +=
      fmt::format("\n{}() {{\n  _arguments -s -S{}\n}}\n", function_of(command), specs_of(command));
}

void tell(const CommandFacts& command, std::string& text) {
  if (command.parts.empty()) return tell_leaf(command, text);
  std::string described;
  std::string calls;
  for (const CommandFacts& part : command.parts) {
    tell(part, text);
    described += "\n        " + shell_quoted(part.name + ":" + specified(brief(part.description)));
    calls += fmt::format("        {}) {} ;;\n", part.name, function_of(part));
  }
  text += fmt::format(
      "\n{}() {{\n  local state line\n  _arguments -C{} \\\n    '1: :->part' \\\n    '*:: "
      ":->rest'\n  case $state in\n    part)\n      local -a parts=({})\n      _describe command "
      "parts ;;\n    rest)\n      case $line[1] in\n{}      esac ;;\n  esac\n}}\n",
      function_of(command), specs_of(command), described, calls);
}

}  // namespace

std::string zsh_completion(const CommandFacts& all) {
  std::string commands;
  tell(all, commands);
  std::string script = kZshScript;
  replace_mark(script, "%COMMANDS%", commands);
  return script;
}

}  // namespace esox
