// SPDX-License-Identifier: Apache-2.0
// The manual pages and completions that the esox command makes of itself, read and used as their
// readers do: by mandoc, man, bash and zsh. No server is needed.
#include <cstdio>
#include <cstdlib>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "tests/integration/command_fixture.h"

namespace esox {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::IsSupersetOf;
using testing::Not;
using testing::StartsWith;
using testing::UnorderedElementsAre;

using Words = std::vector<std::string>;

Words lines_of(const std::string& text) {
  Words lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::set<std::string> matches(const std::string& text, const std::string& pattern) {
  const std::regex regex(pattern);
  std::set<std::string> found;
  for (std::sregex_iterator it(text.begin(), text.end(), regex), end; it != end; ++it) {
    found.insert((*it)[1]);
  }
  return found;
}

bool is_there(const std::string& program) {
  return std::system(("command -v " + program + " >/dev/null").c_str()) == 0;
}

class Manual : public CommandTest {
 protected:
  // What a program says of a script in our folder; its standard output.
  std::string shell(const std::string& command) {
    const std::string line = "cd '" + folder().string() + "' && PATH='" +
                             fs::path(ESOX_PROGRAM).parent_path().string() + "':$PATH; " + command;
    FILE* pipe = popen(line.c_str(), "r");
    std::string said;
    for (int c; (c = fgetc(pipe)) != EOF;) said += static_cast<char>(c);
    pclose(pipe);
    return said;
  }

  // Subcommands as --help lists them: "  hunt     explore ...".
  std::set<std::string> parts_of(const std::string& help) {
    const size_t at = help.find("\nSubcommands:\n");
    if (at == std::string::npos) return {};
    return matches(help.substr(at + 13, help.find("\n\n", at + 13) - at - 13), "\n  ([a-z-]+)");
  }

  // What --help-all defines: "  -m,--minutes INT ...".
  std::set<std::string> options_of(const std::string& help) {
    std::set<std::string> options;
    for (const std::string& head : matches(help, "\n  (-[^ ]+)")) {
      const std::set<std::string> long_ones = matches(head, "(--[a-z-]+)");
      options.insert(long_ones.begin(), long_ones.end());
    }
    return options;
  }

  // All that a command says of itself.
  std::string whole_help(Words command) {
    command.emplace_back("--help");
    const std::string help = esox(command).out;
    if (help.find("--help-all") == std::string::npos) return help;
    command.back() = "--help-all";
    return esox(command).out;
  }

  // Of each command and part of one: its whole help. "hunt", "triage list", ...
  std::map<std::string, std::string> all_help() {
    std::map<std::string, std::string> all;
    for (const std::string& command : parts_of(esox({"--help"}).out)) {
      const std::string help = whole_help({command});
      all[command] = help;
      for (const std::string& part : parts_of(help)) {
        all[command + " " + part] = whole_help({command, part});
      }
    }
    return all;
  }

  // What bash offers at the end of the line.
  Words completed(const std::string& words) {
    const std::string offered =
        shell("bash --norc -c 'source <(esox completion bash); COMP_WORDS=(" + words +
              "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _esox; "
              "printf \"%s\\n\" \"${COMPREPLY[@]}\"'");
    Words lines = lines_of(offered);
    if (lines == Words{""}) lines.clear();
    return lines;
  }
};

TEST_F(Manual, EveryOptionOfEveryCommandIsInItsPageAndCompleted) {
  if (!is_there("man")) GTEST_SKIP() << "no man here";
  ASSERT_EQ(esox({"manual", "made"}).status, 0);
  const auto all = all_help();
  ASSERT_GE(all.size(), 20u);
  for (const auto& [command, help] : all) {
    SCOPED_TRACE(command);
    const std::string page = shell("man -l --warnings made/man1/esox-" +
                                   command.substr(0, command.find(' ')) + ".1 2>&1 | col -b");
    const std::set<std::string> options = options_of(help);
    ASSERT_THAT(options, Contains("--help"));
    const std::string offered = shell("esox complete-words -- " + command + " --");
    for (const std::string& option : options) {
      EXPECT_THAT(page, HasSubstr(option));
      EXPECT_TRUE(std::regex_search(offered, std::regex("\n" + option + "=?\t"))) << option;
    }
  }
}

TEST_F(Manual, PagesAreWellFormed) {
  if (!is_there("mandoc")) GTEST_SKIP() << "no mandoc here";
  ASSERT_EQ(esox({"manual", "made"}).status, 0);
  EXPECT_EQ(shell("mandoc -T lint -W warning made/man1/*.1 2>&1 | grep -v 'missing date'"), "");
}

TEST_F(Manual, APageHasExamplesAndExitStatus) {
  if (!is_there("man")) GTEST_SKIP() << "no man here";
  ASSERT_EQ(esox({"manual", "made"}).status, 0);
  const std::string page = shell("MANWIDTH=400 man -l made/man1/esox-hunt.1 | col -b");
  EXPECT_THAT(page,
              AllOf(HasSubstr("Examples:"), HasSubstr("esox hunt my.yaml --engine Aria"),
                    HasSubstr("Exit status:"), HasSubstr("--isolation auto|snapshot|restart")));
  EXPECT_THAT(shell("man -l made/man1/esox.1 | col -b"), Not(HasSubstr("esox-manual")));
  EXPECT_EQ(shell("grep -L 'Exit status:' made/man1/*"), "");
}

// Down to the parts of commands, by what the help itself lists.
TEST_F(Manual, HelpSaysOfEachOptionWhatItsValueIs) {
  std::vector<std::vector<std::string>> commands = {{}};
  size_t options = 0;
  for (size_t i = 0; i < commands.size(); ++i) {
    std::vector<std::string> line = commands[i];
    std::istringstream help(whole_help(line));
    bool listed = false;
    for (std::string text; std::getline(help, text);) {
      listed = text == "Subcommands:" || (listed && !text.empty());
      std::smatch name;
      if (listed && std::regex_search(text, name, std::regex("^  ([a-z]+) "))) {
        commands.push_back(commands[i]);
        commands.back().push_back(name[1]);
      }
      if (!text.starts_with("  -")) continue;
      ++options;
      EXPECT_THAT(text, Not(testing::ContainsRegex("TEXT|INT:|FLOAT|Excludes|Needs"))) << line[0];
    }
  }
  EXPECT_GT(commands.size(), 30u);
  EXPECT_GT(options, 150u);
}

TEST_F(Manual, WrittenAgainIsTheSame) {
  ASSERT_EQ(esox({"manual", "first"}).status, 0);
  ASSERT_EQ(esox({"manual", "second"}).status, 0);
  EXPECT_EQ(shell("diff -r first second"), "");
}

TEST_F(Manual, IsRefusedInAFolderThatCannotBeMade) {
  write("file", "");
  const Said said = esox({"manual", "file/below"});
  EXPECT_EQ(said.status, 2);
  EXPECT_THAT(said.err, HasSubstr("cannot make the folder file/below/man1"));
}

TEST_F(Manual, BashCompletesCommandsPartsOptionsAndChoices) {
  EXPECT_THAT(completed("esox h"), UnorderedElementsAre("hunt"));
  EXPECT_THAT(completed("esox triage \"\""), IsSupersetOf({"list", "show", "mark"}));
  EXPECT_THAT(completed("esox hunt --iso"), UnorderedElementsAre("--isolation"));
  const Words isolations = {"auto", "snapshot", "restart"};
  EXPECT_EQ(completed("esox hunt --isolation \"\""), isolations);
  EXPECT_EQ(completed("esox hunt --isolation = \"\""), isolations);
  EXPECT_EQ(completed("esox hunt --isolation ="), isolations);
  EXPECT_THAT(completed("esox triage list --state c"), UnorderedElementsAre("confirmed"));
  EXPECT_THAT(completed("esox completion \"\""), UnorderedElementsAre("bash", "zsh"));
  EXPECT_THAT(completed("esox hunt --jobs \"\""), IsEmpty());
  EXPECT_THAT(completed("esox nonsense --x \"\""), Not(IsEmpty()));
}

TEST_F(Manual, BashCompletesFilesFoldersAndFindings) {
  fs::create_directories(folder() / "esox-out/one/findings/0123456789abcdef");
  fs::create_directories(folder() / "two words");
  write("mine.yaml", "");
  EXPECT_THAT(completed("esox run m"), UnorderedElementsAre("mine.yaml"));
  EXPECT_THAT(completed("esox run tw"), UnorderedElementsAre("two words"));
  EXPECT_THAT(completed("esox report \"\""), UnorderedElementsAre("esox-out", "two words"));
  EXPECT_THAT(completed("esox replay \"\""), Contains("esox-out/one/findings/0123456789abcdef"));
  EXPECT_THAT(completed("esox replay esox-out/o"),
              Contains("esox-out/one/findings/0123456789abcdef"));
  EXPECT_THAT(completed("esox filters test mine.yaml esox-out/"),
              Contains("esox-out/one/findings/0123456789abcdef"));
  EXPECT_THAT(completed("esox exec -- mkd"), Contains("mkdir"));
  EXPECT_THAT(completed("esox exec -- mkdir m"), UnorderedElementsAre("mine.yaml"));
}

TEST_F(Manual, IdsOfFindingsAreThoseOfTheStoreThatTriageUses) {
  EXPECT_THAT(completed("esox triage show \"\""), IsEmpty());
  fs::create_directories(folder() / "esox-out");
  write("esox-out/findings.db", "no store");
  EXPECT_EQ(shell("esox complete-words -- triage show '' 2>&1"), "none\n");
}

TEST_F(Manual, WhatTheScriptsAskIsHidden) {
  EXPECT_THAT(esox({"--help"}).out, Not(HasSubstr("complete-words")));
  EXPECT_THAT(completed("esox comp"), UnorderedElementsAre("completion"));
}

// Lines are typed into an interactive zsh, with a tab behind each; a key of ours keeps what has
// become of the line.
TEST_F(Manual, ZshCompletesCommandsOptionsAndChoices) {
  if (!is_there("zsh")) GTEST_SKIP() << "no zsh here";
  ASSERT_EQ(esox({"manual", "made"}).status, 0);
  fs::create_directories(folder() / "out/findings/0123456789abcdef");
  write("mine.yaml", "");
  write("type.zsh", R"zsh(
zmodload zsh/zpty
zpty it "TERM=vt100 zsh -f -i"
zpty -w it "fpath=(${(q)PWD}/made "'$fpath); autoload -Uz compinit; compinit -u -D
keep() { print -r -- "$BUFFER" >>typed; BUFFER= }; zle -N keep
bindkey "^T" keep; bindkey "^I" complete-word'
for line in "$@"; do
  zpty -n -w it "$line"$'\t\x14'
done
for ((i = 0; i < 600; ++i)); do
  [[ -f typed ]] && (( $(wc -l <typed) == $# )) && break
  sleep 0.1
  zpty -r -t it discarded
done
cat typed
zpty -d it
)zsh");
  const std::string said = shell(
      "zsh -f type.zsh 'esox hu' 'esox hunt --isol' 'esox hunt --isolation=sn' "
      "'esox triage mar' 'esox run min' 'esox replay out/findings/0' 'esox exec -- mkd'");
  EXPECT_EQ(lines_of(said),
            (Words{"esox hunt ", "esox hunt --isolation=", "esox hunt --isolation=snapshot ",
                   "esox triage mark ", "esox run mine.yaml ",
                   "esox replay out/findings/0123456789abcdef/", "esox exec -- mkdir "}));
}

TEST_F(Manual, TheVersionTellsWhatEsoxWasMadeOf) {
  const Said said = esox({"--version"});
  EXPECT_EQ(said.status, 0);
  EXPECT_THAT(lines_of(said.out).front(), testing::MatchesRegex("esox [0-9]+\\.[0-9]+\\.[0-9]+"));
  EXPECT_TRUE(
      std::regex_search(said.out, std::regex("\ncommit: +([0-9a-f]{12}(-dirty)?|unknown)\n")));
  EXPECT_TRUE(std::regex_search(said.out, std::regex("\nprotocol: +[0-9]+\n")));
  EXPECT_TRUE(std::regex_search(said.out, std::regex("MariaDB Connector/C 3\\.[0-9.]+")));
  EXPECT_TRUE(std::regex_search(said.out, std::regex("SQLite 3\\.[0-9.]+")));
  EXPECT_THAT(said.out, AllOf(StartsWith("esox "), HasSubstr("mariadb, mysql, memcached")));
}

}  // namespace
}  // namespace esox
