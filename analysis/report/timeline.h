// SPDX-License-Identifier: Apache-2.0
// The transactions of an anomaly beside each other, from top to bottom as time went: what each
// request asked, what each read saw, and of which commit it saw what was done, or did not.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "analysis/dependency_graph.h"

namespace esox {

inline constexpr size_t kMostTimelineSteps = 64;

// A request begins or is answered, or both with nothing in between.
struct TimelineStep {
  size_t column = 0;               // of its client
  uint64_t point = 0;              // in scheduling points
  std::string what;                // "A2 SELECT l FROM t", "A2 is answered"
  std::vector<std::string> saw;    // "a: 1, 2", of a read that is answered
  std::vector<std::string> notes;  // "lacks 1 of B1, committed by B2: from before that"
  bool of_cycle = false;
};

struct Timeline {
  std::vector<std::string> clients;  // a column each
  std::vector<TimelineStep> steps;
  size_t left_out = 0;     // beyond the limit
  std::string conclusion;  // why this cannot be; empty: the anomaly's lines say it
};

Timeline timeline(const Input& input, const ExecutionRecord& record,
                  const Dependencies& dependencies);

std::string timeline_text(const Timeline& timeline, size_t width);

}  // namespace esox
