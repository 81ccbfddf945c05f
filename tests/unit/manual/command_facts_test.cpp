// SPDX-License-Identifier: Apache-2.0
#include "harness/commands/manual/command_facts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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

TEST_F(Facts, SayWhatAShellCanOffer) {
  EXPECT_EQ(value_kind(option("--heat")), ValueKind::kChoices);
  EXPECT_EQ(value_kind(option("--minutes")), ValueKind::kNothing);
  EXPECT_EQ(value_kind(option("--salt")), ValueKind::kFiles);
  EXPECT_EQ(value_kind(option("--into")), ValueKind::kFolders);
  EXPECT_EQ(value_kind(all.parts[1].parts[0].options.back()), ValueKind::kFindings);
}

}  // namespace
}  // namespace esox
