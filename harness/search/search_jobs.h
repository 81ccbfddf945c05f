// SPDX-License-Identifier: Apache-2.0
// The jobs of an iterative search (harness/search/exhaustive/iterative.h), as people read them.
#pragma once

#include <string>
#include <vector>

#include "analysis/symbols.h"
#include "harness/search/exhaustive/iterative.h"

namespace esox {

struct SearchJob {
  std::string points;  // "locks, waits", "withdraw+0x15 (account.cpp:20)"
  exhaustive::JobState state = exhaustive::JobState::kPending;
  exhaustive::SearchResult result;
  std::string covered_by;  // a cancelled one: the points of the job that contains it
};

std::string text_of(const exhaustive::PointSet& points, Symbols& symbols);

std::vector<SearchJob> told_jobs(const exhaustive::IterativeSearch& search, Symbols& symbols);

// A line for each, and one that says whether nothing is left.
std::string jobs_text(const std::vector<SearchJob>& jobs, bool exhausted);

}  // namespace esox
