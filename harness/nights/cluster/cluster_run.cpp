// SPDX-License-Identifier: Apache-2.0
#include "harness/nights/cluster/cluster_run.h"

#include <fmt/format.h>

#include <fstream>
#include <iterator>

#include "base/process/paths.h"
#include "harness/records/out_folder.h"

namespace esox {
namespace {

namespace fs = std::filesystem;

std::string newest_run(const fs::path& out) {
  std::string newest;
  for (const fs::path& folder : entries_of(out / "cluster")) {
    if (is_there(folder / "run.json")) newest = folder.filename().string();
  }
  if (newest.empty()) {
    throw ClusterError(fmt::format(
        "{} holds no run on a cluster; esox slurm FILE --array N begins one", out.string()));
  }
  return newest;
}

}  // namespace

void write_run(const ClusterRun& run) {
  make_folder(run.folder() / "ended");
  make_folder(run.out / "shards");
  write_whole_file(run.folder() / "run.json", to_json(run, 2));
}

ClusterRun read_run(const fs::path& out, const std::string& id) {
  const fs::path whole = fs::absolute(out).lexically_normal();
  const fs::path file = whole / "cluster" / (id.empty() ? newest_run(whole) : id) / "run.json";
  std::ifstream stream(file);
  if (!stream) throw ClusterError(fmt::format("there is no {}", file.string()));
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  try {
    ClusterRun run = from_json<ClusterRun>(text);
    run.out = whole;
    return run;
  } catch (const RecordError& error) {
    throw ClusterError(fmt::format("{} cannot be read ({}); submit anew by esox slurm FILE",
                                   file.string(), error.what()));
  }
}

std::vector<unsigned> ended_shards(const ClusterRun& run) {
  std::vector<unsigned> ended;
  for (unsigned shard = 1; shard <= run.shards; ++shard) {
    if (is_there(run.folder() / "ended" / std::to_string(shard))) ended.push_back(shard);
  }
  return ended;
}

}  // namespace esox
