// SPDX-License-Identifier: Apache-2.0
// Finding a server's program, and asking it its version.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace esox {

struct ProgramSearch {
  std::string wanted;              // a path, or a name in $PATH; empty: one of `names`
  std::vector<std::string> names;  // the first is named in messages
  std::string folders;             // after $PATH, separated by ':'
  std::string remedy;              // "install it (Debian: ...) or give its path"
};

// Throws ServerError with the remedy.
std::filesystem::path find_program(const ProgramSearch& search);

// The last line that the program prints when run with these arguments; also the first proof that it
// runs on this machine. `kind`: "a MariaDB server". Throws ServerError.
std::string ask_version(const std::filesystem::path& program,
                        const std::vector<std::string>& arguments, const std::string& kind,
                        const std::filesystem::path& base);

}  // namespace esox
