// SPDX-License-Identifier: Apache-2.0
// A command's manual page, in the language of man(7): its name, and all that its help says.
//
// esox(1) lists the commands; each command has a page of its own, with its parts as sections.
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace esox {

struct PageHead {
  std::string version;  // "esox 0.1.0"
  std::string date;     // "2026-11-22"; empty: not known
};

// "esox-hunt"
std::string page_name(const CLI::App& command);

// `command` is esox itself or one of its commands; all other pages are named at the end.
std::string manual_page(const CLI::App& command, const PageHead& head);

}  // namespace esox
