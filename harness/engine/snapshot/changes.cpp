// SPDX-License-Identifier: Apache-2.0
#include "harness/engine/snapshot/changes.h"

#include <fmt/format.h>
#include <sys/inotify.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "harness/engine/snapshot/refused.h"

namespace esox {
namespace {

constexpr uint32_t kEvents = IN_MODIFY | IN_ATTRIB | IN_CREATE | IN_DELETE | IN_MOVED_FROM |
                             IN_MOVED_TO | IN_ONLYDIR | IN_DONT_FOLLOW;

std::string join(const std::string& folder, const std::string& name) {
  return folder.empty() ? name : folder + "/" + name;
}

}  // namespace

ChangeWatch::ChangeWatch(std::filesystem::path folder)
    : root_(std::move(folder)), fd_(inotify_init1(IN_CLOEXEC | IN_NONBLOCK)) {
  if (!fd_) {
    throw SnapshotRefused(
        fmt::format("no more folders can be watched: {}; raise fs.inotify.max_user_instances",
                    strerror(errno)));
  }
  watch("");
}

// The folder and all below it.
void ChangeWatch::watch(const std::string& folder) {
  const std::filesystem::path path = root_ / folder;
  const int descriptor = inotify_add_watch(fd_.get(), path.c_str(), kEvents);
  if (descriptor < 0) {
    if (errno == ENOENT || errno == ENOTDIR) return;  // gone again
    throw SnapshotRefused(
        fmt::format("the folder {} cannot be watched: {}", path.string(), strerror(errno)));
  }
  folders_[descriptor] = folder;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(path, error)) {
    if (entry.is_directory(error) && !entry.is_symlink(error)) {
      watch(join(folder, entry.path().filename().string()));
    }
  }
  if (error && error != std::errc::no_such_file_or_directory) {
    throw SnapshotRefused(
        fmt::format("the folder {} cannot be watched: {}", path.string(), error.message()));
  }
}

void ChangeWatch::collect(ChangedPaths* changes) {
  alignas(inotify_event) std::array<char, 16384> buffer;
  std::set<std::string> new_folders;
  for (ssize_t got; (got = read(fd_.get(), buffer.data(), buffer.size())) > 0;) {
    for (ssize_t at = 0; at < got;) {
      inotify_event event;
      memcpy(&event, buffer.data() + at, sizeof event);
      const char* name = buffer.data() + at + sizeof event;
      at += static_cast<ssize_t>(sizeof event + event.len);
      if ((event.mask & IN_Q_OVERFLOW) != 0 && changes != nullptr) changes->everything = true;
      if ((event.mask & IN_IGNORED) != 0) folders_.erase(event.wd);
      const auto folder = folders_.find(event.wd);
      if (folder == folders_.end() || event.len == 0) continue;
      const std::string path = join(folder->second, name);
      if (changes != nullptr) changes->paths.insert(path);
      const bool came = (event.mask & (IN_CREATE | IN_MOVED_TO)) != 0;
      if (came && (event.mask & IN_ISDIR) != 0) new_folders.insert(path);
    }
  }
  for (const std::string& folder : new_folders) watch(folder);
}

}  // namespace esox
