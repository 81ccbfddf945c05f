// SPDX-License-Identifier: Apache-2.0
// night.json: a NightReport as JSON, for programs; replaced whole while the night goes on.
#pragma once

#include <filesystem>
#include <string>

#include "harness/night/night_report.h"

namespace esox {

std::string night_json(const NightReport& night);

// What an earlier sitting of the same night had told there of its legs, and what is missing. A file
// that is not there, or damaged, tells nothing.
void recall_night(NightReport& night, const std::filesystem::path& file);

}  // namespace esox
