// SPDX-License-Identifier: Apache-2.0
// What lies where in a process's memory: by a question to the kernel for each mapping
// (PROCMAP_QUERY, Linux 6.11), which takes a third of the time that /proc/self/maps does, whose
// names are long; by that text where the kernel does not know it. The kernel's own page
// ([vsyscall]) is not told of.
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
  bool read_text();  // what read() does where the kernel is not asked for each

  const Mapping* begin() const { return mappings_; }
  const Mapping* end() const { return mappings_ + count_; }
  Mapping* begin() { return mappings_; }
  Mapping* end() { return mappings_ + count_; }

 private:
  static constexpr uint32_t kMost = 1024;
  static constexpr uint64_t kKernels = uint64_t{1} << 63;  // addresses from here on

  long ask();  // -errno, never 0: -ENOENT if all were told, -E2BIG if they are too many
  bool add(const Mapping& mapping);

  Mapping mappings_[kMost];  // ascending
  uint32_t count_;
};

}  // namespace esox
