// SPDX-License-Identifier: Apache-2.0
// A command's manual page, in the language of man(7), made of what its definition says.
//
// esox(1) lists the commands; each command has a page of its own, with its parts as sections.
#pragma once

#include <string>

#include "harness/commands/manual/command_facts.h"

namespace esox {

extern const char* const kPageTemplate;  // templates/page.roff, compiled in

struct PageHead {
  std::string version;  // "esox 0.1.0"
  std::string date;     // "2026-11-22"; empty: not known
};

// The page of `command`; `all` is esox itself, whose other pages are named at the end and whose
// exit statuses are those of a command that does not tell its own.
std::string manual_page(const CommandFacts& command, const CommandFacts& all, const PageHead& head);

}  // namespace esox
