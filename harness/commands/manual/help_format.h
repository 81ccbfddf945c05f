// SPDX-License-Identifier: Apache-2.0
// What --help shows, on lines of at most 100 columns. Behind an option's name: "--budget TIME=60s",
// "--learn auto|on|off=auto", "--jobs NUMBER (1 - 64)". CLI11 would say TEXT of nearly all, and add
// a line of all that an option does not go with, which the error tells when it matters.
//
// A command of many options has a --help of one screen: the common ones, and the examples. Its
// --help-all has all of it, and so has its manual page.
#pragma once

#include <set>
#include <string>

namespace CLI {
class App;
}

namespace esox {

// Of all commands added afterwards, too.
void format_help(CLI::App& root);

// Once all of its options are defined: --help shows these alone, by their names; --help-all is
// added.
void shorten_help(CLI::App& command, const std::set<std::string>& common);

// Once all commands are defined. Gives each option of any of them, whose definition does not say so
// itself, the name of its value.
void name_values(CLI::App& app);

}  // namespace esox
