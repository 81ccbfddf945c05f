// SPDX-License-Identifier: Apache-2.0
// What a night of a hunt file begins and ends with: known findings first
// (harness/nights/night/recheck.h), its summary at last (harness/nights/night/night_summary.h).
#pragma once

#include <atomic>
#include <optional>

#include "harness/nights/night/night_summary.h"
#include "harness/nights/night/supervisor.h"

namespace esox {

// To be called by the night before its stages; `supervisor` and `stop` outlive the call. What
// cannot be done is among what is missing of the night. The night's summary is there from then on.
void recheck_first(Supervisor& supervisor, const std::atomic<bool>& stop, double budget_s);

// Writes the summary, and the metrics to where the hunt file wants them. Nothing: that could not be
// done, which was told on the standard error output.
std::optional<NightSummary> end_with_summary(Supervisor& supervisor);

}  // namespace esox
