// SPDX-License-Identifier: Apache-2.0
// See command_facts.h. CLI11 keeps an option's kind of value, its choices and its range in one
// text, "TEXT:{auto,restart}" or "UINT:UINT in [1 - 64]".
#include "harness/commands/manual/command_facts.h"

#include <algorithm>

#include "harness/records/lines.h"

namespace esox {
namespace {

constexpr size_t kFewOptions = 4;

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

// Where almost nothing goes with an option, what does is said.
void read_exclusions(const CLI::App& app, const CLI::Option& option, OptionFacts& facts) {
  const std::set<CLI::Option*> excluded = option.get_excludes();
  const bool few = excluded.size() <= kFewOptions;
  for (const CLI::Option* other : app.get_options()) {
    if (other == &option || other->get_group().empty()) continue;
    const bool goes_not = excluded.contains(const_cast<CLI::Option*>(other));
    const std::string name = names_of(*other).back();
    if (few && goes_not) facts.not_with.push_back(name);
    if (!few && !goes_not && !name.starts_with("--help")) facts.only_with.push_back(name);
  }
}

}  // namespace

OptionFacts value_facts(const CLI::Option& option) {
  OptionFacts facts;
  facts.names = names_of(option);
  facts.operand = !option.nonpositional();
  facts.required = option.get_required();
  facts.description = option.get_description();
  read_value(option, facts);
  return facts;
}

namespace {

OptionFacts option_facts(const CLI::App& app, const CLI::Option& option) {
  OptionFacts facts = value_facts(option);
  for (const CLI::Option* other : option.get_needs())
    facts.needs.push_back(names_of(*other).back());
  read_exclusions(app, option, facts);
  return facts;
}

CommandFacts facts_below(const CLI::App& app, const std::string& parent) {
  CommandFacts facts;
  facts.name = app.get_name();
  facts.path = parent.empty() ? facts.name : parent + " " + facts.name;
  facts.description = app.get_description();
  facts.footer = app.get_footer();
  for (const CLI::Option* option : app.get_options()) {
    if (!option->get_group().empty()) facts.options.push_back(option_facts(app, *option));
  }
  for (const CLI::App* part : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (!part->get_group().empty()) facts.parts.push_back(facts_below(*part, facts.path));
  }
  return facts;
}

}  // namespace

std::string OptionFacts::value_text() const {
  if (value.empty()) return "";
  return value_optional ? "[=" + value + "]" : " " + value;
}

std::string CommandFacts::page_name() const {
  std::string page = path;
  std::replace(page.begin(), page.end(), ' ', '-');
  return page;
}

CommandFacts command_facts(const CLI::App& app) {
  return facts_below(app, "");
}

}  // namespace esox
