// SPDX-License-Identifier: Apache-2.0
// What the kernel says of a process in /proc (proc(5)).
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace esox {

// What stands behind "KEY:" in a file of such lines, without the blanks before it; nullopt:
// nothing, or the process is gone.
std::optional<std::string> proc_field(const std::string& file, std::string_view key);

struct MappedRange {
  uint64_t begin = 0;
  uint64_t end = 0;
  std::string access;   // "rw-p"
  uint64_t offset = 0;  // in the file
  std::string path;     // may be empty, "[heap]", "/memfd:..."
};

// Of its memory, in the order of the addresses; empty if the process is gone or may not be looked
// at.
std::vector<MappedRange> mapped_ranges(pid_t pid);

// The proportional set size: a page shared by n processes counts as one nth for each, so that the
// sum over a template and its children is what they take together. 0 if the process is gone or may
// not be looked at.
uint64_t proportional_memory_kib(pid_t pid);

}  // namespace esox
