// SPDX-License-Identifier: Apache-2.0
// Plugins of the server's own distribution that let it tell more of its state. They are loaded when
// it boots, where they are installed beside it; nothing is ever installed into a running server.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "targets/mysqld/release.h"

namespace esox {

// An option for each that there is, for this program started with these options.
std::vector<std::string> plugin_options(const std::filesystem::path& program,
                                        const std::vector<std::string>& options);

// What the state summary goes without, one line; empty if nothing. Where the plugin is not beside
// the program, it may be part of it.
std::string missing_plugins(const std::filesystem::path& program, const Release& release,
                            const std::vector<std::string>& options);

}  // namespace esox
