// SPDX-License-Identifier: Apache-2.0
// night.json: a NightReport (night_report.h) as JSON, and back.
//
// Fields that a file of an earlier version lacks keep their defaults; a field of a wrong kind, or a
// file that is cut off, is an error.
#pragma once

#include <filesystem>
#include <string>

#include "harness/night/night_report.h"

namespace esox {

inline constexpr const char* kNightFile = "night.json";

// Bytes that are no UTF-8 are replaced.
std::string night_report_json(const NightReport& report);

// `file` is the name used in messages. Throws ReportError.
NightReport night_report_of(const std::string& json, const std::string& file);

// NIGHT/night.json. Throws ReportError.
NightReport read_night_report(const std::filesystem::path& night);

}  // namespace esox
