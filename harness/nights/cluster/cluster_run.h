// SPDX-License-Identifier: Apache-2.0
// One night of a hunt file on many machines: what was asked for, and what each shard left behind.
//
//   OUT/shards/I/            what shard I does, night after night: the `out` of its hunt file
//   OUT/cluster/RUN/         one night; RUN is its beginning, "2026-11-22T02-00-00Z"
//     run.json               this: what was asked for, and which jobs were submitted
//     shard.sh  merge.sh     what the jobs do
//     ended/I                written by shard I's job when its night came to its end
//     shard-I.log merge.log  what they said
//     merge.json             what the merge came to
//
// RUN is also the name of the campaign, so that a shard that is done again is the same hunt
// (harness/records/shard.h). All machines see OUT under the same path.
#pragma once

#include <cstdint>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

namespace esox {

// One line: what is wrong, and what to do.
class ClusterError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct ClusterJob {
  std::string id;                // of Slurm
  std::vector<unsigned> shards;  // none: the merge
};

struct ClusterRun {
  std::string id;
  std::string name;            // of the hunt file
  std::filesystem::path file;  // the hunt file, absolute
  std::filesystem::path out;   // absolute
  std::filesystem::path esox;  // the command
  unsigned shards = 1;
  uint64_t seed = 0;
  unsigned jobs = 1;                  // workers of each shard, and its processors
  uint64_t minutes = 0;               // that a shard may take; 0: as long as the partition allows
  std::vector<std::string> submit;    // further words for sbatch
  std::vector<ClusterJob> submitted;  // in their order

  std::filesystem::path folder() const { return out / "cluster" / id; }
  std::filesystem::path shard_folder(unsigned shard) const;
};

// run.json, and the folders. Throws OutError.
void write_run(const ClusterRun& run);
// `id` empty: the newest of OUT. Throws ClusterError.
ClusterRun read_run(const std::filesystem::path& out, const std::string& id);

// The shards that came to their end.
std::vector<unsigned> ended_shards(const ClusterRun& run);

// What each shard does, but for which one it is and where it writes to: --shard, --out.
std::vector<std::string> night_words(const ClusterRun& run);

}  // namespace esox
