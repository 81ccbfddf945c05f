// SPDX-License-Identifier: Apache-2.0
// Plugins of the server's own distribution that let it tell more of its state. They are loaded when
// it boots, where they are installed beside it; nothing is ever installed into a running server.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace esox {

// An option for each that there is, for this program started with these options.
std::vector<std::string> plugin_options(const std::filesystem::path& program,
                                        const std::vector<std::string>& options);

// What the state summary goes without, one line; empty if nothing. Where the plugin is not beside
// the program, the program itself is asked whether it is part of it. Throws ServerError.
std::string missing_plugins(const std::filesystem::path& program,
                            const std::vector<std::string>& options);

}  // namespace esox
