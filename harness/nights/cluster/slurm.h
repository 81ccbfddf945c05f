// SPDX-License-Identifier: Apache-2.0
// A night of a hunt file as a job array of Slurm, one task per shard, and a merge that depends on
// it. Slurm decides when and where; esox writes the scripts, submits them, and reads back what
// became of them.
//
// Whether a shard is done its own mark says (cluster_run.h), not Slurm; squeue says which tasks
// wait or run. All else is lost - failed, cancelled, out of time, its node gone: its log tells -
// and can be submitted again. It then goes on where it was, and counts once whatever happens.
//
// A shard's job ends well when its night came to its end, whether something was found or not; only
// then is there a mark in ended/. A job that is told to stop (its time is over, scancel, a node
// that goes away) leaves none, whatever esox had time to tidy up; its shard goes on where it was
// when it is submitted again.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "harness/nights/cluster/cluster_run.h"

namespace esox {

// Of templates/, compiled in.
extern const char* const kSlurmShardTemplate;
extern const char* const kSlurmMergeTemplate;

// A task of the job array that waits or runs.
struct LiveTask {
  std::string job;    // "12"
  std::string state;  // "PENDING", "RUNNING", "COMPLETING"
};
using LiveTasks = std::map<unsigned, LiveTask>;  // by shard

// Lines of squeue --format %F|%K|%T. What is no task of an array is left out; so is what makes no
// sense. Pure.
LiveTasks live_tasks(const std::string& lines);

// "1-5,7": as --array takes it.
std::string array_text(const std::vector<unsigned>& shards);

// The words of sbatch for these shards; and for a merge when the jobs `after` have ended, however.
std::vector<std::string> submit_shards(const ClusterRun& run, const std::vector<unsigned>& shards);
std::vector<std::string> submit_merge(const ClusterRun& run, const std::vector<std::string>& after);

struct ShardStatus {
  enum class Kind { kEnded, kWaiting, kRunning, kLost };
  unsigned shard = 0;
  Kind kind = Kind::kLost;
  std::string state = "not in the queue";  // as Slurm says
  std::string job;                         // "12_3", of what waits or runs
};

struct RunStatus {
  std::vector<ShardStatus> shards;
  bool merged = false;  // since the last submission
  std::vector<unsigned> of(ShardStatus::Kind kind) const;
};

// Pure.
RunStatus status_of(const ClusterRun& run, const std::vector<unsigned>& ended,
                    const LiveTasks& live);

// As all below throws ClusterError, ServerError, OutError.
RunStatus status_of(const ClusterRun& run);

// Writes run.json and the scripts.
void prepare(const ClusterRun& run);

// Runs these words of sbatch; gives the job's number.
std::string submit(const std::vector<std::string>& words);

struct Resubmitted {
  std::vector<unsigned> shards;  // none: nothing was lost
  std::string job = {};
  std::string merge = {};  // after `job` and all that is still under way
};
Resubmitted resubmit(const ClusterRun& run);

std::string status_text(const ClusterRun& run, const RunStatus& status);
std::string status_json(const ClusterRun& run, const RunStatus& status);

}  // namespace esox
