// SPDX-License-Identifier: Apache-2.0
// esox kubernetes: prints a night of a hunt file as Jobs of Kubernetes
// (harness/nights/cluster/kubernetes.h).
#include <chrono>

#include "base/time/utc.h"
#include "harness/commands/command.h"
#include "harness/commands/options.h"
#include "harness/commands/output.h"
#include "harness/nights/cluster/kubernetes.h"
#include "harness/nights/hunt_file/hunt_file_reader.h"
#include "harness/records/shard.h"

namespace esox {
namespace {

constexpr const char* kExamples = R"(
Examples:
  esox kubernetes nightly.yaml --completions 20 --image registry/esox:1 --claim esox-data >night.yaml
  kubectl create -f night.yaml

One Indexed Job, a pod per shard, and a suspended Job for their merge; the head of what is printed
says how to let it go. The claim names a volume that all pods can write to.

Exit status: 0 printed, 2 wrong use or a hunt file that makes no sense.)";

// Beside the budget: pulling the image, starting, ending.
constexpr uint64_t kMoreMinutes = 30;

struct KubernetesArguments {
  std::string file;
  KubernetesPlan plan;
  std::string seed;
  bool unprivileged = false;
};

int print_manifest(const KubernetesArguments& arguments) {
  const HuntFile file = read_hunt_file(arguments.file);
  KubernetesPlan plan = arguments.plan;
  plan.name = file.name;
  plan.run = utc_file_name();
  plan.hunt_file = file.text;
  plan.seed = arguments.seed.empty() && file.seed_fixed ? file.seed : seed_of(arguments.seed);
  plan.jobs = file.jobs == 0 ? 1 : file.jobs;
  plan.privileged = !arguments.unprivileged;
  if (file.budget.time) {
    const auto all = std::chrono::ceil<std::chrono::minutes>(*file.budget.time + file.limits.grace);
    plan.minutes = static_cast<uint64_t>(all.count()) + kMoreMinutes;
  }
  put(kubernetes_manifest(plan));
  return kNothingFound;
}

}  // namespace

void add_kubernetes_command(Command& app, Chosen& chosen) {
  const auto [command, arguments] = define<KubernetesArguments>(
      app, chosen,
      {"kubernetes", "a night of a hunt file on many machines, as a manifest for Kubernetes",
       kExamples},
      print_manifest);
  KubernetesPlan& plan = arguments.plan;
  command.add_option("FILE", arguments.file, "a hunt file (esox init)")->required();
  command.add_option("--completions", plan.shards, "how many shards, a pod each")
      ->required()
      ->check(within(1u, kMostShards));
  command.add_option("--image", plan.image, "with esox and the server in it")->required();
  command
      .add_option("--claim", plan.claim,
                  "a PersistentVolumeClaim that all pods can write to (ReadWriteMany)")
      ->required();
  command
      .add_option("--parallelism", plan.parallel, "at most so many pods at a time (default: all)")
      ->check(within(1u, kMostShards));
  command.add_option("--seed", arguments.seed,
                     "of all shards (default: the file's, if it fixes one; else drawn)");
  command.add_flag("--unprivileged", arguments.unprivileged,
                   "pods without privileges: servers are restarted instead of forked, which is "
                   "some sixty times slower");
}

}  // namespace esox
