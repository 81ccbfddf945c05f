// SPDX-License-Identifier: Apache-2.0
#include "harness/commands/cli.h"

#include <gtest/gtest.h>

#include <CLI/CLI.hpp>

namespace esox {
namespace {

// A root with one command, which bakes.
class CliTest : public testing::Test {
 protected:
  CliTest() {
    Command* bake = root_.add_subcommand("bake", "make bread");
    bake->add_option("LOAVES", loaves_, "how many")->required()->check(within(1u, 9u));
    Option* heat = bake->add_option("--heat", heat_, "how hot")->check(one_of({"low", "high"}));
    bake->add_flag("--raw", raw_, "not at all")->excludes(heat);
    Option* with = bake->add_option("--with", with_, "what is in it; may be repeated");
    with->allow_extra_args(false);
    bake->add_option("--sort", sort_, "of what is in it")->needs(with);
    bake->callback([this] { ++baked_; });
    bake->require_subcommand(0, 1);
    bake->add_subcommand("twice", "rusks");
    bake_ = bake;
  }
  // Empty, or why the line is wrong.
  std::string parse(std::vector<std::string> words) {
    try {
      root_.app().parse(std::vector<std::string>(
          words.rbegin(), words.rend()));  // as CLI11 wants them: from the last
    } catch (const CLI::ParseError& error) {
      return error.what();
    }
    return "";
  }

  Command root_;
  Command* bake_ = nullptr;
  unsigned loaves_ = 0;
  std::string heat_, sort_;
  bool raw_ = false;
  std::vector<std::string> with_;
  int baked_ = 0;
};

TEST_F(CliTest, ALineSetsTheVariablesAndCallsItsCommand) {
  ASSERT_EQ(parse({"bake", "--with", "rye", "--with", "salt", "3", "--heat", "low", "--sort", "a"}),
            "");
  EXPECT_EQ(loaves_, 3u);
  EXPECT_EQ(heat_, "low");
  EXPECT_EQ(with_, (std::vector<std::string>{"rye", "salt"}));
  EXPECT_EQ(baked_, 1);
  EXPECT_FALSE(bake_->has_parsed_subcommand());
}

TEST_F(CliTest, WhatIsNotAllowedIsSaid) {
  EXPECT_NE(parse({"bake"}), "");
  EXPECT_NE(parse({"bake", "10"}), "");
  EXPECT_NE(parse({"bake", "3", "--heat", "middling"}), "");
  EXPECT_NE(parse({"bake", "3", "--heat", "low", "--raw"}), "");
  EXPECT_NE(parse({"bake", "3", "--sort", "a"}), "");
  EXPECT_EQ(baked_, 0);
}

TEST_F(CliTest, ACommandKnowsItsOptionsAndWhetherAPartOfItWasNamed) {
  ASSERT_EQ(parse({"bake", "3", "twice"}), "");
  EXPECT_TRUE(bake_->has_parsed_subcommand());
  std::vector<std::string> names;
  for (const Option* option : bake_->get_options()) names.push_back(option->get_name());
  EXPECT_EQ(names, (std::vector<std::string>{"LOAVES", "--heat", "--raw", "--with", "--sort"}));
}

}  // namespace
}  // namespace esox
