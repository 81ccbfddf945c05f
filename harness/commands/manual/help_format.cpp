// SPDX-License-Identifier: Apache-2.0
#include "harness/commands/manual/help_format.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <string_view>

#include "harness/commands/manual/command_facts.h"

namespace esox {
namespace {

// By the options' long names, which mean the same in all commands; one that does not has a
// type_name() of its own.
const std::map<std::string_view, const char*> kValues = {
    {"attempts", "NUMBER"},      {"budget", "TIME"},       {"campaign", "NAME"},
    {"claim", "NAME"},           {"config", "FILE"},       {"data-choices", "LIST"},
    {"diagnose-budget", "TIME"}, {"do-test", "NAME"},      {"engine", "LIST"},
    {"env", "NAME[=VALUE]"},     {"filter", "RULE"},       {"filters", "FILES"},
    {"format", "LIST"},          {"gdb-ex", "COMMAND"},    {"id", "NAME"},
    {"image", "NAME"},           {"json", "FILE"},         {"learn-from", "HUNT"},
    {"mtr", "FOLDER"},           {"note", "WORDS"},        {"old-server", "PROGRAM"},
    {"order", "FILE"},           {"out", "FOLDER"},        {"partition", "NAME"},
    {"preload", "FILE"},         {"replay", "FILE"},       {"report", "LIST"},
    {"resume", "HUNT"},          {"run", "NIGHT"},         {"sbatch", "OPTION"},
    {"seed", "NUMBER"},          {"server", "PROGRAM"},    {"server-option", "OPTION"},
    {"settings", "FILE"},        {"setup", "FILE"},        {"shard", "I/N"},
    {"store", "FILE"},           {"strategy", "STRATEGY"}, {"structures", "FILE"},
    {"stuck-after", "TIME"},     {"suite", "LIST"},        {"summary", "PARTS"},
    {"timeout", "TIME"},         {"to", "FOLDER"},         {"trace", "FILE"},
    {"virtual-limit", "TIME"},
};

}  // namespace

std::string HelpFormatter::make_option_opts(const CLI::Option* option) const {
  const OptionFacts facts = value_facts(*option);
  std::string text;
  // An operand's name says what it is; of an option it is the value's.
  if (!facts.value.empty() && (!facts.operand || !facts.choices.empty())) {
    text += " " + (facts.choices.empty() ? facts.value
                                         : fmt::format("{}", fmt::join(facts.choices, "|")));
  }
  if (!facts.preset.empty()) text += "=" + facts.preset;
  if (facts.several) text += " ...";
  if (!facts.range.empty()) text += " (" + facts.range + ")";
  if (facts.required && !facts.operand) text += " (must be given)";
  return text;
}

void name_values(CLI::App& app) {
  for (CLI::Option* option : app.get_options()) {
    const std::vector<std::string>& names = option->get_lnames();
    const auto known = names.empty() ? kValues.end() : kValues.find(names.front());
    if (known != kValues.end() && option->get_type_name() == "TEXT") {
      option->type_name(known->second);
    }
  }
  for (CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    name_values(*command);
}

}  // namespace esox
