// SPDX-License-Identifier: Apache-2.0
// See command_facts.h. CLI11 keeps an option's kind of value, its choices and its range in one
// text, "TEXT:{auto,restart}" or "UINT:UINT in [1 - 64]".
#include "harness/commands/manual/command_facts.h"

#include "harness/records/lines.h"

namespace esox {
namespace {

// What stands between the first `open` and the `close` that follows it; empty if there is none.
std::string between(const std::string& text, char open, char close) {
  const size_t begin = text.find(open);
  const size_t end = begin == std::string::npos ? begin : text.find(close, begin);
  return end == std::string::npos ? "" : text.substr(begin + 1, end - begin - 1);
}

std::vector<std::string> names_of(const CLI::Option& option) {
  if (!option.nonpositional()) return {option.get_name(true)};
  std::vector<std::string> names;
  for (const std::string& name : option.get_snames()) names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
  return names;
}

constexpr const char* kAnything = "TEXT";

// CLI11 calls values after C++'s types.
std::string value_name(const std::string& type) {
  if (type == "INT" || type == "UINT" || type == "FLOAT") return "NUMBER";
  return type.empty() ? kAnything : type;
}

void read_value(const CLI::Option& option, OptionFacts& facts) {
  if (option.get_items_expected_max() == 0) return;  // a flag
  const std::string type = option.get_type_name();
  facts.value = value_name(type.substr(0, type.find(':')));
  const std::string choices = between(type, '{', '}');
  facts.choices = parts_of(choices, ',');
  if (!choices.empty() && facts.value == kAnything) facts.value = "WORD";
  if (type.find(" in [") != std::string::npos) facts.range = between(type, '[', ']');
  facts.several = option.get_items_expected_max() > 1;
  facts.value_optional = option.get_items_expected_min() == 0;
  if (!facts.value_optional) facts.preset = option.get_default_str();
}

}  // namespace

std::string OptionFacts::value_text() const {
  if (value.empty()) return "";
  return value_optional ? "[=" + value + "]" : " " + value;
}

OptionFacts option_facts(const CLI::Option& option) {
  OptionFacts facts;
  facts.names = names_of(option);
  facts.operand = !option.nonpositional();
  facts.required = option.get_required();
  facts.description = option.get_description();
  read_value(option, facts);
  return facts;
}

std::vector<OptionFacts> options_of(const CLI::App& command) {
  std::vector<OptionFacts> facts;
  for (const CLI::Option* option : command.get_options()) {
    if (!option->get_group().empty()) facts.push_back(option_facts(*option));
  }
  return facts;
}

std::vector<const CLI::App*> subcommands_of(const CLI::App& command) {
  return command.get_subcommands([](const CLI::App* part) { return !part->get_group().empty(); });
}

}  // namespace esox
