// SPDX-License-Identifier: Apache-2.0
// What lies where in a process's memory (/proc/self/maps).
#pragma once

#include <cstdint>

namespace esox {

struct Mapping {
  uint64_t begin, end;
  uint64_t offset, device, inode;  // inode 0: of no file
  uint32_t access;                 // kMayRead ...
  // By address_space.h: holds what would not be there if it were mapped anew, pages that were
  // written to before that was forbidden, or guard pages (MADV_GUARD_INSTALL).
  bool irreplaceable;
  bool watched;  // by page_watch.h

  static constexpr uint32_t kMayRead = 1, kMayWrite = 2, kMayExecute = 4, kIsShared = 8;

  bool written_privately() const {
    return (access & (kMayRead | kMayWrite | kIsShared)) == (kMayRead | kMayWrite);
  }
};

// Lies in memory that is all zeros at first.
class Mappings {
 public:
  // The process's as they are now. False: they cannot be read, or are too many.
  bool read();

  const Mapping* begin() const { return mappings_; }
  const Mapping* end() const { return mappings_ + count_; }
  Mapping* begin() { return mappings_; }
  Mapping* end() { return mappings_ + count_; }

 private:
  static constexpr uint32_t kMost = 1024;

  Mapping mappings_[kMost];  // ascending
  uint32_t count_;
};

}  // namespace esox
