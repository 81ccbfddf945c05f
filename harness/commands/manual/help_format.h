// SPDX-License-Identifier: Apache-2.0
// What --help shows of an option behind its name: "--budget TIME=60s", "--learn auto|on|off=auto",
// "--jobs NUMBER (1 - 64)". CLI11 would say TEXT of nearly all, and add a line of all that an
// option does not go with; manual pages tell that in a sentence, and so does the error.
#pragma once

#include <CLI/CLI.hpp>

namespace esox {

class HelpFormatter : public CLI::Formatter {
 public:
  std::string make_option_opts(const CLI::Option* option) const override;
};

// Once all commands are defined. Gives each option of any of them, whose definition does not say so
// itself, the name of its value.
void name_values(CLI::App& app);

}  // namespace esox
