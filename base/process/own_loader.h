// SPDX-License-Identifier: Apache-2.0
// Programs of another release of the system, unpacked into a folder of their own (a root): they
// need that root's C library and loader, not the machine's, and no chroot for it.
//
// A program belongs to a root if a folder above it has the loader that the program names as its
// interpreter. The machine's own root is none. Where the machine's C library is the newer one, its
// loader runs the program, for a preload built here needs what is here: a C library runs programs
// that were built against an older one. The root's own libraries then come after the machine's.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace esox {

struct Launch {
  std::filesystem::path executable;    // what exec gets
  std::vector<std::string> arguments;  // before the program's own, the program's path among them
  std::filesystem::path root;          // empty: the machine's

  // All that exec gets, with the program's own arguments.
  std::vector<std::string> words(const std::vector<std::string>& own = {}) const;
};

// How the program is run. Never throws: what is no program is run as it is, and fails as such.
Launch launch_of(const std::filesystem::path& program);

}  // namespace esox
