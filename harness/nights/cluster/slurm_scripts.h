// SPDX-License-Identifier: Apache-2.0
// What Slurm's jobs do, and how they are submitted. Pure.
//
// A shard's job ends well when its night came to its end, whether something was found or not; only
// then is there a mark in ended/. A job that is told to stop (its time is over, scancel, a node
// that goes away) leaves none, whatever esox had time to tidy up; its shard goes on where it was
// when it is submitted again.
#pragma once

#include <string>
#include <vector>

#include "harness/nights/cluster/cluster_run.h"

namespace esox {

std::string shard_script(const ClusterRun& run);
std::string merge_script(const ClusterRun& run);

// "1-5,7": as --array takes it.
std::string array_text(const std::vector<unsigned>& shards);

// The words of sbatch for these shards; and for a merge when the jobs `after` have ended, however.
std::vector<std::string> submit_shards(const ClusterRun& run, const std::vector<unsigned>& shards);
std::vector<std::string> submit_merge(const ClusterRun& run, const std::vector<std::string>& after);

}  // namespace esox
