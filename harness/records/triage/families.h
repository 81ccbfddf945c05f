// SPDX-License-Identifier: Apache-2.0
// Which findings of one hunt are of one cause (grouping.h), for its summary and its reports.
#pragma once

#include <filesystem>
#include <vector>

#include "harness/records/report.h"

namespace esox {

// Fills in HuntFinding::family: of each cause, the finding that came in the greatest part of its
// executions. `findings` is the folder that holds the findings' folders; what cannot be read there
// is a cause of its own.
void name_families(std::vector<HuntFinding>& report, const std::filesystem::path& findings);

}  // namespace esox
