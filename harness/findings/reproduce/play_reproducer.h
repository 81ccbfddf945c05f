// SPDX-License-Identifier: Apache-2.0
// The reproducer beside a finding (reproduce.json), played on any plain server: the quickest answer
// to whether that server has the finding, where it is yes. That it does not violate says nothing:
// a place may have moved.
#pragma once

#include <atomic>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>

#include "analysis/finding.h"
#include "harness/records/reproducer_record.h"

namespace esox {

// So many that what comes in each is surely seen.
unsigned rounds_wanted(const Finding& finding);

// By which this plain server is started for the finding.
std::vector<std::string> plain_options(const Finding& finding, const FindingServer& server);

// As reproduce.py tells it by --json.
PlayedRounds played_rounds(const nlohmann::json& result);

// Nothing: there is no reproducer. What keeps it from being played is told as why there are no
// rounds.
std::optional<PlayedRounds> play_reproducer(const std::filesystem::path& finding_file,
                                            const Finding& finding, const FindingServer& server,
                                            const std::atomic<bool>& stop);

}  // namespace esox
