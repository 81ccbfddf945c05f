// SPDX-License-Identifier: Apache-2.0
// A night in Prometheus' text format, for node_exporter's textfile collector: a file that is
// replaced whole. All are gauges: they are of the last night, and begin anew with the next. Pure.
#pragma once

#include <string>

namespace esox {

struct NightSummary;

std::string night_metrics(const NightSummary& summary);

}  // namespace esox
