// SPDX-License-Identifier: Apache-2.0
#include "targets/mysqld/state/folder.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <string_view>

namespace esox {
namespace {

constexpr int64_t kNsPerS = 1'000'000'000;

int64_t in_ns(const timespec& time) {
  return int64_t{time.tv_sec} * kNsPerS + time.tv_nsec;
}

}  // namespace

Folder::Folder(const std::filesystem::path& path) : folder_(opendir(path.c_str())) {
  if (folder_ == nullptr) error_ = errno;
}

std::vector<std::string> Folder::names() {
  std::vector<std::string> names;
  if (folder_ == nullptr) return names;
  errno = 0;
  while (const dirent* entry = readdir(folder_.get())) {
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") names.emplace_back(name);
  }
  error_ = errno;
  return names;
}

std::optional<std::string> Folder::contents(const std::string& name, size_t max_bytes) {
  if (folder_ == nullptr) return std::nullopt;
  const int file = openat(dirfd(folder_.get()), name.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  if (file < 0) return std::nullopt;
  std::string bytes(max_bytes + 1, '\0');
  const ssize_t got = read(file, bytes.data(), bytes.size());
  close(file);
  if (got < 0 || static_cast<size_t>(got) > max_bytes) return std::nullopt;
  bytes.resize(static_cast<size_t>(got));
  return bytes;
}

// The clock first: what changes between the two looks must not count as settled.
std::optional<FileStamp> stamp_of(const std::string& path) {
  timespec tick{};
  struct stat status {};
  if (clock_gettime(CLOCK_REALTIME_COARSE, &tick) != 0 || lstat(path.c_str(), &status) != 0) {
    return std::nullopt;
  }
  const int64_t changed_ns = in_ns(status.st_ctim);
  return FileStamp{status.st_dev, status.st_ino, status.st_size, changed_ns,
                   changed_ns < in_ns(tick)};
}

bool unchanged(const std::optional<FileStamp>& before, const std::optional<FileStamp>& now) {
  return before && now && before->settled && before->device == now->device &&
         before->inode == now->inode && before->bytes == now->bytes &&
         before->changed_ns == now->changed_ns;
}

const std::vector<std::string>& RememberedNames::in(const std::string& path) {
  const std::optional<FileStamp> now = stamp_of(path);
  if (path == path_ && error_ == 0 && unchanged(stamp_, now)) return names_;
  Folder folder(path);
  path_ = path;
  stamp_ = now;
  names_ = folder.names();
  error_ = folder.error();
  return names_;
}

}  // namespace esox
