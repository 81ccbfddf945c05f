// SPDX-License-Identifier: Apache-2.0
// What the pages in page/ show, as plain values: every text as it is read, nothing escaped yet.
//
// Names are those of the templates. A list `x` comes with `some_x` where the template shows
// something around it; an empty text counts as absent.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>

#include "harness/records/reports/report_data.h"

namespace esox {

// One finding, the `number`-th (from 1).
nlohmann::json finding_view(const ReportData& data, const FindingDetails& finding, size_t number,
                            const std::filesystem::path& place);

// All else; the groups' findings are left to the caller: `groups[i].members` are their indices.
nlohmann::json page_view(const ReportData& data);

}  // namespace esox
