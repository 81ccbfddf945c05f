// SPDX-License-Identifier: Apache-2.0
// What esox exec says of a campaign: to people, and to programs (as JSON).
#pragma once

#include <string>
#include <vector>

#include "harness/programs/campaign.h"

namespace esox {

// "24.5 % (95 %: 21.9 to 27.3 %)": the share, and where it lies with 95 % confidence, by the exact
// interval of Clopper and Pearson.
std::string rate_text(uint64_t hits, uint64_t executions);

// One failure, with its schedule: the text file beside its replay file. `sampled`: by executions
// whose failing says how often it fails.
std::string failure_text(const FoundFailure& found, uint64_t executions, bool sampled);

// The lines at the end; `files` are the replay files, one per failure.
std::string campaign_text(const CampaignPlan& plan, const CampaignReport& report,
                          const std::vector<std::string>& files);

std::string campaign_json(const CampaignPlan& plan, const CampaignReport& report,
                          const std::vector<std::string>& files, const std::string& version);

// "12000 of 100000 executions, 3100 per second, 2 failures in 340"; of a search, "12000 executions,
// 3100 per second, 41 % of about 2.93e+04, 2 failures in 340"
std::string campaign_progress_text(const CampaignPlan& plan, const CampaignProgress& progress);

}  // namespace esox
