// SPDX-License-Identifier: Apache-2.0
// A night of a hunt file on many machines: as a script for Slurm, or as a manifest for Kubernetes.
// These decide when and where; both texts are templates (templates/) with this night filled in.
//
//   OUT/shards/I/           what shard I does, night after night; the hunt file's `out` is OUT, in
//                           pods /data
//   OUT/cluster/RUN/        one night of Slurm; RUN is its beginning
//     ended/I               written by shard I's job when its night came to its end
//     shard-I.log merge.log what the jobs said
//     merge.json            what the merge came to
//
// RUN is also the name of the campaign, so that a shard that is done again is the same hunt
// (harness/records/shard.h). A job that is told to stop has not ended, whatever esox had time to
// tidy up; its shard goes on where it was when it is done again. Pure.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "harness/nights/hunt_file/hunt_file.h"

namespace esox {

extern const char* const kSlurmScript;
extern const char* const kKubernetesManifest;

struct ClusterNight {
  HuntFile file;
  std::string run;  // "2026-11-22T02-00-00Z"
  unsigned shards = 1;
  uint64_t seed = 0;
  std::filesystem::path esox;  // for Slurm: the command
  // For Kubernetes.
  std::string image;  // has esox and the server in it
  std::string claim;  // a PersistentVolumeClaim, ReadWriteMany
  bool unprivileged = false;
};

// One of the texts above with this night in it.
std::string cluster_text(const char* text, const ClusterNight& night);

// A DNS label of at most 40 characters: "nightly (MariaDB)" is "nightly-mariadb".
std::string label_of(const std::string& name);

}  // namespace esox
