// SPDX-License-Identifier: Apache-2.0
// What a hunt does with its findings last, once they are diagnosed and minimised: of each cause the
// finding that stands for it gets a reproducer, the newest first, in what is left of the budget.
// One that does not fit into the time is left for `esox reproduce`.
//
// Nothing here makes a hunt fail: a finding that cannot be shown so is told about and passed over.
#pragma once

#include "harness/findings/minimise/after_hunt.h"
#include "harness/records/report.h"

namespace esox {

// Fills in the report's findings' `reproducer`.
void reproduce_findings(HuntReport& report, const FindingServer& server, const AfterHunt& work);

}  // namespace esox
