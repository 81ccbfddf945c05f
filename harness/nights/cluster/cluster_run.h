// SPDX-License-Identifier: Apache-2.0
// One night of a hunt file on many machines: what was asked for, and which shards came to their
// end.
//
//   OUT/shards/I/            what shard I does, night after night: the `out` of its hunt file
//   OUT/cluster/RUN/         one night; RUN is its beginning, "2026-11-22T02-00-00Z"
//     run.json               this: what was asked for
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

#include "base/record/record.h"
#include "harness/records/shard.h"

namespace esox {

// One line: what is wrong, and what to do.
class ClusterError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct ClusterRun {
  static constexpr unsigned kFormat = 2;
  unsigned format = kFormat;
  std::string id;
  std::string name;            // of the hunt file
  std::filesystem::path file;  // the hunt file, absolute
  std::filesystem::path out;   // absolute
  std::filesystem::path esox;  // the command
  unsigned shards = 1;
  uint64_t seed = 0;
  unsigned jobs = 1;                // workers of each shard, and its processors
  uint64_t minutes = 0;             // that a shard may take; 0: as long as the partition allows
  std::vector<std::string> submit;  // further words for sbatch

  std::filesystem::path folder() const { return out / "cluster" / id; }
};

template <class F>
void each_field(F& f, Of<ClusterRun>) {
  f("format", &ClusterRun::format, kRequired);
  f("run", &ClusterRun::id, kRequired);
  f("name", &ClusterRun::name, kRequired);
  f("file", &ClusterRun::file, kRequired);
  f("esox", &ClusterRun::esox, kRequired);
  f("shards", &ClusterRun::shards, kRequired);
  f("seed", &ClusterRun::seed, kRequired);
  f("jobs", &ClusterRun::jobs, kRequired);
  f("minutes", &ClusterRun::minutes, kRequired);
  f("submit", &ClusterRun::submit, kRequired);
  f.check(+[](const ClusterRun& it) {
    if (it.format != ClusterRun::kFormat) return "is of another esox";
    return it.shards < 1 || it.shards > kMostShards ? "has too many shards" : nullptr;
  });
}

// run.json, and the folders. Throws OutError.
void write_run(const ClusterRun& run);
// `id` empty: the newest of OUT. Throws ClusterError.
ClusterRun read_run(const std::filesystem::path& out, const std::string& id);

// The shards that came to their end.
std::vector<unsigned> ended_shards(const ClusterRun& run);

}  // namespace esox
