// SPDX-License-Identifier: Apache-2.0
// A night of a hunt file as a job array of Slurm, one task per shard, and a merge that depends on
// it. Slurm decides when and where; esox writes the scripts, submits them, and reads back what
// became of them.
//
// Whether a shard is done its own mark says (cluster_run.h), not Slurm: what is done, waiting or
// running is left alone; all else is lost - failed, cancelled, out of time, its node gone - and can
// be submitted again. It then goes on where it was, and counts once whatever happens.
#pragma once

#include <string>
#include <vector>

#include "harness/nights/cluster/cluster_run.h"
#include "harness/nights/cluster/slurm_queue.h"

namespace esox {

struct ShardStatus {
  enum class Kind { kEnded, kWaiting, kRunning, kLost };
  unsigned shard = 0;
  Kind kind = Kind::kLost;
  std::string state;  // as Slurm says; "unknown to Slurm"
  std::string job;    // the last that it was in; "12_3"
};

struct RunStatus {
  std::vector<ShardStatus> shards;
  bool merged = false;  // since the last submission
  std::vector<unsigned> of(ShardStatus::Kind kind) const;
};

// Pure.
RunStatus status_of(const ClusterRun& run, const std::vector<unsigned>& ended,
                    const SlurmStates& states);

RunStatus status_of(const ClusterRun& run);

// Writes run.json and the scripts. Throws OutError.
void prepare(const ClusterRun& run);

// Submits these shards, and a merge after them and after `live`, the jobs that are still under way.
// What was submitted is in run.json at once. Throws ClusterError, OutError.
void submit(ClusterRun& run, const std::vector<unsigned>& shards,
            const std::vector<std::string>& live);

// Submits what is lost; gives its shards.
std::vector<unsigned> resubmit(ClusterRun& run);

std::string status_text(const ClusterRun& run, const RunStatus& status);
std::string status_json(const ClusterRun& run, const RunStatus& status);

}  // namespace esox
