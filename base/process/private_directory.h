// SPDX-License-Identifier: Apache-2.0
// A folder of our own (mode 0700) that goes when its owner goes.
//
// It is locked (flock) while it lives. An esox that was killed leaves its folders behind, unlocked:
// the next one finds and removes them. A folder younger than a minute is never taken for abandoned,
// for it may just be between being made and being locked.
#pragma once

#include <filesystem>
#include <string>

#include "base/process/unique_fd.h"

namespace esox {

class PrivateDirectory {
 public:
  // A new folder "esox-XXXXXX" in `base`. Throws ServerError.
  explicit PrivateDirectory(const std::filesystem::path& base);
  ~PrivateDirectory();  // removes it with all that is in it; never follows a link out of it
  PrivateDirectory(const PrivateDirectory&) = delete;
  PrivateDirectory& operator=(const PrivateDirectory&) = delete;

  const std::filesystem::path& path() const { return path_; }

  // "path/name", checked to fit into a unix socket's address (107 bytes). Throws ServerError.
  std::string socket_path(const std::string& name) const;

 private:
  std::filesystem::path path_;
  UniqueFd lock_;
};

// $TMPDIR, else /tmp.
std::filesystem::path temporary_base();

// Where things worth keeping between runs go: $XDG_CACHE_HOME/esox, else $HOME/.cache/esox, else
// esox-cache-UID in temporary_base().
std::filesystem::path cache_base();

// Makes `path` and its parents (0700) if missing. Throws ServerError if it cannot, or if it belongs
// to someone else or others may write to it.
void make_own_folder(const std::filesystem::path& path);

// Removes the private folders of dead owners in `base`; gives their number. What cannot be removed
// stays. Never throws for it.
int remove_abandoned(const std::filesystem::path& base);

}  // namespace esox
