// SPDX-License-Identifier: Apache-2.0
#include "harness/commands/manual/footer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace esox {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

TEST(AFooter, IsTakenApart) {
  const Footer footer = read_footer(
      "\nOne\nparagraph.\n\nExamples:\n  a --b\n    deeper\n\nAnother.\n\nExit status: 0 good,\n"
      "1 bad.");
  EXPECT_THAT(footer.paragraphs, ElementsAre("One paragraph.", "Another."));
  EXPECT_THAT(footer.examples, ElementsAre("a --b", "  deeper"));
  EXPECT_THAT(footer.statuses, ElementsAre(Pair("0", "good"), Pair("1", "bad")));
}

TEST(AFooter, MayHaveCommasAndNumbersWithinTheMeaningOfAStatus) {
  const Footer footer =
      read_footer("Exit status: 0 fixed, 125 cannot tell (no server, too few of 3), 2 wrong use.");
  EXPECT_THAT(footer.statuses,
              ElementsAre(Pair("0", "fixed"), Pair("125", "cannot tell (no server, too few of 3)"),
                          Pair("2", "wrong use")));
}

TEST(AFooter, MayTellTheExitStatusInItsOwnWords) {
  EXPECT_THAT(read_footer("Exit status: that of the program.").statuses,
              ElementsAre(Pair("", "that of the program")));
}

TEST(AFooter, MayBeEmpty) {
  const Footer footer = read_footer("");
  EXPECT_THAT(footer.paragraphs, IsEmpty());
  EXPECT_THAT(footer.examples, IsEmpty());
  EXPECT_THAT(footer.statuses, IsEmpty());
}

}  // namespace
}  // namespace esox
