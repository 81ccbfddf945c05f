// SPDX-License-Identifier: Apache-2.0
#include "harness/commands/manual/help_format.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <map>
#include <sstream>
#include <string_view>

#include "harness/commands/manual/command_facts.h"
#include "harness/records/lines.h"

namespace esox {
namespace {

// By the options' long names, which mean the same in all commands; one that does not has a
// type_name() of its own.
const std::map<std::string_view, const char*> kValues = {
    {"attempts", "NUMBER"},      {"budget", "TIME"},        {"campaign", "NAME"},
    {"claim", "NAME"},           {"config", "FILE"},        {"data-choices", "LIST"},
    {"diagnose-budget", "TIME"}, {"do-test", "NAME"},       {"engine", "LIST"},
    {"env", "NAME[=VALUE]"},     {"filter", "RULE"},        {"filters", "FILES"},
    {"format", "LIST"},          {"gdb-ex", "COMMAND"},     {"id", "NAME"},
    {"image", "NAME"},           {"json", "FILE"},          {"learn-from", "HUNT"},
    {"mtr", "FOLDER"},           {"note", "WORDS"},         {"old-server", "PROGRAM"},
    {"out", "FOLDER"},           {"preload", "FILE"},       {"ranking", "FILE"},
    {"replay", "FILE"},          {"report", "LIST"},        {"resume", "HUNT"},
    {"seed", "NUMBER"},          {"server", "PROGRAM"},     {"server-option", "OPTION"},
    {"settings", "FILE"},        {"setup", "FILE"},         {"shard", "I/N"},
    {"servers", "PROGRAMS"},     {"store", "FILE"},         {"strategy", "STRATEGY"},
    {"structures", "FILE"},      {"stuck-after", "TIME"},   {"suite", "LIST"},
    {"summary", "PARTS"},        {"timeout", "TIME"},       {"to", "FOLDER"},
    {"trace", "FILE"},           {"virtual-limit", "TIME"},

};

constexpr const char* kMore = "More options";  // the group of those that --help leaves out
constexpr size_t kColumn = 30;
constexpr size_t kMostColumns = 100;

// Words on lines of kMostColumns, from kColumn on; `text` ends where the first may begin.
void add_wrapped(std::string& text, const std::string& words) {
  size_t at = text.size() - text.rfind('\n') - 1;
  const auto new_line = [&] {
    text += "\n" + std::string(kColumn, ' ');
    at = kColumn;
  };
  if (at + 2 > kColumn) new_line();
  text.append(kColumn - at, ' ');
  at = kColumn;
  std::istringstream stream(words);
  for (std::string word; stream >> word;) {
    if (at > kColumn && at + 1 + word.size() > kMostColumns) new_line();
    if (at > kColumn) text += " ";
    text += word;
    at += word.size() + (at > kColumn ? 1 : 0);
  }
}

// The paragraphs of a footer that --help shows, too, as they stand; an empty line separates them.
std::string examples_and_statuses(const std::string& footer) {
  std::string kept;
  bool keeps = false;
  bool begins = true;  // a paragraph
  for (const std::string& line : lines_of(footer)) {
    if (begins) keeps = line.starts_with("Examples:") || line.starts_with("Exit status:");
    begins = line.empty();
    if (keeps) kept += line + "\n";
  }
  return kept;
}

class HelpFormatter : public CLI::Formatter {
 public:
  std::string make_help(const CLI::App* app, std::string name,
                        CLI::AppFormatMode mode) const override;
  std::string make_option(const CLI::Option* option, bool is_operand) const override;
  std::string make_option_opts(const CLI::Option* option) const override;
};

std::string options_text(const HelpFormatter& formatter, const CLI::App* app,
                         const std::string& group) {
  const auto options = app->get_options([&](const CLI::Option* option) {
    return option->nonpositional() && option->get_group() == group;
  });
  return options.empty() ? "" : formatter.make_group(group, false, options);
}

}  // namespace

std::string HelpFormatter::make_help(const CLI::App* app, std::string name,
                                     CLI::AppFormatMode mode) const {
  const bool short_one = mode == CLI::AppFormatMode::Normal;
  if (app->get_help_all_ptr() == nullptr) return Formatter::make_help(app, name, mode);
  std::string text = make_description(app) + make_usage(app, name) + make_positionals(app) +
                     options_text(*this, app, "Options");
  if (!short_one) return text + options_text(*this, app, kMore) + "\n" + make_footer(app);
  return text + "\n" + examples_and_statuses(app->get_footer());
}

std::string HelpFormatter::make_option(const CLI::Option* option, bool is_operand) const {
  std::string text = "\n  " + make_option_name(option, is_operand) + make_option_opts(option);
  add_wrapped(text, make_option_desc(option));
  return text.substr(1) + "\n";
}

std::string HelpFormatter::make_option_opts(const CLI::Option* option) const {
  const OptionFacts facts = option_facts(*option);
  std::string text;
  // An operand's name says what it is; of an option it is the value's.
  if (!facts.choices.empty()) {
    text += fmt::format(" {}", fmt::join(facts.choices, "|"));
  } else if (!facts.operand) {
    text += facts.value_text();
  }
  if (!facts.preset.empty()) text += "=" + facts.preset;
  if (facts.several) text += " ...";
  if (!facts.range.empty()) text += " (" + facts.range + ")";
  if (facts.required && !facts.operand) text += " (must be given)";
  return text;
}

void format_help(CLI::App& root) {
  root.formatter(std::make_shared<HelpFormatter>());
}

void shorten_help(CLI::App& command, const std::set<std::string>& common) {
  for (CLI::Option* option : command.get_options()) {
    const bool shown = option->get_positional() || option == command.get_help_ptr() ||
                       common.contains(option->get_name());
    if (!shown && !option->get_group().empty()) option->group(kMore);
  }
  command.set_help_all_flag("--help-all", "all options, and what there is to know of them");
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
