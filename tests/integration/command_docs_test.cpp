// SPDX-License-Identifier: Apache-2.0
// Pages of docs/ do what they say: their files are written, their commands run in their order, and
// what they show of the output is there, but for figures.
#include <algorithm>
#include <fstream>
#include <iomanip>
#include <regex>
#include <sstream>

#include "tests/integration/command_fixture.h"
#include "tests/unit/docs/page.h"

namespace esox {
namespace {

namespace fs = std::filesystem;

// Numbers differ from machine to machine: how often each outcome came, seeds, the ids of findings.
std::string without_figures(const std::string& text) {
  return std::regex_replace(text, std::regex(" *[0-9a-f]*[0-9][0-9a-f]*"), " N");
}

class DocsCommand : public CommandTest {
 protected:
  void write_file(const Block& block) {
    std::smatch name;
    ASSERT_TRUE(std::regex_search(block.line_before, name, std::regex("`([a-z.]+)`")))
        << block.line_before;
    std::string text;
    for (const std::string& line : block.lines) text += line + "\n";
    write(name[1], text);
  }

  void run(const std::string& line) {
    std::istringstream words(line);
    std::vector<std::string> arguments;
    for (std::string word; words >> std::quoted(word);) arguments.push_back(word);
    ASSERT_EQ(arguments.front(), "esox");
    arguments.erase(arguments.begin());
    for (std::string& argument : arguments) argument = with_our_finding(argument);
    said_ = esox(arguments);
    ASSERT_THAT(said_.status, testing::AnyOf(0, 1)) << line << "\n" << said_.err;
  }

  // The page's finding has its name, on another version of the server ours has another one.
  std::string with_our_finding(const std::string& argument) {
    static const std::regex kId("(out/findings/)?([0-9a-f]{16})");
    std::smatch parts;
    if (!std::regex_match(argument, parts, kId)) return argument;
    const auto found = findings_in(folder() / "out");
    if (found.empty() || fs::exists(folder() / "out/findings" / parts[2].str())) return argument;
    const fs::path& first = found.front();
    return parts[1].matched ? first.string() : first.filename().string();
  }

  // Gives the number of commands.
  size_t follow(const std::string& page) {
    size_t commands = 0;
    for (const Block& block : blocks_of(read(fs::path(ESOX_DOCS) / page))) {
      if (block.language == "sh") {
        run_all(block);
        commands += block.lines.size();
      } else if (block.language.empty()) {
        expect_output(block);
      } else {
        write_file(block);
      }
      if (HasFatalFailure()) break;
    }
    return commands;
  }

  void expect_output(const Block& block) {
    const std::string out = without_figures(said_out_ + said_.out);
    for (const std::string& line : block.lines) {
      EXPECT_THAT(out, testing::HasSubstr(without_figures(line)));
    }
  }

  void run_all(const Block& block) {
    said_out_.clear();
    for (const std::string& line : block.lines) {
      run(line);
      if (HasFatalFailure()) return;
      said_out_ += said_.out;
    }
  }

  Said said_;
  std::string said_out_;  // of all commands of the last block
};

TEST_F(DocsCommand, TheFirstInputDoesWhatItsPageSays) {
  EXPECT_EQ(follow("first-input.md"), 5u);
}

TEST_F(DocsCommand, TheTutorialDoesWhatItsPageSays) {
  if (esox({"doctor"}).out.find("(10.11.") == std::string::npos) {
    GTEST_SKIP() << "the page shows what MariaDB 10.11 gives, and this machine has another release";
  }
  fs::create_directory_symlink(fs::path(ESOX_DOCS).parent_path() / "inputs", folder() / "inputs");
  EXPECT_EQ(follow("tutorial.md"), 8u);
}

TEST_F(DocsCommand, WhatIsAddedWithoutABuildDoesWhatItsPageSays) {
  EXPECT_EQ(follow("extending.md"), 2u);
}

}  // namespace
}  // namespace esox
