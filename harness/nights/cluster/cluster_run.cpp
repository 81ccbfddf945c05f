// SPDX-License-Identifier: Apache-2.0
// See cluster_run.h.
#include "harness/nights/cluster/cluster_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <system_error>

#include "harness/records/out_folder.h"
#include "harness/records/shard.h"

namespace esox {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr int kFormat = 1;

Json json_of(const ClusterRun& run) {
  Json json = {{"format", kFormat},         {"run", run.id},
               {"name", run.name},          {"file", run.file.string()},
               {"esox", run.esox.string()}, {"shards", run.shards},
               {"seed", run.seed},          {"jobs", run.jobs},
               {"minutes", run.minutes},    {"submit", run.submit},
               {"submitted", Json::array()}};
  for (const ClusterJob& job : run.submitted) {
    json["submitted"].push_back({{"job", job.id}, {"shards", job.shards}});
  }
  return json;
}

ClusterRun run_of(const Json& json) {
  if (json.at("format").get<int>() != kFormat) throw std::runtime_error("of another esox");
  ClusterRun run;
  run.id = json.at("run").get<std::string>();
  run.name = json.at("name").get<std::string>();
  run.file = json.at("file").get<std::string>();
  run.esox = json.at("esox").get<std::string>();
  run.shards = json.at("shards").get<unsigned>();
  run.seed = json.at("seed").get<uint64_t>();
  run.jobs = json.at("jobs").get<unsigned>();
  run.minutes = json.at("minutes").get<uint64_t>();
  run.submit = json.at("submit").get<std::vector<std::string>>();
  for (const Json& job : json.at("submitted")) {
    run.submitted.push_back(
        {job.at("job").get<std::string>(), job.at("shards").get<std::vector<unsigned>>()});
  }
  if (run.shards < 1 || run.shards > kMostShards) throw std::runtime_error("too many shards");
  return run;
}

std::string newest_run(const fs::path& out) {
  std::string newest;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(out / "cluster", error)) {
    std::error_code unknown;
    if (!fs::exists(entry.path() / "run.json", unknown)) continue;
    newest = std::max(newest, entry.path().filename().string());
  }
  if (newest.empty()) {
    throw ClusterError(fmt::format(
        "{} holds no run on a cluster; esox slurm FILE --array N begins one", out.string()));
  }
  return newest;
}

}  // namespace

fs::path ClusterRun::shard_folder(unsigned shard) const {
  return out / "shards" / std::to_string(shard);
}

void write_run(const ClusterRun& run) {
  make_folder(run.folder() / "ended");
  make_folder(run.out / "shards");
  write_whole_file(run.folder() / "run.json", json_of(run).dump(2) + "\n");
}

ClusterRun read_run(const fs::path& out, const std::string& id) {
  const fs::path whole = fs::absolute(out).lexically_normal();
  const fs::path file = whole / "cluster" / (id.empty() ? newest_run(whole) : id) / "run.json";
  std::ifstream stream(file);
  if (!stream) throw ClusterError(fmt::format("there is no {}", file.string()));
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  try {
    ClusterRun run = run_of(Json::parse(text));
    run.out = whole;
    return run;
  } catch (const std::exception& error) {
    throw ClusterError(fmt::format("{} cannot be read ({}); submit anew by esox slurm FILE",
                                   file.string(), error.what()));
  }
}

std::vector<unsigned> ended_shards(const ClusterRun& run) {
  std::vector<unsigned> ended;
  std::error_code error;
  for (unsigned shard = 1; shard <= run.shards; ++shard) {
    if (fs::exists(run.folder() / "ended" / std::to_string(shard), error)) ended.push_back(shard);
  }
  return ended;
}

std::vector<std::string> night_words(const ClusterRun& run) {
  return {run.esox.string(), "night", run.file.string(), "--seed", std::to_string(run.seed),
          "--campaign",      run.id};
}

}  // namespace esox
