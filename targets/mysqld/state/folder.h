// SPDX-License-Identifier: Apache-2.0
// A folder of the server's, looked into from outside. On the path of every execution, so that it is
// opened once and no paths are put together, and not even that if it is as it was at the last look.
#pragma once

#include <dirent.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace esox {

class Folder {
 public:
  explicit Folder(const std::filesystem::path& path);

  // errno of what could not be done last; 0: all could.
  int error() const { return error_; }

  // Without "." and "..", in no order.
  std::vector<std::string> names();

  // Nothing if it cannot be read or is larger.
  std::optional<std::string> contents(const std::string& name, size_t max_bytes);

 private:
  struct Close {
    void operator()(DIR* folder) const { closedir(folder); }
  };
  std::unique_ptr<DIR, Close> folder_;
  int error_ = 0;
};

// What tells one state of a file or a folder from the next. A file system stamps changes by the
// kernel's coarse clock (clock_gettime(2), CLOCK_REALTIME_COARSE), which stands still for some
// milliseconds: one that was changed in this very tick may change again and bear the same stamp.
struct FileStamp {
  uint64_t device = 0;
  uint64_t inode = 0;
  int64_t bytes = 0;
  int64_t changed_ns = 0;
  bool settled = false;  // changed before this tick: the next change will show
};

std::optional<FileStamp> stamp_of(const std::string& path);

// Whether what was seen after taking `before` is still there when `now` is taken.
bool unchanged(const std::optional<FileStamp>& before, const std::optional<FileStamp>& now);

// The names in a folder, listed again only if they may have changed.
class RememberedNames {
 public:
  // In no order; without "." and "..".
  const std::vector<std::string>& in(const std::string& path);

  // errno of what in() could not do; 0: the names are all there are.
  int error() const { return error_; }

  // Taken before the names.
  const std::optional<FileStamp>& stamp() const { return stamp_; }

 private:
  std::string path_;
  std::optional<FileStamp> stamp_;
  std::vector<std::string> names_;
  int error_ = 0;
};

}  // namespace esox
