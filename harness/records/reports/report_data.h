// SPDX-License-Identifier: Apache-2.0
// All that the reports of a hunt are made of: hunt.json, and each finding's folder.
//
// Read once, from the folder alone; no server, no hunt. The writers (reports.h) are functions of
// it.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "harness/records/reports/finding_details.h"

namespace esox {

struct ReportData {
  std::filesystem::path out;  // the hunt's folder, as the user named it
  HuntReport hunt;
  std::vector<FindingDetails> findings;  // as in hunt.findings

  std::filesystem::path folder_of(const FindingDetails& finding) const {
    return out / "findings" / finding.line.id;
  }
  // One line for each finding that could not be read whole.
  std::vector<std::string> damages() const;
};

// Throws ReportError: no hunt's folder, a hunt.json that is damaged.
ReportData read_report_data(const std::filesystem::path& out);

}  // namespace esox
