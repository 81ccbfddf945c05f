// SPDX-License-Identifier: Apache-2.0
// Reading a hunt file (docs/nights.md has its keys): every error names file, line and remedy.
//
// What is read is checked as far as no server is needed: paths of inputs, rules and the like exist,
// names are known. Whether the servers are there is looked at when they are wanted
// (server_place.h): tonight's build may be missing, and the night goes on with the others.
#pragma once

#include <filesystem>
#include <string_view>

#include "harness/nights/hunt_file/hunt_file.h"
#include "targets/target.h"

namespace esox {

inline constexpr size_t kMostNightServers = 16;
inline constexpr size_t kMostNightCorpora = 16;
inline constexpr size_t kMostNightStrategies = 8;
inline constexpr size_t kMostNightStages = 256;

// Both throw InputError.
HuntFile read_hunt_file(const std::filesystem::path& file);
// Relative paths count from the folder of `file`.
HuntFile parse_hunt_file(std::string_view yaml, const std::filesystem::path& file);

// What `esox init` writes into `file`: it works at once, and its comments name what else there is.
std::string starter_hunt_file(const Target& target, const std::string& file);

}  // namespace esox
