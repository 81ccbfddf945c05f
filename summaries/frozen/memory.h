// SPDX-License-Identifier: Apache-2.0
// Memory to be read, of whatever it is.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>

namespace esox {

class Memory {
 public:
  virtual ~Memory() = default;

  // All `bytes`, or false if some of them are not there.
  virtual bool read(uint64_t address, void* to, size_t bytes) = 0;
  // These addresses will be read soon: brings them in one go. They may lead anywhere.
  virtual void prefetch(std::span<const uint64_t> addresses) { (void)addresses; }
};

// Zeros everywhere: to see whether a description fits the types without a process.
class ZeroMemory final : public Memory {
 public:
  bool read(uint64_t, void* to, size_t bytes) override {
    memset(to, 0, bytes);
    return true;
  }
};

}  // namespace esox
