// SPDX-License-Identifier: Apache-2.0
#include "harness/snapshot/hot_pages.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <fstream>
#include <string>

#include "harness/server/unique_fd.h"

namespace esox {
namespace {

constexpr uint64_t kPage = 4096;
constexpr uint64_t kLargest = uint64_t{1} << 32;  // beyond, it is address space set aside
// Bits of an entry (Linux, Documentation/admin-guide/mm/pagemap.rst).
constexpr uint64_t kPresent = uint64_t{1} << 63;
constexpr uint64_t kOfFile = uint64_t{1} << 61;
constexpr uint64_t kMappedOnce = uint64_t{1} << 56;

struct Mapping {
  uint64_t begin = 0;
  uint64_t end = 0;
  bool control_block = false;
};

bool is_own(uint64_t entry, const Mapping& mapping) {
  if ((entry & kPresent) == 0) return false;
  return mapping.control_block || ((entry & kOfFile) == 0 && (entry & kMappedOnce) != 0);
}

// What a process can write to, by itself or together with us.
std::vector<Mapping> writable_mappings(pid_t pid) {
  std::ifstream maps(fmt::format("/proc/{}/maps", pid));
  std::vector<Mapping> mappings;
  for (std::string line; std::getline(maps, line);) {
    Mapping mapping;
    std::array<char, 5> access{};
    if (sscanf(line.c_str(), "%lx-%lx %4s", &mapping.begin, &mapping.end, access.data()) != 3) {
      continue;
    }
    if (access[1] != 'w' || mapping.end - mapping.begin > kLargest) continue;
    mapping.control_block = access[3] == 's';
    if (mapping.control_block && line.find("/memfd:esox-control") == std::string::npos) continue;
    mappings.push_back(mapping);
  }
  return mappings;
}

void add_page(uint64_t address, std::vector<PageRun>& runs) {
  if (!runs.empty() && runs.back().begin + runs.back().bytes == address) {
    runs.back().bytes += kPage;
  } else if (runs.size() < kMaxHotRuns) {
    runs.push_back({address, kPage});
  }
}

void add_own(int pagemap, const Mapping& mapping, std::vector<PageRun>& runs) {
  std::array<uint64_t, 4096> entries;
  for (uint64_t at = mapping.begin; at < mapping.end;) {
    const size_t pages = std::min<size_t>((mapping.end - at) / kPage, entries.size());
    const auto bytes = static_cast<ssize_t>(pages * sizeof entries[0]);
    const auto where = static_cast<off_t>(at / kPage * sizeof entries[0]);
    if (pread(pagemap, entries.data(), static_cast<size_t>(bytes), where) != bytes) return;
    for (size_t i = 0; i < pages; ++i, at += kPage) {
      if (is_own(entries[i], mapping)) add_page(at, runs);
    }
  }
}

}  // namespace

std::vector<PageRun> own_pages(pid_t pid) {
  std::vector<PageRun> runs;
  const UniqueFd pagemap(open(fmt::format("/proc/{}/pagemap", pid).c_str(), O_RDONLY | O_CLOEXEC));
  if (!pagemap) return runs;
  for (const Mapping& mapping : writable_mappings(pid)) add_own(pagemap.get(), mapping, runs);
  return runs;
}

}  // namespace esox
