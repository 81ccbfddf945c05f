// SPDX-License-Identifier: Apache-2.0
// One report of the shards of a campaign, as if one hunt had done the work.
//
// Shards have no exploration in common, so counts add up and lists follow each other, in the order
// of the shards' numbers. `seconds` is the time of all machines together. What is missing - a shard
// of which nothing is there, or one that did not come to its end - is the report's `failure`.
//
// Pure.
#pragma once

#include <string>
#include <vector>

#include "harness/records/report.h"

namespace esox {

// Of two reports of the same hunt, whether `one` came further (ended, then executions; then an
// arbitrary order, so that it does not matter which is met first).
bool came_further(const HuntReport& one, const HuntReport& other);

// At least one; all of one campaign, each shard once. A hunt that is no shard is a campaign alone.
HuntReport joined(std::vector<HuntReport> shards);

// "shards 7 and 9 of 20 are missing"; empty: none is.
std::string missing_text(const std::vector<unsigned>& there, unsigned of);

}  // namespace esox
