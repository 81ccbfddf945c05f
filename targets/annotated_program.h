// SPDX-License-Identifier: Apache-2.0
// Which servers are annotated: those whose program asks for the weak symbols of esox_summary.h.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace esox {

// False for anything that is no program, too.
bool is_annotated(const std::filesystem::path& program);

// What an annotated server's process gets so that it records; nothing for others. Throws
// ServerError (libesox_summary.so is not there).
std::vector<std::string> annotation_environment(const std::filesystem::path& program,
                                                const std::filesystem::path& preload_library);

}  // namespace esox
