// SPDX-License-Identifier: Apache-2.0
// hunt.json read back (its fields: harness/records/report.h).
//
// Fields that a file of an earlier version lacks keep their defaults; a field of a wrong kind, or a
// file that is cut off, is an error.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "harness/records/report.h"

namespace esox {

inline constexpr uint64_t kMaxHuntBytes = uint64_t{512} << 20;

// `file` is the name used in messages. Throws ReportError.
HuntReport hunt_from_json(const std::string& text, const std::string& file);

// OUT/hunt.json. Throws ReportError.
HuntReport read_hunt(const std::filesystem::path& out);

// A whole file of at most `limit` bytes. Throws ReportError.
std::string read_report_file(const std::filesystem::path& path, uint64_t limit);

}  // namespace esox
