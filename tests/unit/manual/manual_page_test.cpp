// SPDX-License-Identifier: Apache-2.0
#include "harness/commands/manual/manual_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/manual/sample_command.h"

namespace esox {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class ManualPage : public testing::Test {
 protected:
  std::string page(const CommandFacts& command) const {
    return manual_page(command, all, {"tool 1.0", "2026-11-22"});
  }

  SampleCommand sample;
  CommandFacts all = command_facts(sample.app);
};

TEST_F(ManualPage, NamesItselfItsVersionAndItsDate) {
  EXPECT_THAT(page(all.parts[0]),
              AllOf(StartsWith(".TH TOOL-COOK 1 \"2026-11-22\" \"tool 1.0\" \"esox\"\n"),
                    HasSubstr("tool\\-cook \\- make a meal\n")));
}

TEST_F(ManualPage, SaysAllThatTheDefinitionSaysOfAnOption) {
  EXPECT_THAT(
      page(all.parts[0]),
      AllOf(
          HasSubstr("\\fB\\-\\-heat\\fR \\fIWORD\\fR\nhow hot. One of: low, high. Default: low.\n"),
          HasSubstr(
              "\\fB\\-m\\fR, \\fB\\-\\-minutes\\fR \\fINUMBER\\fR\nhow long. Range: 1 \\- 90.\n"),
          HasSubstr("a file of salts. Not together with \\-\\-plain.\n"),
          HasSubstr("where to. Only together with \\-\\-salt.\n"),
          HasSubstr("\\fIMEAL\\fR ...\nwhat to make. Required.\n")));
}

TEST_F(ManualPage, HasExamplesAsTheyAreTypedAndStatusesOnePerLine) {
  EXPECT_THAT(page(all.parts[0]),
              AllOf(HasSubstr(".EX\ntool cook soup   \\(aqit\\(aq\\(aqs\\(aq\n\\&.dot "
                              "\\-\\-heat low\n.EE\n"),
                    HasSubstr(".TP\n\\fB0\\fR\ndone (or 2 of 3)\n.TP\n\\fB2\\fR\nwrong use\n"),
                    HasSubstr(".PP\nMeals are made in order.\n")));
}

TEST_F(ManualPage, OfACommandWithPartsHasEachWithItsOptions) {
  EXPECT_THAT(page(all.parts[1]),
              AllOf(HasSubstr(".SS \"tool store list\"\nAll that is kept.\n"),
                    HasSubstr("\\fIFINDING\\fR\none.\n"),
                    HasSubstr("\\fBtool store list\\fR [\\fIOPTIONS\\fR] [\\fIFINDING\\fR]\n")));
}

TEST_F(ManualPage, WithoutStatusesOfItsOwnHasThoseOfTheWhole) {
  EXPECT_THAT(page(all.parts[1]), HasSubstr(".TP\n\\fB0\\fR\ngood\n.TP\n\\fB1\\fR\nbad\n"));
}

TEST_F(ManualPage, HasNoEmptyLines) {
  for (const CommandFacts& command : {all, all.parts[0], all.parts[1]}) {
    EXPECT_THAT(page(command), Not(HasSubstr("\n\n")));
  }
}

TEST_F(ManualPage, OfTheWholeListsThePagesOfItsCommands) {
  EXPECT_THAT(page(all), AllOf(HasSubstr("\\fBtool\\-cook\\fR(1)\nmake a meal\n"),
                               Not(HasSubstr("secret")), Not(HasSubstr("\\-\\-heat"))));
}

}  // namespace
}  // namespace esox
