// SPDX-License-Identifier: Apache-2.0
// See report.h; hunt.json is read by harness/records/reports/hunt_reader.cpp.
#include "harness/records/report.h"

namespace esox {

uint64_t HuntReport::unconfirmed_hits() const {
  uint64_t hits = 0;
  for (const UnconfirmedViolation& violation : unconfirmed) hits += violation.hits;
  return hits;
}

CoverageFigures HuntReport::coverage() const {
  CoverageFigures sum;
  for (const InputFigures& one : figures) add_fields(sum, one.coverage);
  return sum;
}

std::string report_json(const HuntReport& report) {
  return to_json(report, 2);
}

}  // namespace esox
