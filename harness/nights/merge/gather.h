// SPDX-License-Identifier: Apache-2.0
// What merged hunts found, in one place.
//
//   INTO/hunts/CAMPAIGN/hunt.json             the report of all shards (joined_report.h)
//   INTO/hunts/CAMPAIGN/findings/ID/          their findings
//   INTO/hunts/CAMPAIGN/shards/N/hunt.json    each shard's own report
//
// A hunt that was no shard is a campaign of its own, of one shard. What is there is never written
// over, and each folder appears whole or not at all; of a finding that is there already, only files
// that it lacks are added (a diagnosis, say). What an interrupted merge left is used by the next.
#pragma once

#include <filesystem>
#include <string>

#include "harness/records/report.h"

namespace esox {

inline constexpr const char* kGathered = "hunts";

enum class Gathered { kCopied, kShared };

// Copies a finding's folder; links in it are left out. Throws OutError.
Gathered gather_finding(const std::filesystem::path& from, const std::filesystem::path& to);

// The folder of a hunt's campaign in INTO.
std::filesystem::path campaign_folder(const std::filesystem::path& into,
                                      const std::string& campaign);

// Keeps a shard's report, if it came further than one that is there. Throws OutError, ReportError.
void gather_report(const std::filesystem::path& campaign, const HuntReport& report);

// Makes hunt.json of all shards that are there, with the findings' folders as they lie now. Throws
// OutError, ReportError.
HuntReport join_reports(const std::filesystem::path& campaign);

}  // namespace esox
