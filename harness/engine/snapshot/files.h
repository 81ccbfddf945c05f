// SPDX-License-Identifier: Apache-2.0
// Private copies of a server's folder, one per nest, brought back to a template's state after each
// child by restoring the blocks that differ.
//
// Every state is known by how it differs from the *origin*, the folder of the server that was
// booted: the set of paths that may differ. To bring a copy from state A to state B only the paths
// in the two sets need be looked at; all others equal the origin in both. A copy's own set grows by
// what its watch (changes.h) reports. Back to the state it was in last, only that need be looked
// at.
//
// A template's files never change while it is parked: so its folder itself is the state.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "base/process/unique_fd.h"
#include "harness/engine/snapshot/changes.h"

namespace esox {

// A folder of files as some process has them.
struct FileState {
  std::filesystem::path folder;  // as we see it
  ChangedPaths changed;          // against the origin
  uint64_t id = 0;               // differs from state to state
};

class FileCopy {
 public:
  // An empty folder at `ours`, to be filled. Throws SnapshotRefused.
  FileCopy(std::filesystem::path ours, const FileState& origin);

  // Makes it equal to `state`; nobody may be using it. Throws SnapshotRefused (no space):
  // then the next become() looks at everything.
  void become(const FileState& state);
  // What it holds now. The folder is this copy's own: it must outlive the use.
  FileState state();

  const std::filesystem::path& folder() const { return ours_; }

 private:
  void restore(const std::string& path, int from_root, int to_root);
  void restore_all(const ChangedPaths& changes, const FileState& state);

  std::filesystem::path ours_;
  UniqueFd root_;
  std::unique_ptr<ChangeWatch> watch_;
  ChangedPaths changed_;   // against the origin, but for what the watch has yet to tell
  uint64_t state_id_ = 0;  // the state it was brought to last; 0: the origin
};

}  // namespace esox
