// SPDX-License-Identifier: Apache-2.0
#include "harness/commands/manual/command_facts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <set>

#include "harness/commands/command.h"
#include "tests/unit/manual/sample_command.h"

namespace esox {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class Facts : public testing::Test {
 protected:
  OptionFacts option(const std::string& name) const {
    for (const OptionFacts& one : options_of(*sample.cook)) {
      if (one.names.back() == name) return one;
    }
    throw std::runtime_error("no option " + name);
  }

  SampleCommand sample;
};

TEST_F(Facts, LeaveOutHiddenCommands) {
  std::vector<std::string> names;
  for (const CLI::App* command : subcommands_of(sample.app)) names.push_back(command->get_name());
  EXPECT_THAT(names, ElementsAre("cook", "store"));
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

TEST(CommandLine, EveryReportingCommandHasTheSameJsonOption) {
  Command root;
  Chosen chosen;
  define_command_line(root, chosen);
  std::set<std::string> commands;
  std::set<std::string> meanings;
  const std::function<void(const CLI::App&, const std::string&)> look =
      [&](const CLI::App& command, const std::string& path) {
        for (const OptionFacts& one : options_of(command)) {
          if (one.names.back() != "--json") continue;
          commands.insert(path);
          meanings.insert(one.value_text() + ": " + one.description);
        }
        for (const CLI::App* part : subcommands_of(command))
          look(*part, path + " " + part->get_name());
      };
  look(root.app(), "esox");
  EXPECT_EQ(meanings.size(), 1u);
  EXPECT_THAT(*meanings.begin(), testing::StartsWith("[=FILE]: "));
  EXPECT_THAT(commands,
              testing::IsSupersetOf({"esox hunt", "esox run", "esox exec", "esox replay",
                                     "esox diagnose", "esox minimise", "esox verify", "esox merge",
                                     "esox nights", "esox doctor", "esox bench executions",
                                     "esox triage list", "esox triage show", "esox filters test"}));
}

}  // namespace
}  // namespace esox
