// SPDX-License-Identifier: Apache-2.0
// night.json read back.
//
// Fields that a file of an earlier version lacks keep their defaults; a field of a wrong kind, or a
// file that is cut off, is an error.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "harness/nights/night/night_report.h"

namespace esox {

inline constexpr const char* kNightFile = "night.json";

// `file` is the name used in messages. Throws ReportError.
NightReport night_from_json(const std::string& text, const std::string& file);

// NIGHT/night.json. Throws ReportError.
NightReport read_night(const std::filesystem::path& night);

// What an earlier launch of the same night had told there of its stages, and what is missing. A
// file that is not there, or damaged, tells nothing.
void recall_night(NightReport& night, const std::filesystem::path& file);

// The nights of a hunt file's OUT, or of OUT/nights, by their ids, the oldest first: folders that
// hold a night.json.
std::vector<std::filesystem::path> night_folders(const std::filesystem::path& out);

}  // namespace esox
