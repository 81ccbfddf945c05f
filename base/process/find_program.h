// SPDX-License-Identifier: Apache-2.0
// Finding a server's program, and asking it its version.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace esox {

struct ProgramSearch {
  std::string wanted;              // a path, its folder, or a name in $PATH; empty: one of `names`
  std::vector<std::string> names;  // the first is named in messages
  std::string folders;             // after $PATH, separated by ':'
  std::string remedy;              // "install it (Debian: ...) or give its path"
  // Where it is in a folder that is wanted: a build, an installation, an unpacked package.
  std::vector<std::string> tree_folders = {""};
};

// The first program in the first of the tree's folders ("": itself) that has one of these names;
// empty: there is none.
std::filesystem::path find_in_tree(const std::filesystem::path& tree,
                                   const std::vector<std::string>& folders,
                                   const std::vector<std::string>& names);

// Throws ServerError with the remedy.
std::filesystem::path find_program(const ProgramSearch& search);

// One that a package of Debian brings, in $PATH or where the system has its own. Throws
// ServerError.
std::string find_packaged(const std::string& name, const std::string& package);

struct Said {
  std::string text;
  std::string ending;  // "exit status 1", "still running after 20 s"
};

// All that the program prints when run with these arguments, its errors among it; at most 4 MiB. By
// a pipe: also where no file can be written.
Said ask_program(const std::filesystem::path& program, const std::vector<std::string>& arguments,
                 const std::filesystem::path& folder);

// The last line that the program prints when run with these arguments; also the first proof that it
// runs on this machine. `kind`: "a MariaDB server". Throws ServerError.
std::string ask_version(const std::filesystem::path& program,
                        const std::vector<std::string>& arguments, const std::string& kind,
                        const std::filesystem::path& base);

}  // namespace esox
