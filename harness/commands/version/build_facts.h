// SPDX-License-Identifier: Apache-2.0
// What this esox was made of: for `esox --version`, so that a report of a fault can name it.
// Nothing in it changes from one build of the same sources by the same tools to the next.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace esox {

struct BuildFacts {
  std::string version;     // "0.1.0"
  std::string commit;      // "c73e0271a2b3", with "-dirty" if files were changed; or "unknown"
  std::string date;        // of the commit, "2026-11-22"; empty if it is not known
  std::string compiler;    // "GCC 12.2.0, C++20"
  std::string build_type;  // "RelWithDebInfo"
  unsigned protocol = 0;   // between esox and its preload library
  std::vector<std::pair<std::string, std::string>>
      libraries;        // those in use now: "SQLite", "3.40.1"
  std::string servers;  // that it tests
};

const BuildFacts& build_facts();

// "esox 0.1.0" and a line for each fact; without an end of line behind the last.
std::string version_text();

}  // namespace esox
