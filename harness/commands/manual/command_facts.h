// SPDX-License-Identifier: Apache-2.0
// What a command's definition says of it: the one source of its help, its manual page and its
// completion.
//
// Commands are defined once, to CLI11, in harness/commands; everything else that tells of them is
// made of their definitions. A new command or option appears everywhere by being defined.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace esox {

// Plain data.
struct OptionFacts {
  std::vector<std::string> names;  // "-h", "--help"; of an operand its one name: "INPUT"
  bool operand = false;
  bool required = false;
  bool several = false;              // it may be given more than once, or takes a list
  std::string value;                 // "FOLDER"; empty: it takes none
  bool value_optional = false;       // given by "=": "--json", "--json=FILE"
  std::vector<std::string> choices;  // empty: any
  std::string range;                 // "1 - 64"; empty: any
  std::string preset;                // what it is if it is not given; empty: see the description
  std::string description;

  // " FOLDER", "[=FILE]": what stands behind its name; empty: nothing.
  std::string value_text() const;
};

OptionFacts option_facts(const CLI::Option& option);

// Of a command, in the order of the definition; hidden ones are left out. Operands are among the
// options.
std::vector<OptionFacts> options_of(const CLI::App& command);
std::vector<const CLI::App*> subcommands_of(const CLI::App& command);

}  // namespace esox
