// SPDX-License-Identifier: Apache-2.0
#include "harness/records/reports/report_data.h"

#include <fmt/format.h>

#include "harness/records/reports/hunt_reader.h"
#include "harness/records/triage/families.h"

namespace esox {

std::vector<std::string> ReportData::damages() const {
  std::vector<std::string> lines;
  for (const FindingDetails& finding : findings) {
    if (finding.damage.empty()) continue;
    lines.push_back(
        fmt::format("finding {} ({}): {}", finding.line.id, finding.line.input, finding.damage));
  }
  return lines;
}

ReportData read_report_data(const std::filesystem::path& out) {
  ReportData data;
  data.out = out;
  data.hunt = read_hunt(out);
  name_families(data.hunt.findings, out / "findings");  // diagnoses may have come since
  for (HuntFinding& line : data.hunt.findings) {
    // Where it lay when the hunt ran may not be where it lies now.
    if (is_finding_id(line.id)) line.folder = out / "findings" / line.id;
    data.findings.push_back(read_finding_details(line, out / "findings" / line.id));
    line.headline = data.findings.back().headline;  // a hunt of before has none
  }
  return data;
}

}  // namespace esox
