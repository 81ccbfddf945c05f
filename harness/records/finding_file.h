// SPDX-License-Identifier: Apache-2.0
// finding.yaml on the disk (its text: analysis/finding.h). Both throw FindingError.
#pragma once

#include <filesystem>

#include "analysis/finding.h"

namespace esox {

inline constexpr uint64_t kMaxFindingBytes = 256u << 20;

// Writes beside `path` and renames: there is either the old file or the whole new one.
void write_finding(const Finding& finding, const std::filesystem::path& path);

Finding read_finding(const std::filesystem::path& path);

}  // namespace esox
