// SPDX-License-Identifier: Apache-2.0
// Where the inputs that come with esox are.
#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

namespace esox {

// The folder of a server's shipped inputs ("mariadb"): beside an installed esox
// (PREFIX/bin/esox -> PREFIX/share/esox/inputs), else in the source tree it was built from.
// Throws InputError if it is in neither.
std::filesystem::path shipped_folder(std::string_view server = "mariadb");

// What `esox hunt` hunts when no input is named: files and folders for read_inputs.
std::vector<std::filesystem::path> shipped_inputs(std::string_view server = "mariadb");

// Inputs in which nothing must ever be found.
std::filesystem::path shipped_negative_controls(std::string_view server = "mariadb");

}  // namespace esox
