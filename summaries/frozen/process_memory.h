// SPDX-License-Identifier: Apache-2.0
// The memory of another process, by process_vm_readv(2): whole pages, many with one call, each read
// once. So it must not change meanwhile: the process is frozen (freeze.h).
//
// Needs the right to trace the process (ptrace(2), "ptrace access mode checking").
#pragma once

#include <sys/types.h>

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "summaries/frozen/memory.h"

namespace esox {

class ProcessMemory final : public Memory {
 public:
  explicit ProcessMemory(pid_t pid) : pid_(pid) {}

  // Throws FrozenError when the process as a whole cannot be read (gone, no permission), or more
  // than kMostBytes would be.
  bool read(uint64_t address, void* to, size_t bytes) override;
  void prefetch(std::span<const uint64_t> addresses) override;

  uint64_t calls() const { return calls_; }  // of process_vm_readv

  static constexpr uint64_t kPageBytes = 4096;
  static constexpr uint64_t kMostBytes = 256 << 20;

 private:
  using Page = std::unique_ptr<unsigned char[]>;  // null: not there

  const unsigned char* page(uint64_t number);
  void fetch(const std::vector<uint64_t>& numbers);

  pid_t pid_;
  std::unordered_map<uint64_t, Page> pages_;
  uint64_t calls_ = 0;
};

// Why tracing or reading a process failed with this errno, and what to do: "not permitted ...".
std::string tracing_error(pid_t pid, int error);

}  // namespace esox
