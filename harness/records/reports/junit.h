// SPDX-License-Identifier: Apache-2.0
// The report as JUnit XML, for CI servers: one test case per input and engine, one failure per
// finding.
//
// What was not reached, left out or never judged is skipped, with the reason: neither pass nor
// fail.
#pragma once

#include <string>

#include "harness/records/reports/report_data.h"

namespace esox {

std::string report_junit(const ReportData& data);

}  // namespace esox
