// SPDX-License-Identifier: Apache-2.0
#include "harness/nights/cluster/slurm.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <system_error>

#include "base/process/paths.h"
#include "base/text/counted.h"
#include "base/text/enum_names.h"
#include "base/text/shell_words.h"
#include "harness/nights/cluster/slurm_program.h"
#include "harness/records/lines.h"
#include "harness/records/out_folder.h"
#include "harness/records/reports/mustache_view.h"

namespace esox {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
using Kind = ShardStatus::Kind;

constexpr const char* kWaiting = "PENDING";

std::optional<unsigned> number_of(const std::string& text) {
  unsigned number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

// In a file name of sbatch's, '%' begins a replacement.
std::string log_name(const fs::path& file) {
  std::string name;
  for (const char c : file.string()) name += c == '%' ? "%%" : std::string(1, c);
  return name;
}

std::string filled(const char* script, const ClusterRun& run) {
  const std::vector<std::string> night = {
      run.esox.string(), "night", run.file.string(), "--seed", std::to_string(run.seed),
      "--campaign",      run.id};
  const nlohmann::json view = {{"run", run.id},
                               {"shards", run.shards},
                               {"esox", shell_word(run.esox.string())},
                               {"night", shell_words(night)},
                               {"out", shell_word(run.out.string())},
                               {"folder", shell_word(run.folder().string())}};
  return mustache_page(script).render(mustache_data(view));
}

// Of its shards; nobody else's job is called so. A comma separates names for squeue.
std::string job_name(const ClusterRun& run) {
  std::string name = fmt::format("esox-{}-{}", run.name, run.id);
  std::replace(name.begin(), name.end(), ',', '-');
  return name;
}

std::vector<std::string> submission(const ClusterRun& run, const std::string& name,
                                    const std::string& log, const std::vector<std::string>& more) {
  std::vector<std::string> words = {
      "sbatch",     "--parsable",         "--nodes=1",
      "--ntasks=1", "--open-mode=append", "--output=" + log_name(run.folder()) + "/" + log};
  words.insert(words.end(), more.begin(), more.end());
  words.insert(words.end(), run.submit.begin(), run.submit.end());
  words.push_back("--job-name=" + name);  // the last counts: squeue is asked for it
  return words;
}

const char* kind_name(Kind kind) {
  static constexpr const char* kNames[] = {"ended", "waiting", "running", "lost"};
  return name_in(kNames, kind);
}

}  // namespace

LiveTasks live_tasks(const std::string& lines) {
  LiveTasks tasks;
  for (const std::string& line : lines_of(lines)) {
    const auto fields = parts_of(line, '|');
    if (fields.size() != 3) continue;
    if (const auto shard = number_of(fields[1])) tasks[*shard] = {fields[0], fields[2]};
  }
  return tasks;
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
  std::vector<std::string> more = {"--array=" + array_text(shards),
                                   fmt::format("--cpus-per-task={}", run.jobs), "--requeue"};
  if (run.minutes > 0) more.push_back(fmt::format("--time={}", run.minutes));
  auto words = submission(run, job_name(run), "shard-%a.log", more);
  words.push_back((run.folder() / "shard.sh").string());
  return words;
}

std::vector<std::string> submit_merge(const ClusterRun& run,
                                      const std::vector<std::string>& after) {
  auto words = submission(run, job_name(run) + "-merge", "merge.log",
                          {fmt::format("--dependency=afterany:{}", fmt::join(after, ":"))});
  words.push_back((run.folder() / "merge.sh").string());
  return words;
}

std::vector<unsigned> RunStatus::of(Kind kind) const {
  std::vector<unsigned> all;
  for (const ShardStatus& one : shards) {
    if (one.kind == kind) all.push_back(one.shard);
  }
  return all;
}

RunStatus status_of(const ClusterRun& run, const std::vector<unsigned>& ended,
                    const LiveTasks& live) {
  RunStatus status;
  for (unsigned shard = 1; shard <= run.shards; ++shard) {
    ShardStatus one{.shard = shard};
    if (std::binary_search(ended.begin(), ended.end(), shard)) {
      one.kind = Kind::kEnded;
      one.state = "ended";
    } else if (const auto task = live.find(shard); task != live.end()) {
      one.kind = task->second.state == kWaiting ? Kind::kWaiting : Kind::kRunning;
      one.state = task->second.state;
      one.job = fmt::format("{}_{}", task->second.job, shard);
    }
    status.shards.push_back(std::move(one));
  }
  return status;
}

RunStatus status_of(const ClusterRun& run) {
  const LiveTasks live = live_tasks(said_by_slurm(
      {"squeue", "--array", "--noheader", "--format=%F|%K|%T", "--name=" + job_name(run)}));
  // After Slurm: a shard that ends in between has its mark by now.
  RunStatus status = status_of(run, ended_shards(run), live);
  status.merged = is_there(run.folder() / "merge.json");
  return status;
}

void prepare(const ClusterRun& run) {
  write_run(run);
  write_whole_file(run.folder() / "shard.sh", filled(kSlurmShardTemplate, run));
  write_whole_file(run.folder() / "merge.sh", filled(kSlurmMergeTemplate, run));
}

std::string submit(const std::vector<std::string>& words) {
  for (const std::string& line : lines_of(said_by_slurm(words))) {
    const std::string job = line.substr(0, line.find(';'));  // "123;cluster"
    if (number_of(job)) return job;
  }
  throw ClusterError(fmt::format("sbatch says no job's number; it was: {}", shell_words(words)));
}

Resubmitted resubmit(const ClusterRun& run) {
  const RunStatus status = status_of(run);
  Resubmitted made{.shards = status.of(Kind::kLost)};
  if (made.shards.empty()) return made;
  std::set<std::string> jobs;
  for (const ShardStatus& one : status.shards) {
    if (!one.job.empty()) jobs.insert(one.job.substr(0, one.job.find('_')));
  }
  std::error_code ignored;
  fs::remove(run.folder() / "merge.json", ignored);
  made.job = submit(submit_shards(run, made.shards));
  jobs.insert(made.job);
  made.merge = submit(submit_merge(run, {jobs.begin(), jobs.end()}));
  return made;
}

std::string status_text(const ClusterRun& run, const RunStatus& status) {
  std::string text =
      fmt::format("{}, the night {}: {}\n", run.name, run.id, counted(run.shards, "shard"));
  for (const Kind kind : {Kind::kLost, Kind::kRunning, Kind::kWaiting, Kind::kEnded}) {
    const std::vector<unsigned> shards = status.of(kind);
    if (shards.empty()) continue;
    text += fmt::format("{:>6} {}: {}\n", shards.size(), kind_name(kind), array_text(shards));
    if (kind != Kind::kLost) continue;
    for (const ShardStatus& one : status.shards) {
      if (one.kind != Kind::kLost) continue;
      text += fmt::format("         {} {}; {}\n", one.shard, one.state,
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
