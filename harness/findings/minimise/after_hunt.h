// SPDX-License-Identifier: Apache-2.0
// What a hunt does with its findings at its end: each is diagnosed, then minimised, within one
// budget for all. The newest come first; each may take its part of what is left, so that what one
// leaves over goes to those after it. A finding that has been diagnosed before is not again; what
// is known of it is read from its folder.
//
// Nothing here makes a hunt fail: a finding that cannot be looked into is told about and passed
// over.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <string>

#include "harness/engine/executor.h"
#include "harness/hunt/exploration.h"
#include "harness/records/report.h"

namespace esox {

struct AfterHunt {
  const ExecutorFactory& executors;
  const ExplorationSettings& exploration;  // the hunt's
  std::chrono::milliseconds budget;        // of all findings together; 0: nothing is done
  const std::atomic<bool>& stop;
  std::function<void(const std::string&)> say;  // the progress, a line at a time
};

// Fills in what is known by then of the report's findings.
void explain_findings(HuntReport& report, const AfterHunt& work);

}  // namespace esox
