// SPDX-License-Identifier: Apache-2.0
// --json[=FILE] of all commands that report: the report as JSON, for programs.
//
// To the standard output, in place of the text for people, if no file is named or it is "-"; else
// into the file, which is there whole or not at all, beside the text.
#pragma once

#include <string>
#include <vector>

#include "harness/commands/cli.h"
#include "harness/records/json_text.h"

namespace esox {

struct JsonOption {
  std::string where;  // empty: not asked for; "-": the standard output; else a file

  bool on_stdout() const { return where == "-"; }
};

// `into` must outlive the parsing of the command line.
void add_json_option(Command& command, JsonOption& into);

// Of `esox ARGUMENTS`, before they are parsed: says for each --json what its value is. A word
// behind it is its value only if it is "-" or a name that ends in ".json", or if nothing but
// another program's command line follows (`--json report -- prog`): an operand is never written
// over.
std::vector<std::string> with_json_values(std::vector<std::string> arguments);

// The report, in the form and to the place asked for. Throws OutError.
void put_report(const JsonOption& option, const std::string& text, const std::string& json);
void put_json(const JsonOption& option, const std::string& json);  // nothing if not asked for

}  // namespace esox
