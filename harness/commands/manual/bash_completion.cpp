// SPDX-License-Identifier: Apache-2.0
// See completion.h. The script is tables, one line per command and one per value, behind a fixed
// part that finds out which command the line names and what stands at the cursor.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/commands/manual/completion.h"
#include "harness/commands/manual/scripts.h"
#include "harness/commands/manual/value_kind.h"

namespace esox {
namespace {

const char* kind_name(ValueKind kind) {
  switch (kind) {
    case ValueKind::kChoices:
      return "words";
    case ValueKind::kFiles:
      return "files";
    case ValueKind::kFolders:
      return "folders";
    case ValueKind::kFindings:
      return "findings";
    case ValueKind::kIds:
      return "ids";
    case ValueKind::kPrograms:
      return "programs";
    case ValueKind::kNothing:
      return "nothing";
  }
  return "nothing";
}

std::string offer(const OptionFacts& option) {
  const ValueKind kind = value_kind(option);
  if (kind != ValueKind::kChoices) return kind_name(kind);
  return fmt::format("words {}", fmt::join(option.choices, " "));
}

// "  'esox triage') parts='list show' options='--help' operands=0 ;;"
void tell_facts(const CommandFacts& command, std::string& text) {
  std::vector<std::string> parts;
  std::vector<std::string> options;
  size_t operands = 0;
  for (const CommandFacts& part : command.parts) parts.push_back(part.name);
  for (const OptionFacts& option : command.options) {
    if (option.operand) ++operands;
    if (!option.operand) options.insert(options.end(), option.names.begin(), option.names.end());
  }
  text += fmt::format("    {}) parts={} options={} operands={} ;;\n", shell_quoted(command.path),
                      shell_quoted(fmt::format("{}", fmt::join(parts, " "))),
                      shell_quoted(fmt::format("{}", fmt::join(options, " "))), operands);
  for (const CommandFacts& part : command.parts) tell_facts(part, text);
}

// "  'esox hunt --isolation') echo 'words auto snapshot restart' ;;"; of operands by their number.
void tell_values(const CommandFacts& command, std::string& text) {
  size_t operand = 0;
  for (const OptionFacts& option : command.options) {
    if (!option.operand && option.value.empty()) continue;
    std::vector<std::string> names = option.names;
    if (option.operand) names = {std::to_string(++operand)};
    for (const std::string& name : names) {
      text += fmt::format("    {}) echo {} ;;\n", shell_quoted(command.path + " " + name),
                          shell_quoted(offer(option)));
    }
  }
  for (const CommandFacts& part : command.parts) tell_values(part, text);
}

}  // namespace

std::string shell_quoted(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? "'\\''" : std::string(1, c);
  return quoted + "'";
}

void replace_mark(std::string& script, const std::string& mark, const std::string& text) {
  script.replace(script.find(mark), mark.size(), text);
}

std::string bash_completion(const CommandFacts& all) {
  std::string facts;
  std::string values;
  tell_facts(all, facts);
  tell_values(all, values);
  std::string script = kBashScript;
  replace_mark(script, "%FACTS%", facts);
  replace_mark(script, "%VALUES%", values);
  return script;
}

}  // namespace esox
