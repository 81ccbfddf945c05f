// SPDX-License-Identifier: Apache-2.0
// See slurm_scripts.h.
#include "harness/nights/cluster/slurm_scripts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "harness/nights/cluster/shell_words.h"

namespace esox {
namespace {

// In a file name of sbatch's, '%' begins a replacement.
std::string log_name(const std::filesystem::path& file) {
  std::string name;
  for (const char c : file.string()) name += c == '%' ? "%%" : std::string(1, c);
  return name;
}

}  // namespace

std::string shard_script(const ClusterRun& run) {
  return fmt::format(
      R"sh(#!/bin/bash
# Written by esox slurm. One shard of the night {0}: a task of a job array.
set -u
shard=$SLURM_ARRAY_TASK_ID
stopped=no
trap 'stopped=yes' TERM INT HUP USR1 USR2
{1} --shard "$shard/{2}" --out {3}/"$shard"
status=$?
# 1: something was found.
if [ "$stopped" = yes ]; then exit 143; fi
if [ "$status" -gt 1 ]; then exit "$status"; fi
ended={4}/ended
echo "$status" >"$ended/.$shard" && mv "$ended/.$shard" "$ended/$shard"
)sh",
      run.id, shell_words(hunt_words(run, run.file.string())), run.shards,
      shell_word((run.out / "shards").string()), shell_word(run.folder().string()));
}

std::string merge_script(const ClusterRun& run) {
  return fmt::format(
      R"sh(#!/bin/bash
# Written by esox slurm. What all shards that are there have found becomes one.
set -eu
cd {0}
{1} merge --json {2} shards/*/ >{3}/.merge.json
mv {3}/.merge.json {3}/merge.json
)sh",
      shell_word(run.out.string()), shell_word(run.esox.string()), shell_word(run.out.string()),
      shell_word(run.folder().string()));
}

std::string array_text(const std::vector<unsigned>& shards) {
  std::vector<std::string> ranges;
  for (size_t i = 0; i < shards.size();) {
    size_t end = i + 1;
    while (end < shards.size() && shards[end] == shards[end - 1] + 1) ++end;
    ranges.push_back(end - i == 1 ? std::to_string(shards[i])
                                  : fmt::format("{}-{}", shards[i], shards[end - 1]));
    i = end;
  }
  return fmt::format("{}", fmt::join(ranges, ","));
}

std::vector<std::string> submit_shards(const ClusterRun& run, const std::vector<unsigned>& shards) {
  std::vector<std::string> words = {
      "sbatch",
      "--parsable",
      "--job-name=esox-" + run.name,
      "--array=" + array_text(shards),
      "--nodes=1",
      "--ntasks=1",
      fmt::format("--cpus-per-task={}", run.jobs),
      "--open-mode=append",
      "--output=" + log_name(run.folder()) + "/shard-%a.log",
      "--requeue",
  };
  if (run.minutes > 0) words.push_back(fmt::format("--time={}", run.minutes));
  words.insert(words.end(), run.submit.begin(), run.submit.end());
  words.push_back((run.folder() / "shard.sh").string());
  return words;
}

std::vector<std::string> submit_merge(const ClusterRun& run,
                                      const std::vector<std::string>& after) {
  std::vector<std::string> words = {
      "sbatch",
      "--parsable",
      "--job-name=esox-merge-" + run.name,
      fmt::format("--dependency=afterany:{}", fmt::join(after, ":")),
      "--nodes=1",
      "--ntasks=1",
      "--open-mode=append",
      "--output=" + log_name(run.folder()) + "/merge.log",
  };
  words.insert(words.end(), run.submit.begin(), run.submit.end());
  words.push_back((run.folder() / "merge.sh").string());
  return words;
}

}  // namespace esox
