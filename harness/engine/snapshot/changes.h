// SPDX-License-Identifier: Apache-2.0
// Which files of a folder were changed since one last asked, from inotify.
//
// Told are paths relative to the folder: files written to, truncated, made, removed or renamed, and
// folders that came or went (then everything below counts as changed). Reading is no change. Writes
// through shared mappings would not be seen; a snapshot refuses those.
#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>

#include "base/process/unique_fd.h"

namespace esox {

struct ChangedPaths {
  std::set<std::string> paths;
  bool everything = false;  // more happened than the kernel would tell
};

class ChangeWatch {
 public:
  // Throws SnapshotRefused (no more inotify instances or watches).
  explicit ChangeWatch(std::filesystem::path folder);

  // Adds what happened since the last call. Null: forgets it, one's own changes.
  void collect(ChangedPaths* changes);

 private:
  void watch(const std::string& folder);

  std::filesystem::path root_;
  UniqueFd fd_;
  std::map<int, std::string> folders_;  // by watch descriptor; "" is the root
};

}  // namespace esox
