// SPDX-License-Identifier: Apache-2.0
// esox slurm, esox kubernetes: print a night of a hunt file as what these take
// (harness/nights/cluster/cluster_night.h).
#include "base/time/utc.h"
#include "harness/commands/command.h"
#include "harness/commands/options.h"
#include "harness/commands/output.h"
#include "harness/nights/cluster/cluster_night.h"
#include "harness/nights/hunt_file/hunt_file_reader.h"
#include "harness/records/shard.h"

namespace esox {
namespace {

constexpr const char* kSlurmExamples = R"(
Examples:
  esox slurm nightly.yaml --array 20 >night.sh
  bash night.sh --partition=long --mem=8G     submits twenty shards, and their merge, by sbatch
  bash night.sh status                        which shards ended, run, wait, are lost
  bash night.sh                               submits those that are lost again

All nodes see the hunt file's `out` under the same path. Each shard works in shards/I of it; the
merge, when all have ended, brings it together there (esox merge).

Exit status: 0 printed, 2 wrong use or a hunt file that makes no sense.)";

constexpr const char* kKubernetesExamples = R"(
Examples:
  esox kubernetes nightly.yaml --completions 20 --image registry/esox:1 --claim esox-data >night.yaml
  kubectl create -f night.yaml

One Indexed Job, a pod per shard, and a suspended Job for their merge; the head of what is printed
says how to let it go. The claim names a volume that all pods can write to.

Exit status: 0 printed, 2 wrong use or a hunt file that makes no sense.)";

struct ClusterArguments {
  std::string file;
  std::string seed;
  ClusterNight night;
};

DefinedCommand<ClusterArguments> add_cluster_command(Command& app, Chosen& chosen,
                                                     const CommandWords& words, const char* shards,
                                                     const char* text) {
  const auto print = [text](const ClusterArguments& arguments) {
    ClusterNight night = arguments.night;
    night.file = read_hunt_file(arguments.file);
    night.run = utc_file_name();
    night.esox = std::filesystem::read_symlink("/proc/self/exe");
    night.seed =
        arguments.seed.empty() && night.file.seed_fixed ? night.file.seed : seed_of(arguments.seed);
    put(cluster_text(text, night));
    return kNothingFound;
  };
  const auto defined = define<ClusterArguments>(app, chosen, words, print);
  ClusterArguments& arguments = defined.options;
  defined.command.add_option("FILE", arguments.file, "a hunt file (esox init)")->required();
  defined.command.add_option(shards, arguments.night.shards, "how many shards")
      ->required()
      ->check(within(1u, kMostShards));
  defined.command.add_option("--seed", arguments.seed,
                             "of all shards (default: the file's, if it fixes one; else drawn)");
  return defined;
}

}  // namespace

void add_slurm_command(Command& app, Chosen& chosen) {
  add_cluster_command(
      app, chosen,
      {"slurm", "a night of a hunt file on many machines, as a script for Slurm", kSlurmExamples},
      "--array", kSlurmScript);
}

void add_kubernetes_command(Command& app, Chosen& chosen) {
  const auto [command, arguments] = add_cluster_command(
      app, chosen,
      {"kubernetes", "a night of a hunt file on many machines, as a manifest for Kubernetes",
       kKubernetesExamples},
      "--completions", kKubernetesManifest);
  command.add_option("--image", arguments.night.image, "with esox and the server in it")
      ->required();
  command
      .add_option("--claim", arguments.night.claim,
                  "a PersistentVolumeClaim that all pods can write to (ReadWriteMany)")
      ->required();
  command.add_flag("--unprivileged", arguments.night.unprivileged,
                   "pods without privileges: servers are restarted instead of forked, which is "
                   "some sixty times slower");
}

}  // namespace esox
