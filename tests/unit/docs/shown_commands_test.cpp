// SPDX-License-Identifier: Apache-2.0
// Every call of esox that a page shows is one that esox takes: its command is there, its options
// are, with a value or without one. The commands' own definitions parse it; nothing is run.
//
// Lines to type have to be whole. What running text mentions may leave operands out: `esox triage
// list`, `esox hunt --learn on`.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <regex>
#include <sstream>

#include "harness/commands/command.h"
#include "harness/commands/manual/command_facts.h"
#include "tests/unit/docs/page.h"

namespace esox {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

using Words = std::vector<std::string>;

enum class Shown { kTyped, kMentioned };

bool is_incomplete(const CLI::ParseError& error) {
  return dynamic_cast<const CLI::RequiredError*>(&error) != nullptr ||
         dynamic_cast<const CLI::RequiresError*>(&error) != nullptr;
}

// Empty if esox takes these arguments.
std::string fault_of(const Words& arguments, Shown shown) {
  Command root;
  Chosen chosen;
  define_command_line(root, chosen);
  CLI::App& app = root.app();
  try {
    app.parse(Words(arguments.rbegin(), arguments.rend()));  // as CLI11 wants them: from the last
  } catch (const CLI::Success&) {
    return "";  // --help, --version
  } catch (const CLI::ParseError& error) {
    const Words unknown = app.remaining(true);  // CLI11 may have missed something else before
    if (!unknown.empty()) return fmt::format("esox does not know {}", fmt::join(unknown, " "));
    if (shown == Shown::kTyped || !is_incomplete(error)) return error.what();
  }
  return "";
}

// What esox says, not what is typed.
const std::vector<std::string> kMessages = {"esox needs a kernel with pidfd_open (5.3 or later)"};

// Not so a quoted message, "... or install esox again".
bool begins_with_call(const std::string& text) {
  if (std::find(kMessages.begin(), kMessages.end(), text) != kMessages.end()) return false;
  static const std::regex kCall("([^ ]*/)?esox (--)?[a-z].*");
  return std::regex_match(text, kCall);
}

class Faults {
 public:
  explicit Faults(std::string page) : page_(std::move(page)) {}

  void look_at(const ShownText& text, Shown shown) {
    for (const Words& arguments : esox_calls(text.text)) {
      ++calls;
      const std::string fault = fault_of(arguments, shown);
      if (!fault.empty()) add(text.line, fault);
    }
  }
  // An explanation without '#' is taken for arguments by whoever copies the line.
  void look_for_columns(const ShownText& text) {
    if (text.text.find("   ") != std::string::npos) add(text.line, "explanations begin with '#'");
  }
  // Only what is to be typed is looked at, so that no command may stand anywhere else.
  void look_for_strays(const Block& block) {
    for (size_t i = 0; i < block.lines.size(); ++i) {
      const std::string& line = block.lines[i];
      if (!begins_with_call(line) || !is_command(esox_calls(line).front().front())) continue;
      add(block.first_line + i, "a command outside a block of 'sh', without '$'");
    }
  }

  size_t calls = 0;
  Words all;

 private:
  static bool is_command(const std::string& word) {
    Command root;
    Chosen chosen;
    define_command_line(root, chosen);
    const std::vector<const CLI::App*> commands = subcommands_of(root.app());
    return std::any_of(commands.begin(), commands.end(),
                       [&](const CLI::App* command) { return command->get_name() == word; });
  }
  void add(size_t line, const std::string& fault) {
    all.push_back(fmt::format("{}:{}: {}", page_, line, fault));
  }

  std::string page_;
};

Faults faults_of(const std::string& name, const std::string& page) {
  Faults faults(name);
  for (const Block& block : blocks_of(page)) {
    if (block.language.empty()) faults.look_for_strays(block);
    for (const ShownText& line : typed_lines(block)) {
      faults.look_at(line, Shown::kTyped);
      faults.look_for_columns(line);
    }
  }
  for (const ShownText& text : quoted_texts(page)) {
    if (begins_with_call(text.text)) faults.look_at(text, Shown::kMentioned);
  }
  return faults;
}

Words faults_in(const std::string& page) {
  return faults_of("sample.md", page).all;
}

TEST(ShownCommands, OfEveryPageAreTakenByEsox) {
  size_t calls = 0;
  for (const auto& [name, page] : all_pages(ESOX_SOURCES)) {
    const Faults faults = faults_of(name, page);
    EXPECT_THAT(faults.all, IsEmpty());
    calls += faults.calls;
  }
  EXPECT_GE(calls, 150u);
}

// The lines of a help's footer that are typed: indented by two.
Words examples_in(const std::string& footer) {
  Words examples;
  std::istringstream lines(footer);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("  ")) examples.push_back(line.substr(2));
  }
  return examples;
}

// Of --help, which the manual pages have, too; there three spaces begin an explanation.
void look_at_examples(const CLI::App& command, Words& faults, size_t& calls) {
  for (const std::string& example : examples_in(command.get_footer())) {
    for (const Words& arguments : esox_calls(example.substr(0, example.find("   ")))) {
      ++calls;
      const std::string fault = fault_of(arguments, Shown::kTyped);
      if (!fault.empty()) faults.push_back(fmt::format("{}: {}", example, fault));
    }
  }
  for (const CLI::App* part : subcommands_of(command)) look_at_examples(*part, faults, calls);
}

TEST(ShownCommands, OfEveryHelpAreTakenByEsox) {
  Command root;
  Chosen chosen;
  define_command_line(root, chosen);
  Words faults;
  size_t calls = 0;
  look_at_examples(root.app(), faults, calls);
  EXPECT_THAT(faults, IsEmpty());
  EXPECT_GE(calls, 80u);
}

TEST(ShownCommands, MisspeltAreToldWithTheirPageAndLine) {
  EXPECT_THAT(faults_in("# Page\n\n```sh\nesox doctor\nesox hunt --budgett 2m\n```\n"),
              ElementsAre("sample.md:5: esox does not know --budgett"));
  EXPECT_THAT(faults_in("```sh\nesox hutn\n```\n"),
              ElementsAre("sample.md:2: esox does not know hutn"));
  EXPECT_THAT(faults_in("```\n$ esox triage lst\nnothing\n```\n"),
              ElementsAre("sample.md:2: esox does not know lst"));
}

TEST(ShownCommands, MisspeltOnAContinuedLineAreToldWithItsFirst) {
  EXPECT_THAT(faults_in("```sh\nesox hunt a \\\n    --sede 7\n```\n"),
              ElementsAre("sample.md:2: esox does not know --sede"));
}

TEST(ShownCommands, MisspeltInRunningTextAreToldEvenIfIncomplete) {
  EXPECT_THAT(faults_in("First\n\nthen `esox replay --tims\n20`, or `esox replay --times 20`.\n"),
              ElementsAre("sample.md:3: esox does not know --tims"));
}

TEST(ShownCommands, TakeAValueWhereTheOptionDoesAndOnlyThere) {
  EXPECT_THAT(faults_in("```sh\nesox hunt --budget\n```\n"),
              ElementsAre(HasSubstr("sample.md:2: --budget: ")));
  EXPECT_THAT(faults_in("```sh\nesox completion bash yes\n```\n"),
              ElementsAre("sample.md:2: esox does not know yes"));
  EXPECT_THAT(faults_in("```sh\nesox hunt --no-gate=often\n```\n"),
              ElementsAre(HasSubstr("sample.md:2: ")));
  EXPECT_THAT(faults_in("The `esox hunt --resume` goes on.\n"),
              ElementsAre(HasSubstr("sample.md:1: --resume: ")));
}

TEST(ShownCommands, ToTypeAreWholeAndOneWithTheirExplanation) {
  EXPECT_THAT(faults_in("```sh\nesox export FINDING\n```\n"), ElementsAre(HasSubstr("--to")));
  EXPECT_THAT(faults_in("```sh\nesox doctor   can this machine do it?\n```\n").back(),
              HasSubstr("explanations begin with '#'"));
}

TEST(ShownCommands, OfBlocksThatAreNotToBeTypedAreTold) {
  EXPECT_THAT(faults_in("```\nesox doctor\nesox is not there\n   esox replay F\n```\n"),
              ElementsAre(HasSubstr("sample.md:2: a command outside")));
}

TEST(ShownCommands, MayGoTogetherOnlyAsTheirDefinitionsSay) {
  EXPECT_THAT(faults_in("```sh\nesox hunt --top 5 --all\n```\n"), ElementsAre(HasSubstr("--all")));
  EXPECT_THAT(faults_in("```sh\nesox hunt --isolation snapshots\n```\n"),
              ElementsAre(HasSubstr("snapshots")));
}

}  // namespace
}  // namespace esox
