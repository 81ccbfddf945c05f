// SPDX-License-Identifier: Apache-2.0
// What lies at a path, without throwing: what cannot be looked at is not there.
#pragma once

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <system_error>
#include <vector>

namespace esox {

inline bool is_there(const std::filesystem::path& path) {
  std::error_code error;
  return std::filesystem::exists(path, error);
}
inline bool is_file(const std::filesystem::path& path) {
  std::error_code error;
  return std::filesystem::is_regular_file(path, error);
}
inline bool is_folder(const std::filesystem::path& path) {
  std::error_code error;
  return std::filesystem::is_directory(path, error);
}

// By their names alone; both are absolute and normal. The folder itself does, too.
inline bool lies_in(const std::filesystem::path& path, const std::filesystem::path& folder) {
  const auto [end, rest] = std::mismatch(folder.begin(), folder.end(), path.begin(), path.end());
  return end == folder.end() || (std::next(end) == folder.end() && end->empty());
}

// What a folder holds, in the order of the names.
inline std::vector<std::filesystem::path> entries_of(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> entries;
  std::error_code error;
  std::filesystem::directory_iterator one(folder, error);
  for (const std::filesystem::directory_iterator end; !error && one != end; one.increment(error)) {
    entries.push_back(one->path());
  }
  std::ranges::sort(entries);
  return entries;
}

}  // namespace esox
