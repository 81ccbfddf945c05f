// SPDX-License-Identifier: Apache-2.0
// Where the program of a server may be.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/process/find_program.h"

namespace esox {

struct ProgramPlaces {
  std::vector<std::string> names;         // {"mariadbd", "mysqld"}; the first is told in messages
  std::string path;                       // folders after $PATH, separated by ':'
  std::vector<std::string> tree_folders;  // of a build tree, an installation, an unpacked package
  std::string remedy;                     // "install it (Debian: ...) or give its path"
};

// `wanted`: a path, or a name in $PATH; empty: one of the names.
inline ProgramSearch search_for(std::string wanted, ProgramPlaces places) {
  return {std::move(wanted), std::move(places.names), std::move(places.path),
          std::move(places.remedy)};
}

}  // namespace esox
