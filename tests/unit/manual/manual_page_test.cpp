// SPDX-License-Identifier: Apache-2.0
#include "harness/commands/manual/manual_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/commands/manual/help_format.h"
#include "tests/unit/manual/sample_command.h"

namespace esox {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class ManualPage : public testing::Test {
 protected:
  ManualPage() {
    for (CLI::App* command : {&sample.app, sample.cook, sample.store, sample.list}) {
      format_help(*command);
    }
  }
  static std::string page(const CLI::App& command) {
    return manual_page(command, {"tool 1.0", "2026-11-22"});
  }
  static size_t times(const std::string& text, const std::string& part) {
    size_t count = 0;
    for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
      ++count;
    }
    return count;
  }

  SampleCommand sample;
};

TEST_F(ManualPage, NamesItselfItsVersionAndItsDate) {
  EXPECT_THAT(page(*sample.cook),
              AllOf(StartsWith(".TH TOOL-COOK 1 \"2026-11-22\" \"tool 1.0\" \"esox\"\n"),
                    HasSubstr("tool\\-cook \\- make a meal\n")));
}

TEST_F(ManualPage, SaysAllThatTheHelpSaysAsText) {
  EXPECT_THAT(page(*sample.cook),
              AllOf(HasSubstr("Usage: tool cook [OPTIONS]"), HasSubstr("\\-\\-heat low|high=low"),
                    HasSubstr("\\-\\-minutes NUMBER"), HasSubstr("Meals are\nmade in order.\n"),
                    HasSubstr("  tool cook soup   \\(aqit\\(aq\\(aqs\\(aq\n"),
                    HasSubstr("Exit status: 0 done (or 2 of 3), 2 wrong use.\n.EE\n")));
}

TEST_F(ManualPage, HasWhatAShorterHelpLeavesOut) {
  shorten_help(*sample.cook, {"--heat"});
  EXPECT_THAT(page(*sample.cook), HasSubstr("\\-\\-salt FILE"));
}

TEST_F(ManualPage, TakesNoLineForACommandOfRoff) {
  sample.cook->footer(".TH at the beginning\n'br too\n\\fBbold");
  EXPECT_THAT(page(*sample.cook), HasSubstr("\\&.TH at the beginning\n\\(aqbr too\n\\(rsfBbold\n"));
}

TEST_F(ManualPage, OfACommandWithPartsHasEachWithItsOptions) {
  EXPECT_THAT(page(*sample.store),
              AllOf(HasSubstr(".SH tool store list\n.EX\nall that is kept\n"),
                    HasSubstr("Usage: tool store list [OPTIONS] [FINDING]\n")));
}

TEST_F(ManualPage, TellsExamplesThatAPartSharesWithItsCommandOnce) {
  sample.list->footer(sample.store->get_footer());
  EXPECT_EQ(times(page(*sample.store), "Exit status: 0 kept"), 1u);
}

TEST_F(ManualPage, OfTheWholeListsItsCommands) {
  EXPECT_THAT(page(sample.app),
              AllOf(HasSubstr("  cook  "), HasSubstr(".SH SEE ALSO\n\\fBesox\\fR(1)"),
                    Not(HasSubstr("secret")), Not(HasSubstr("\\-\\-heat"))));
}

}  // namespace
}  // namespace esox
