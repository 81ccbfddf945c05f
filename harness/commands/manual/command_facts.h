// SPDX-License-Identifier: Apache-2.0
// What a command's definition says of it: the one source of its manual page and of its completion.
//
// Commands are defined once, to CLI11, in harness/commands; everything else that tells of them is
// made of these facts. A new command or option appears everywhere by being defined.
//
// Plain data.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace esox {

struct OptionFacts {
  std::vector<std::string> names;  // "-h", "--help"; of an operand its one name: "INPUT"
  bool operand = false;
  bool required = false;
  bool several = false;                // it may be given more than once, or takes a list
  std::string value;                   // "FOLDER"; empty: it takes none
  bool value_optional = false;         // given by "=": "--json", "--json=FILE"
  std::vector<std::string> choices;    // empty: any
  std::string range;                   // "1 - 64"; empty: any
  std::string preset;                  // what it is if it is not given; empty: see the description
  std::vector<std::string> needs;      // others that have to be given with it
  std::vector<std::string> not_with;   // if these are few;
  std::vector<std::string> only_with;  // if not, these are
  std::string description;

  const std::string& longest_name() const { return names.back(); }
  // " FOLDER", "[=FILE]": what stands behind its name; empty: nothing.
  std::string value_text() const;
};

struct CommandFacts {
  std::string path;  // "esox triage list"
  std::string name;  // "list"
  std::string description;
  std::string footer;
  std::vector<OptionFacts> options;  // operands among them, in the order of the definition
  std::vector<CommandFacts> parts;   // its subcommands, in that order; hidden ones left out

  // "esox-triage-list"
  std::string page_name() const;
};

CommandFacts command_facts(const CLI::App& app);

// Without what it needs and excludes.
OptionFacts value_facts(const CLI::Option& option);

}  // namespace esox
