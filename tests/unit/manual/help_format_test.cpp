// SPDX-License-Identifier: Apache-2.0
#include "harness/commands/manual/help_format.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/manual/sample_command.h"

namespace esox {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

std::string help_of(CLI::App& app) {
  app.formatter(std::make_shared<HelpFormatter>());
  return app.help();
}

TEST(Help, ShowsChoicesDefaultsAndRanges) {
  SampleCommand sample;
  EXPECT_THAT(help_of(*sample.cook),
              AllOf(HasSubstr("--heat low|high=low"), HasSubstr("--minutes NUMBER (1 - 90)"),
                    HasSubstr("--salt FILE"), HasSubstr("MEAL ..."), HasSubstr("--plain")));
}

TEST(Help, LeavesWhatGoesWithWhatToTheManualAndTheErrors) {
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

}  // namespace
}  // namespace esox
