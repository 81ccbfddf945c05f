// SPDX-License-Identifier: Apache-2.0
#include "harness/commands/manual/help_format.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "harness/commands/command.h"
#include "harness/commands/manual/command_facts.h"
#include "tests/unit/manual/sample_command.h"

namespace esox {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

std::string help_of(CLI::App& app) {
  format_help(app);
  return app.help();
}

TEST(Help, ShowsChoicesDefaultsAndRanges) {
  SampleCommand sample;
  EXPECT_THAT(help_of(*sample.cook),
              AllOf(HasSubstr("--heat low|high=low"), HasSubstr("--minutes NUMBER (1 - 90)"),
                    HasSubstr("--salt FILE"), HasSubstr("MEAL ..."), HasSubstr("--plain")));
}

TEST(Help, LeavesWhatGoesWithWhatToTheErrors) {
  SampleCommand sample;
  EXPECT_THAT(help_of(*sample.cook), Not(testing::ContainsRegex("Excludes|Needs|TEXT")));
}

TEST(Help, ValuesAreNamedByTheirOptionsInAllCommandsUnlessTheDefinitionDoes) {
  CLI::App app("", "tool");
  CLI::App* part = app.add_subcommand("part", "");
  std::string text;
  part->add_option("--budget", text, "");
  part->add_option("--server", text, "")->type_name("NAME");
  part->add_option("--out", text, "")->check(CLI::IsMember({"here", "there"}));
  name_values(app);
  EXPECT_THAT(help_of(*part), AllOf(HasSubstr("--budget TIME"), HasSubstr("--server NAME"),
                                    HasSubstr("--out here|there")));
}

TEST(Help, OfACommandOfManyOptionsShowsTheCommonOnesUnlessAllAreAskedFor) {
  SampleCommand sample;
  shorten_help(*sample.cook, {"--heat"});
  const std::string brief = help_of(*sample.cook);
  EXPECT_THAT(brief, AllOf(HasSubstr("MEAL"), HasSubstr("--heat"), HasSubstr("--help-all"),
                           HasSubstr("tool cook soup"), HasSubstr("Exit status: 0 done"),
                           Not(HasSubstr("--salt")), Not(HasSubstr("Meals are"))));
  const std::string whole = sample.cook->help("", CLI::AppFormatMode::All);
  EXPECT_THAT(whole, AllOf(HasSubstr("--heat"), HasSubstr("--salt"), HasSubstr("--minutes"),
                           HasSubstr("Meals are")));
}

TEST(Help, WrapsLongDescriptions) {
  CLI::App app("", "tool");
  std::string text;
  std::string words;
  for (int i = 0; i < 60; ++i) words += "word ";
  app.add_option("--long", text, words);
  std::istringstream lines(help_of(app));
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 100u);
}

void expect_one_screen(const std::string& command) {
  Command root;
  CLI::App& app = root.app();
  Chosen chosen;
  define_command_line(root, chosen);
  const CLI::App* one = app.get_subcommand(command);
  const std::string brief = one->help("esox");
  size_t count = 0;
  std::istringstream lines(brief);
  for (std::string line; std::getline(lines, line); ++count) EXPECT_LE(line.size(), 100u) << line;
  EXPECT_LE(count, 40u) << brief;
  const std::string whole = one->help("esox", CLI::AppFormatMode::All);
  for (const OptionFacts& option : options_of(*one)) {
    EXPECT_THAT(whole, HasSubstr(option.names.back()));
  }
}

TEST(Help, OfTheLongestCommandsFitsOneScreen) {
  for (const char* command : {"hunt", "run", "exec"}) expect_one_screen(command);
}

// Command lines of examples may be longer.
void expect_lines_of_a_screen(const CLI::App& command) {
  std::istringstream lines(command.get_footer());
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("  ")) continue;
    EXPECT_LE(line.size(), 100u) << command.get_name() << ": " << line;
  }
  for (const CLI::App* part : subcommands_of(command)) expect_lines_of_a_screen(*part);
}

TEST(Help, OfEveryCommandExplainsOnLinesOfAScreen) {
  Command root;
  Chosen chosen;
  define_command_line(root, chosen);
  expect_lines_of_a_screen(root.app());
}

}  // namespace
}  // namespace esox
