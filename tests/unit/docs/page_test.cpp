// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/docs/page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace esox {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

using Words = std::vector<std::string>;

Words texts_of(const std::vector<ShownText>& shown) {
  Words texts;
  for (const ShownText& one : shown) texts.push_back(one.text);
  return texts;
}

Words typed(const Words& lines, const std::string& language = "sh") {
  return texts_of(typed_lines({language, "", 1, lines}));
}

TEST(Page, HasBlocksWithTheirLanguageAndPlace) {
  const auto blocks =
      blocks_of("# Head\n\nSave `a.yaml`:\n\n```yaml\na: 1\nb: 2\n```\n```\nout\n```\n");
  ASSERT_EQ(blocks.size(), 2u);
  EXPECT_EQ(blocks[0].language, "yaml");
  EXPECT_EQ(blocks[0].line_before, "Save `a.yaml`:");
  EXPECT_EQ(blocks[0].first_line, 6u);
  EXPECT_THAT(blocks[0].lines, ElementsAre("a: 1", "b: 2"));
  EXPECT_EQ(blocks[1].language, "");
  EXPECT_EQ(blocks[1].first_line, 10u);
}

TEST(Page, HasLinesToTypeWithoutTheirExplanations) {
  EXPECT_THAT(
      typed({"make deb   # as anybody", "", "# alone", "esox triage mark 1 --note 'a # b'"}),
      ElementsAre("make deb", "esox triage mark 1 --note 'a # b'"));
}

TEST(Page, ContinuesALineBehindABackslashAndInsideQuotes) {
  const auto shown =
      typed_lines({"sh", "", 7, {"esox hunt a \\", "    --seed 7", "sh -c 'a;", "  b'", "c"}});
  EXPECT_THAT(texts_of(shown), ElementsAre("esox hunt a --seed 7", "sh -c 'a; b'", "c"));
  EXPECT_EQ(shown[0].line, 7u);
  EXPECT_EQ(shown[1].line, 9u);
  EXPECT_EQ(shown[2].line, 11u);
}

TEST(Page, OfOutputTypesOnlyWhatIsBehindAPrompt) {
  EXPECT_THAT(typed({"$ esox triage list", "esox is not there", "$ esox hunt \\", "  a"}, ""),
              ElementsAre("esox triage list", "esox hunt a"));
}

TEST(Page, QuotesTextsOverEndsOfLinesButNotOfParagraphsOrInBlocks) {
  const auto quoted =
      quoted_texts("A `one` and `two\nwords`\n\nan odd ` one\n\n```\n`x`\n```\n| `cell` |\n");
  EXPECT_THAT(texts_of(quoted), ElementsAre("one", "two words", "cell"));
  EXPECT_EQ(quoted[1].line, 1u);
  EXPECT_EQ(quoted[2].line, 9u);
}

TEST(Page, CallsEsoxByNameByPathAndBehindOtherCommands) {
  EXPECT_THAT(esox_calls("esox doctor"), ElementsAre(Words{"doctor"}));
  EXPECT_THAT(esox_calls("build/esox --version"), ElementsAre(Words{"--version"}));
  EXPECT_THAT(esox_calls("$HOME/.local/bin/esox doctor"), ElementsAre(Words{"doctor"}));
  EXPECT_THAT(esox_calls("source <(esox completion bash)"),
              ElementsAre(Words{"completion", "bash"}));
  EXPECT_THAT(esox_calls("sh -c 'make || exit 125; esox verify F; esox run I'"),
              ElementsAre(Words{"verify", "F"}, Words{"run", "I"}));
  EXPECT_THAT(esox_calls("runuser -u esox -- esox init mariadb"),
              ElementsAre(Words{"init", "mariadb"}));
}

TEST(Page, CallsNothingWhereEsoxIsAUserAFolderOrAnImage) {
  EXPECT_THAT(esox_calls("useradd --system --home-dir /var/lib/esox esox"), IsEmpty());
  EXPECT_THAT(esox_calls("podman build -f packaging/Containerfile -t esox ."), IsEmpty());
  EXPECT_THAT(esox_calls("cp share/doc/esox/examples/x /etc"), IsEmpty());
}

TEST(Page, TakesWordsAsAShellDoesAndSynopsesAsGiven) {
  EXPECT_THAT(esox_calls("esox triage mark 1 --note \"reported upstream\""),
              ElementsAre(Words{"triage", "mark", "1", "--note", "reported upstream"}));
  EXPECT_THAT(esox_calls("esox kubernetes a.yaml --image i >night.yaml"),
              ElementsAre(Words{"kubernetes", "a.yaml", "--image", "i"}));
  EXPECT_THAT(esox_calls("esox replay F [--times 20] [--server-option=--NAME=VALUE ...]"),
              ElementsAre(Words{"replay", "F", "--times", "20", "--server-option=--NAME=VALUE"}));
}

}  // namespace
}  // namespace esox
