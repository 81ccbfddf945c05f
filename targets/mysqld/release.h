// SPDX-License-Identifier: Apache-2.0
// What a program of the family says of itself. Nothing is assumed of a release: it is asked, once,
// by `--no-defaults --verbose --help`, which MySQL and MariaDB of any age answer without touching
// any data: its version, its options, and the values they have if nothing is said.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>

namespace esox {

struct Release {
  std::string version_line;  // "mariadbd  Ver 10.11.14-MariaDB-0+deb12u2 for ..."
  bool is_mariadb = false;
  // Its options, without the dashes before them, and their values; "" where none is told.
  std::map<std::string, std::string, std::less<>> options;

  // Whether it knows the option: "skip-networking" also where only "networking" is listed.
  bool has(std::string_view option) const;
  // The name without the program's: "10.11.14-MariaDB-0+deb12u2".
  std::string version_name() const;
};

// The text of that help. Without a version line or options: both are empty.
Release read_release(std::string_view help);

// Asks the program. Throws ServerError, in one line, where it is nothing that can be asked: a
// script, a library, a program that refuses its options or that is of neither kind. `kind`: "a
// MySQL server".
Release ask_release(const std::filesystem::path& program, const std::string& kind,
                    const std::filesystem::path& base);

// "10.11.14-MariaDB-0+deb12u2" of a version line; else the line as it is.
std::string version_name_of(const std::string& version_line);

}  // namespace esox
