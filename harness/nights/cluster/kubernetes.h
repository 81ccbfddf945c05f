// SPDX-License-Identifier: Apache-2.0
// A night of a hunt file as an Indexed Job of Kubernetes, one index per shard, and a Job that
// merges.
//
// Kubernetes decides when and where. All pods see one volume, at /data: shard I writes to
// /data/shards/I, the merge to /data. The hunt file goes along as a ConfigMap; what it names beside
// itself (inputs, servers) is in the image or on the volume, by absolute paths. The merge's Job is
// suspended: Kubernetes knows no Job that waits for another, so it is let go when the shards are
// done. Pure.
#pragma once

#include <cstdint>
#include <string>

namespace esox {

extern const char* const kKubernetesTemplate;  // templates/kubernetes.yaml, compiled in

struct KubernetesPlan {
  std::string name;       // of the hunt file
  std::string run;        // of the night, the campaign
  std::string hunt_file;  // its text
  std::string image;
  std::string claim;  // a PersistentVolumeClaim, ReadWriteMany
  unsigned shards = 1;
  unsigned parallel = 0;  // at most so many at a time; 0: all
  uint64_t seed = 0;
  unsigned jobs = 1;     // workers of a shard, and its processors
  uint64_t minutes = 0;  // that a shard may take; 0: no limit
  bool privileged = true;
};

// A DNS label: "nightly (MariaDB)" is "nightly-mariadb".
std::string label_of(const std::string& name);

// YAML, three documents.
std::string kubernetes_manifest(const KubernetesPlan& plan);

}  // namespace esox
