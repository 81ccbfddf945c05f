// SPDX-License-Identifier: Apache-2.0
// What is kept of a violation that was confirmed: the finding for its folder, and its line in the
// report of all.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "analysis/finding.h"
#include "harness/hunt/exploration.h"
#include "harness/records/report.h"

namespace esox {

// By whom, and how.
struct FoundBy {
  FindingServer server;
  std::string esox_version;
  std::map<std::string, std::string> control;
  uint64_t clock_base_ns = 0;
};

// Of a violation with a cause, judged by the exploration; as met once. How many executions there
// were is the caller's to say, of the line as well.
Finding finding_of(const Exploration& exploration, const Judged& judged, const FoundBy& by);

HuntFinding report_line(const ConcreteInput& input, const Judged& judged, const std::string& id);
// Of one that only its folder tells of: its input and its cause.
HuntFinding report_line(const ConcreteInput& input, const std::string& id,
                        const std::string& cause);

// Judged, and with a schedule that a strategy drew anew.
bool is_drawn(const Judged& judged);

}  // namespace esox
