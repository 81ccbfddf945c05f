// SPDX-License-Identifier: Apache-2.0
// Where libesox_preload.so is.
#pragma once

#include <filesystem>

namespace esox {

// `wanted` if given; else beside the esox executable, in ../lib/esox from there, or in preload/
// beside it, where a build puts it. Throws UsageError with the remedy.
std::filesystem::path find_preload(const std::filesystem::path& wanted);

}  // namespace esox
