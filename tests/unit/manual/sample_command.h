// SPDX-License-Identifier: Apache-2.0
// A small command with one of each: what a page and a completion are made of.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace esox {

struct SampleCommand {
  SampleCommand() {
    app.footer("\nExamples:\n  tool cook\n\nExit status: 0 good, 1 bad.");
    cook = app.add_subcommand("cook", "make a meal");
    cook->add_option("MEAL", meals, "what to make")->required();
    cook->add_option("--heat", heat, "how hot")
        ->capture_default_str()
        ->check(CLI::IsMember({"low", "high"}));
    cook->add_option("-m,--minutes", minutes, "how long")->check(CLI::Range(1, 90));
    CLI::Option* salt = cook->add_option("--salt", text, "a file of salts")->type_name("FILE");
    cook->add_flag("--plain", plain, "none of it")->excludes(salt);
    cook->add_option("--into", text, "where to")->type_name("FOLDER")->needs(salt);
    cook->footer(
        "\nMeals are\nmade in order.\n\nExamples:\n  tool cook soup   'it''s'\n"
        "  .dot --heat low\n\nExit status: 0 done (or 2 of 3), 2 wrong use.");
    store = app.add_subcommand("store", "what is kept");
    store->require_subcommand(1);
    store->footer("\nExit status: 0 kept.");
    list = store->add_subcommand("list", "all that is kept");
    list->add_option("FINDING", text, "one");
    app.add_subcommand("secret", "nobody is told")->group("");
  }

  CLI::App app{"Cooks what it is told.", "tool"};
  CLI::App* cook = nullptr;
  CLI::App* store = nullptr;
  CLI::App* list = nullptr;
  std::vector<std::string> meals;
  std::string heat = "low";
  std::string text;
  int minutes = 0;
  bool plain = false;
};

}  // namespace esox
