// SPDX-License-Identifier: Apache-2.0
// The report as JSON: hunt.json with, for each finding, what its folder holds, and for each input
// what its silence is worth.
#pragma once

#include <string>

#include "harness/records/reports/report_data.h"

namespace esox {

std::string report_whole_json(const ReportData& data);

}  // namespace esox
