// SPDX-License-Identifier: Apache-2.0
#include "harness/nights/cluster/slurm.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <nlohmann/json.hpp>
#include <set>
#include <system_error>

#include "base/text/counted.h"
#include "base/text/enum_names.h"
#include "harness/nights/cluster/command_output.h"
#include "harness/nights/cluster/shell_words.h"
#include "harness/records/lines.h"
#include "harness/records/out_folder.h"
#include "harness/records/reports/mustache_view.h"

namespace esox {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
using Kind = ShardStatus::Kind;

// ---- the queue

constexpr std::array kLive = {"PENDING",       "RUNNING",      "CONFIGURING", "COMPLETING",
                              "REQUEUED",      "REQUEUE_HOLD", "REQUEUE_FED", "RESIZING",
                              "SIGNALING",     "STAGE_OUT",    "STOPPED",     "SUSPENDED",
                              "RESV_DEL_HOLD", "SPECIAL_EXIT"};

std::optional<unsigned> number_of(const std::string& text) {
  unsigned number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || text.empty()) return std::nullopt;
  return number;
}

// "CANCELLED by 1000" -> "CANCELLED"
std::string first_word(const std::string& text) {
  return text.substr(0, text.find(' '));
}

void refuse_without_slurm(const CommandOutput& output, const char* program, const char* more = "") {
  if (output.found) return;
  throw ClusterError(
      fmt::format("there is no Slurm here: {} is not in PATH; on Debian its package is "
                  "slurm-client{}",
                  program, more));
}

// ---- scripts

// In a file name of sbatch's, '%' begins a replacement.
std::string log_name(const std::filesystem::path& file) {
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

struct JobFiles {
  const char* kind;  // as part of the job's name
  const char* script;
  const char* log;
};

std::vector<std::string> submission(const ClusterRun& run, const JobFiles& files,
                                    const std::vector<std::string>& more) {
  std::vector<std::string> words = {"sbatch",
                                    "--parsable",
                                    fmt::format("--job-name=esox-{}{}", files.kind, run.name),
                                    "--nodes=1",
                                    "--ntasks=1",
                                    "--open-mode=append",
                                    "--output=" + log_name(run.folder()) + "/" + files.log};
  words.insert(words.end(), more.begin(), more.end());
  words.insert(words.end(), run.submit.begin(), run.submit.end());
  words.push_back((run.folder() / files.script).string());
  return words;
}

// ---- what became of the shards

const char* kind_name(Kind kind) {
  static constexpr const char* kNames[] = {"ended", "waiting", "running", "lost"};
  return name_in(kNames, kind);
}

// "123" of "123" and of "123;cluster".
std::string submitted_id(const std::vector<std::string>& words) {
  const CommandOutput output = command_output(words);
  refuse_without_slurm(output, "sbatch", ". --dry-run only writes the scripts");
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

SlurmStates states_of_squeue(const std::string& lines) {
  SlurmStates states;
  for (const std::string& line : lines_of(lines)) {
    const auto fields = parts_of(line, '|');
    if (fields.size() < 3) continue;
    const auto task = number_of(fields[1]);
    if (task) states[{fields[0], *task}] = fields[2];
  }
  return states;
}

SlurmStates states_of_sacct(const std::string& lines) {
  SlurmStates states;
  for (const std::string& line : lines_of(lines)) {
    const auto fields = parts_of(line, '|');
    if (fields.size() < 2) continue;
    const size_t bar = fields[0].find('_');
    if (bar == std::string::npos) continue;
    const auto task = number_of(fields[0].substr(bar + 1));
    if (task) states[{fields[0].substr(0, bar), *task}] = first_word(fields[1]);
  }
  return states;
}

bool is_live(const std::string& state) {
  return std::find(kLive.begin(), kLive.end(), state) != kLive.end();
}

// Asks sacct and squeue. Throws ClusterError: there is no Slurm here, or its controller does not
// answer.
static SlurmStates ask_slurm(const std::vector<std::string>& jobs) {
  if (jobs.empty()) return {};
  const std::string list = fmt::format("{}", fmt::join(jobs, ","));
  const CommandOutput sacct =
      command_output({"sacct", "-X", "-n", "-P", "-o", "JobID,State", "-j", list});
  SlurmStates states = sacct.ok() ? states_of_sacct(sacct.out) : SlurmStates{};
  // One by one: of several, one that it knows no more makes it refuse all.
  for (const std::string& job : jobs) {
    const CommandOutput squeue = command_output(
        {"squeue", "--states=all", "--array", "--noheader", "--format=%F|%K|%T", "--jobs=" + job});
    refuse_without_slurm(squeue, "squeue");
    const bool unknown = squeue.err.find("Invalid job id") != std::string::npos;
    if (!squeue.ok() && !unknown) {
      throw ClusterError(fmt::format("Slurm does not answer: {}",
                                     squeue.in_time ? squeue.err.substr(0, squeue.err.find('\n'))
                                                    : "squeue did not end in time"));
    }
    for (const auto& [task, state] : states_of_squeue(squeue.out)) states[task] = state;
  }
  return states;
}

std::string shard_script(const ClusterRun& run) {
  return filled(kSlurmShardTemplate, run);
}

std::string merge_script(const ClusterRun& run) {
  return filled(kSlurmMergeTemplate, run);
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
  return submission(run, {"", "shard.sh", "shard-%a.log"}, more);
}

std::vector<std::string> submit_merge(const ClusterRun& run,
                                      const std::vector<std::string>& after) {
  return submission(run, {"merge-", "merge.sh", "merge.log"},
                    {fmt::format("--dependency=afterany:{}", fmt::join(after, ":"))});
}

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
  std::string text =
      fmt::format("{}, the night {}: {}\n", run.name, run.id, counted(run.shards, "shard"));
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
