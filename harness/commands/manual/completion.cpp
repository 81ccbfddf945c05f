// SPDX-License-Identifier: Apache-2.0
// See completion.h. Both scripts are templates filled from one view, in which commands and their
// parts stand in one list. bash finds out by tables which command the line names and what stands at
// the cursor; zsh has a function for each command, which calls _arguments.
#include "harness/commands/manual/completion.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "harness/commands/manual/value_kind.h"
#include "harness/nights/cluster/shell_words.h"
#include "harness/records/reports/mustache_view.h"

namespace esox {
namespace {

using Json = nlohmann::json;

constexpr size_t kMostDescription = 70;

// "_esox__triage__list"
std::string function_of(const CommandFacts& command) {
  std::string name = "_";
  for (const char c : command.path) name += c == ' ' ? "__" : std::string(1, c == '-' ? '_' : c);
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

std::string bash_offer(const OptionFacts& option) {
  if (option.choices.empty()) return std::string(value_kind(option).bash);
  return fmt::format("words {}", fmt::join(option.choices, " "));
}

std::string zsh_action(const OptionFacts& option) {
  if (option.choices.empty()) return std::string(value_kind(option).zsh);
  return fmt::format("({})", fmt::join(option.choices, " "));
}

std::string option_spec(const OptionFacts& option, const std::string& name) {
  std::string spec = (option.several ? "*" : "") + name;
  if (!option.value.empty() && name.starts_with("--")) spec += option.value_optional ? "=-" : "=";
  spec += "[" + specified(brief(option.description)) + "]";
  if (option.value.empty()) return spec;
  spec += option.value_optional ? "::" : ":";
  return spec + specified(option.value) + ":" + zsh_action(option);
}

std::string operand_spec(const OptionFacts& option) {
  const std::string name = specified(option.names.front());
  // The words of another program's command line are completed as if it stood alone.
  const bool command_line = option.several && value_kind(option).zsh == kPrograms.zsh;
  if (command_line) return "*:::" + name + ":_normal";
  if (option.several) return "*:" + name + ":" + zsh_action(option);
  return (option.required ? ":" : "::") + name + ":" + zsh_action(option);
}

// What each name of each option means; of operands, each by its number.
Json options_view(const CommandFacts& command) {
  Json values = Json::array();
  Json specs = Json::array();
  std::vector<std::string> names;
  size_t operands = 0;
  const auto add_value = [&](const OptionFacts& option, const std::string& name) {
    values.push_back(
        {{"of", shell_word(command.path + " " + name)}, {"offer", shell_word(bash_offer(option))}});
  };
  for (const OptionFacts& option : command.options) {
    if (option.operand) {
      add_value(option, std::to_string(++operands));
      specs.push_back(shell_word(operand_spec(option)));
      continue;
    }
    for (const std::string& name : option.names) {
      names.push_back(name);
      specs.push_back(shell_word(option_spec(option, name)));
      if (!option.value.empty() && !option.value_optional) add_value(option, name);
    }
  }
  return {{"values", values},
          {"specs", specs},
          {"operands", operands},
          {"option_names", shell_word(fmt::format("{}", fmt::join(names, " ")))}};
}

void add_view(const CommandFacts& command, Json& commands) {
  Json view = options_view(command);
  std::vector<std::string> names;
  view["parts"] = Json::array();
  for (const CommandFacts& part : command.parts) {
    names.push_back(part.name);
    view["parts"].push_back(
        {{"name", part.name},
         {"function", function_of(part)},
         {"described", shell_word(part.name + ":" + specified(brief(part.description)))}});
  }
  view["path"] = shell_word(command.path);
  view["function"] = function_of(command);
  view["has_parts"] = !names.empty();
  view["part_names"] = shell_word(fmt::format("{}", fmt::join(names, " ")));
  commands.push_back(std::move(view));
  for (const CommandFacts& part : command.parts) add_view(part, commands);
}

std::string filled(const char* script, const CommandFacts& all) {
  Json commands = Json::array();
  add_view(all, commands);
  return mustache_page(script).render(mustache_data({{"commands", commands}}));
}

}  // namespace

std::string bash_completion(const CommandFacts& all) {
  return filled(kBashTemplate, all);
}

std::string zsh_completion(const CommandFacts& all) {
  return filled(kZshTemplate, all);
}

}  // namespace esox
