// SPDX-License-Identifier: Apache-2.0
// See slurm.h.
#include "harness/nights/cluster/slurm.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <system_error>

#include "harness/nights/cluster/command_output.h"
#include "harness/nights/cluster/shell_words.h"
#include "harness/nights/cluster/slurm_scripts.h"
#include "harness/records/out_folder.h"

namespace esox {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
using Kind = ShardStatus::Kind;

const char* kind_name(Kind kind) {
  switch (kind) {
    case Kind::kEnded:
      return "ended";
    case Kind::kWaiting:
      return "waiting";
    case Kind::kRunning:
      return "running";
    case Kind::kLost:
      return "lost";
  }
  return "?";
}

// "123" of "123" and of "123;cluster".
std::string submitted_id(const std::vector<std::string>& words) {
  const CommandOutput output = command_output(words);
  if (!output.found) {
    throw ClusterError(
        "there is no Slurm here: sbatch is not in PATH; on Debian its package is slurm-client. "
        "--dry-run only writes the scripts");
  }
  const std::string id = output.out.substr(0, output.out.find_first_of(";\n"));
  const bool number = !id.empty() && id.find_first_not_of("0123456789") == std::string::npos;
  if (output.ok() && number) return id;
  std::string why =
      output.in_time ? output.err.substr(0, output.err.find('\n')) : "no answer in time";
  if (why.empty()) why = "it says neither a job's number nor why";
  throw ClusterError(
      fmt::format("Slurm did not take the job: {}; it was: {}", why, shell_words(words)));
}

std::vector<std::string> jobs_of(const ClusterRun& run) {
  std::vector<std::string> jobs;
  for (const ClusterJob& job : run.submitted) {
    if (!job.shards.empty()) jobs.push_back(job.id);
  }
  return jobs;
}

ShardStatus status_of_shard(const ClusterRun& run, unsigned shard, const SlurmStates& states) {
  ShardStatus status;
  status.shard = shard;
  for (const ClusterJob& job : run.submitted) {
    if (std::find(job.shards.begin(), job.shards.end(), shard) == job.shards.end()) continue;
    const auto state = states.find({job.id, shard});
    status.job = fmt::format("{}_{}", job.id, shard);
    status.state = state == states.end() ? "unknown to Slurm" : state->second;
    status.kind = !is_live(status.state)      ? Kind::kLost
                  : status.state == "PENDING" ? Kind::kWaiting
                                              : Kind::kRunning;
  }
  if (status.job.empty()) status.state = "never submitted";
  return status;
}

// The merge's own mark is newer than what was submitted last.
bool merged(const ClusterRun& run) {
  std::error_code error;
  const auto done = fs::last_write_time(run.folder() / "merge.json", error);
  if (error) return false;
  const auto asked = fs::last_write_time(run.folder() / "run.json", error);
  return !error && done >= asked;
}

}  // namespace

std::vector<unsigned> RunStatus::of(Kind kind) const {
  std::vector<unsigned> all;
  for (const ShardStatus& one : shards) {
    if (one.kind == kind) all.push_back(one.shard);
  }
  return all;
}

RunStatus status_of(const ClusterRun& run, const std::vector<unsigned>& ended,
                    const SlurmStates& states) {
  RunStatus status;
  const std::set<unsigned> done(ended.begin(), ended.end());
  for (unsigned shard = 1; shard <= run.shards; ++shard) {
    ShardStatus one = status_of_shard(run, shard, states);
    if (done.contains(shard)) one.kind = Kind::kEnded;
    status.shards.push_back(std::move(one));
  }
  return status;
}

RunStatus status_of(const ClusterRun& run) {
  const SlurmStates states = ask_slurm(jobs_of(run));
  // After Slurm: a shard that ends in between has its mark by now.
  RunStatus status = status_of(run, ended_shards(run), states);
  status.merged = merged(run);
  return status;
}

void prepare(const ClusterRun& run) {
  write_run(run);
  write_whole_file(run.folder() / "shard.sh", shard_script(run));
  write_whole_file(run.folder() / "merge.sh", merge_script(run));
}

void submit(ClusterRun& run, const std::vector<unsigned>& shards,
            const std::vector<std::string>& live) {
  std::vector<std::string> after = live;
  after.push_back(submitted_id(submit_shards(run, shards)));
  run.submitted.push_back({after.back(), shards});
  write_run(run);
  const std::string merge = submitted_id(submit_merge(run, after));
  run.submitted.push_back({merge, {}});
  write_run(run);
}

std::vector<unsigned> resubmit(ClusterRun& run) {
  const RunStatus status = status_of(run);
  const std::vector<unsigned> lost = status.of(Kind::kLost);
  if (lost.empty()) return lost;
  std::set<std::string> live;
  for (const ShardStatus& one : status.shards) {
    const bool under_way = one.kind == Kind::kWaiting || one.kind == Kind::kRunning;
    if (under_way) live.insert(one.job.substr(0, one.job.find('_')));
  }
  submit(run, lost, {live.begin(), live.end()});
  return lost;
}

std::string status_text(const ClusterRun& run, const RunStatus& status) {
  std::string text = fmt::format("{}, the night {}: {} shard{}\n", run.name, run.id, run.shards,
                                 run.shards == 1 ? "" : "s");
  for (const Kind kind : {Kind::kLost, Kind::kRunning, Kind::kWaiting, Kind::kEnded}) {
    const std::vector<unsigned> shards = status.of(kind);
    if (shards.empty()) continue;
    text += fmt::format("{:>6} {}: {}\n", shards.size(), kind_name(kind), array_text(shards));
    if (kind != Kind::kLost) continue;
    for (const ShardStatus& one : status.shards) {
      if (one.kind != Kind::kLost) continue;
      text += fmt::format("         {} {} ({}); {}\n", one.shard, one.state,
                          one.job.empty() ? "no job" : one.job,
                          (run.folder() / fmt::format("shard-{}.log", one.shard)).string());
    }
  }
  text += status.merged ? fmt::format("merged into {}\n", (run.out / "findings.db").string())
                        : "not merged yet\n";
  if (!status.of(Kind::kLost).empty()) {
    text += fmt::format("  esox slurm resubmit {}\n", shell_word(run.out.string()));
  }
  return text;
}

std::string status_json(const ClusterRun& run, const RunStatus& status) {
  Json json = {{"run", run.id},        {"name", run.name},        {"out", run.out.string()},
               {"shards", run.shards}, {"merged", status.merged}, {"of", Json::array()}};
  for (const ShardStatus& one : status.shards) {
    json["of"].push_back({{"shard", one.shard},
                          {"is", kind_name(one.kind)},
                          {"state", one.state},
                          {"job", one.job}});
  }
  return json.dump(2) + "\n";
}

}  // namespace esox
