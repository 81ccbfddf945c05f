// SPDX-License-Identifier: Apache-2.0
#include "harness/nights/merge/sources.h"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>

#include "base/process/paths.h"
#include "harness/records/out_folder.h"
#include "harness/records/reports/hunt_reader.h"

namespace esox {
namespace {

namespace fs = std::filesystem;

// Hidden ones are none of ours.
std::vector<fs::path> folders_in(const fs::path& folder) {
  std::vector<fs::path> folders = entries_of(folder);
  std::erase_if(folders, [](const fs::path& one) {
    return one.filename().string().starts_with(".") || !is_folder(one);
  });
  return folders;
}

// A hunt's own folder, or that of one that was gathered: hunts/CAMPAIGN/shards/NUMBER.
bool add_hunt(const fs::path& folder, const fs::path& findings, MergeSource& source) {
  const bool memory = is_file(folder / "hunt.db");
  const bool report = is_file(folder / "hunt.json");
  if (!memory && !report) return false;
  if (source.hunts.size() == kMostHunts) {
    throw OutError(fmt::format("{} holds more than {} hunts; name parts of it",
                               source.path.string(), kMostHunts));
  }
  FoundHunt& hunt = source.hunts.emplace_back(FoundHunt{folder, findings, memory, {}});
  if (report) hunt.report = read_hunt(folder);
  return true;
}

void add_gathered(const fs::path& campaign, MergeSource& source) {
  for (const fs::path& shard : folders_in(campaign / "shards")) {
    add_hunt(shard, campaign / "findings", source);
  }
}

void look_through(const fs::path& folder, MergeSource& source) {
  if (is_folder(folder / "shards")) return add_gathered(folder, source);
  if (add_hunt(folder, folder / "findings", source)) return;
  for (const fs::path& child : folders_in(folder)) {
    if (child.filename() == "nights") {
      for (const fs::path& night : folders_in(child)) {
        for (const fs::path& stage : folders_in(night)) add_hunt(stage, stage / "findings", source);
      }
    } else if (child.filename() == "hunts") {
      for (const fs::path& campaign : folders_in(child)) add_gathered(campaign, source);
    } else {
      add_hunt(child, child / "findings", source);
    }
  }
}

}  // namespace

MergeSource look_for_sources(const fs::path& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  MergeSource source;
  source.path = path;
  if (fs::is_regular_file(status)) {
    source.store = path;
    return source;
  }
  if (!fs::is_directory(status)) {
    throw OutError(fmt::format("{}: there is no such file or folder", path.string()));
  }
  source.folder = fs::absolute(path).lexically_normal();
  if (is_file(path / "findings.db")) source.store = path / "findings.db";
  look_through(source.folder, source);
  if (source.store.empty() && source.hunts.empty()) {
    throw OutError(fmt::format(
        "{} holds nothing to merge: no findings.db, and no folder of a hunt; name a store, or the "
        "OUT of a hunt or of nights",
        path.string()));
  }
  return source;
}

}  // namespace esox
