// SPDX-License-Identifier: Apache-2.0
// A night of a hunt file as a job array of Slurm, one task per shard, and a merge that depends on
// it. Slurm decides when and where; esox writes the scripts, submits them, and reads back what
// became of them.
//
// Whether a shard is done its own mark says (cluster_run.h), not Slurm: what is done, waiting or
// running is left alone; all else is lost - failed, cancelled, out of time, its node gone - and can
// be submitted again. It then goes on where it was, and counts once whatever happens.
//
// squeue knows tasks that wait, run or ended a while ago; sacct, where the cluster keeps accounts,
// also older ones. What neither knows is gone.
//
// A shard's job ends well when its night came to its end, whether something was found or not; only
// then is there a mark in ended/. A job that is told to stop (its time is over, scancel, a node
// that goes away) leaves none, whatever esox had time to tidy up; its shard goes on where it was
// when it is submitted again.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "harness/nights/cluster/cluster_run.h"

namespace esox {

// Of templates/, compiled in.
extern const char* const kSlurmShardTemplate;
extern const char* const kSlurmMergeTemplate;

// By job and task: "RUNNING", "NODE_FAIL", "CANCELLED".
using SlurmStates = std::map<std::pair<std::string, unsigned>, std::string>;

// Lines of squeue --format %F|%K|%T, and of sacct --format JobID,State with -P. What is no task of
// an array is left out; so is what makes no sense. Pure.
SlurmStates states_of_squeue(const std::string& lines);
SlurmStates states_of_sacct(const std::string& lines);
// Whether a task in this state has not come to an end.
bool is_live(const std::string& state);

// What the jobs do. Pure.
std::string shard_script(const ClusterRun& run);
std::string merge_script(const ClusterRun& run);

// "1-5,7": as --array takes it.
std::string array_text(const std::vector<unsigned>& shards);

// The words of sbatch for these shards; and for a merge when the jobs `after` have ended, however.
std::vector<std::string> submit_shards(const ClusterRun& run, const std::vector<unsigned>& shards);
std::vector<std::string> submit_merge(const ClusterRun& run, const std::vector<std::string>& after);

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
