// SPDX-License-Identifier: Apache-2.0
// See folder.h.
#include "summaries/mariadb/folder.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <string_view>

namespace esox {

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

}  // namespace esox
