// SPDX-License-Identifier: Apache-2.0
// The command line of a private mariadbd: small, quick to boot, and unable to leave its folder.
//
// Order is what makes it safe: of a repeated option the last one counts. First come the defaults,
// which the tester may override; then the tester's options; last, and so not to be overridden,
// those that keep the server private.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace esox {

// Where one server's things are.
struct MariadbPaths {
  std::filesystem::path data;
  std::filesystem::path temporary;  // its own: a booting server removes #sql* files it finds there
  std::filesystem::path socket;
  std::filesystem::path pid_file;
};

// Throws ServerError for an option that names a path (other than where the program's own parts lie)
// or does not begin with "--": a server under test must not read or write outside its folder.
void check_options(const std::vector<std::string>& options);

// The whole command line, without the program.
std::vector<std::string> command_line(const MariadbPaths& paths,
                                      const std::vector<std::string>& options);

// The same for making the template by --bootstrap, SQL on the standard input.
std::vector<std::string> bootstrap_command_line(const MariadbPaths& paths,
                                                const std::vector<std::string>& options);

}  // namespace esox
