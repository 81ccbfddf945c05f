// SPDX-License-Identifier: Apache-2.0
#include "base/process/proc.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <fstream>

namespace esox {

std::optional<std::string> proc_field(const std::string& file, std::string_view key) {
  std::ifstream lines(file);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with(key) || line.find(':') != key.size()) continue;
    return line.substr(std::min(line.find_first_not_of(" \t", key.size() + 1), line.size()));
  }
  return std::nullopt;
}

std::vector<MappedRange> mapped_ranges(pid_t pid) {
  std::ifstream lines(fmt::format("/proc/{}/maps", pid));
  std::vector<MappedRange> ranges;
  for (std::string line; std::getline(lines, line);) {
    MappedRange range;
    char access[5] = {};
    int path_at = 0;
    if (sscanf(line.c_str(), "%lx-%lx %4s %lx %*s %*s %n", &range.begin, &range.end, access,
               &range.offset, &path_at) != 4) {
      continue;
    }
    range.access = access;
    if (path_at > 0) range.path = line.substr(static_cast<size_t>(path_at));
    ranges.push_back(std::move(range));
  }
  return ranges;
}

uint64_t proportional_memory_kib(pid_t pid) {
  const auto kib = proc_field(fmt::format("/proc/{}/smaps_rollup", pid), "Pss");
  return kib ? std::stoull(*kib) : 0;
}

}  // namespace esox
