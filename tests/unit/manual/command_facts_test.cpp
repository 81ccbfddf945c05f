// SPDX-License-Identifier: Apache-2.0
#include "harness/commands/manual/command_facts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <set>

#include "harness/commands/command.h"
#include "harness/commands/manual/value_kind.h"
#include "tests/unit/manual/sample_command.h"

namespace esox {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class Facts : public testing::Test {
 protected:
  const OptionFacts& option(const std::string& name) const {
    for (const OptionFacts& one : all.parts.front().options) {
      if (one.longest_name() == name) return one;
    }
    throw std::runtime_error("no option " + name);
  }

  SampleCommand sample;
  CommandFacts all = command_facts(sample.app);
};

TEST_F(Facts, NameCommandsByTheirWholePathAndLeaveOutHiddenOnes) {
  ASSERT_EQ(all.parts.size(), 2u);
  EXPECT_EQ(all.parts[0].path, "tool cook");
  EXPECT_EQ(all.parts[1].parts[0].path, "tool store list");
  EXPECT_EQ(all.parts[1].parts[0].page_name(), "tool-store-list");
}

TEST_F(Facts, TellOperandsFromOptionsAndFlags) {
  EXPECT_TRUE(option("MEAL").operand);
  EXPECT_TRUE(option("MEAL").required);
  EXPECT_TRUE(option("MEAL").several);
  EXPECT_FALSE(option("--heat").operand);
  EXPECT_EQ(option("--plain").value, "");
}

TEST_F(Facts, HaveEachOptionsChoicesRangeDefaultAndNames) {
  EXPECT_THAT(option("--heat").choices, ElementsAre("low", "high"));
  EXPECT_EQ(option("--heat").preset, "low");
  EXPECT_THAT(option("--minutes").names, ElementsAre("-m", "--minutes"));
  EXPECT_EQ(option("--minutes").range, "1 - 90");
  EXPECT_THAT(option("--minutes").choices, IsEmpty());
  EXPECT_EQ(option("--minutes").value, "NUMBER");
  EXPECT_EQ(option("--heat").value, "WORD");
  EXPECT_EQ(option("--salt").value, "FILE");
}

TEST_F(Facts, SayWhatExcludesWhat) {
  EXPECT_THAT(option("--salt").not_with, ElementsAre("--plain"));
  EXPECT_THAT(option("--plain").not_with, ElementsAre("--salt"));
  EXPECT_THAT(option("--plain").only_with, IsEmpty());
}

TEST_F(Facts, SayWhatGoesWithAnOptionThatAlmostNothingGoesWith) {
  CLI::App app("", "tool");
  bool value = false;
  CLI::Option* resume = app.add_flag("--resume", value, "");
  for (const char* name : {"--a", "--b", "--c", "--d", "--e"}) {
    resume->excludes(app.add_flag(name, value, ""));
  }
  app.add_flag("--jobs", value, "");
  for (const OptionFacts& one : command_facts(app).options) {
    if (one.longest_name() != "--resume") continue;
    EXPECT_THAT(one.not_with, IsEmpty());
    EXPECT_THAT(one.only_with, ElementsAre("--jobs"));
  }
}

TEST(CommandLine, EveryReportingCommandHasTheSameJsonOption) {
  Command root;
  Chosen chosen;
  define_command_line(root, chosen);
  std::set<std::string> commands;
  std::set<std::string> meanings;
  const std::function<void(const CommandFacts&)> look = [&](const CommandFacts& command) {
    for (const OptionFacts& one : command.options) {
      if (one.longest_name() != "--json") continue;
      commands.insert(command.path);
      meanings.insert(one.value_text() + ": " + one.description);
    }
    for (const CommandFacts& part : command.parts) look(part);
  };
  look(command_facts(root.app()));
  EXPECT_EQ(meanings.size(), 1u);
  EXPECT_THAT(*meanings.begin(), testing::StartsWith("[=FILE]: "));
  EXPECT_THAT(commands, testing::IsSupersetOf(
                            {"esox hunt", "esox run", "esox exec", "esox replay", "esox diagnose",
                             "esox minimise", "esox verify", "esox merge", "esox nights",
                             "esox doctor", "esox bench executions", "esox triage list",
                             "esox triage show", "esox filters test", "esox slurm status"}));
}

TEST_F(Facts, SayWhatAShellCanOffer) {
  EXPECT_EQ(value_kind(option("--minutes")).bash, kNothing.bash);
  EXPECT_EQ(value_kind(option("--salt")).bash, kFiles.bash);
  EXPECT_EQ(value_kind(option("--into")).bash, kFolders.bash);
  EXPECT_EQ(value_kind(all.parts[1].parts[0].options.back()).bash, kFindings.bash);
}

}  // namespace
}  // namespace esox
