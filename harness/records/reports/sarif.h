// SPDX-License-Identifier: Apache-2.0
// The report as SARIF 2.1.0, for code review and scanning services.
//
// One rule per class of verdict, one result per finding. Its place is the input's file; the
// server's functions at the critical switch, where a diagnosis names them, are logical locations.
// Its fingerprint is the finding's id, the same in every hunt for input, engine and cause.
#pragma once

#include <string>

#include "harness/records/reports/report_data.h"

namespace esox {

std::string report_sarif(const ReportData& data);

}  // namespace esox
