// SPDX-License-Identifier: Apache-2.0
// Which servers are annotated: those whose program asks for the weak symbols of esox_summary.h.
#pragma once

#include <filesystem>

namespace esox {

// False for anything that is no program, too.
bool is_annotated(const std::filesystem::path& program);

}  // namespace esox
