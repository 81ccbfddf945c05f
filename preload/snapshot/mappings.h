// SPDX-License-Identifier: Apache-2.0
// What lies where in a process's memory (/proc/self/maps), and whether that is still so.
#pragma once

#include <cstdint>

#include "preload/protocol/snapshot.h"

namespace esox {

struct Mapping {
  uint64_t begin, end;
  uint64_t offset, inode;  // inode 0: of no file
  uint32_t access;         // kMayRead ...

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

  // Whether these are the ones of then. One change is none: memory of no file that could not be
  // touched may be written to by now. So the C library's arenas grow, within what they have mapped;
  // to what the library remembers of them it makes no difference. False: see the reply.
  bool are_those_of(const Mappings& then, SnapshotReply& reply) const;

  const Mapping* begin() const { return mappings_; }
  const Mapping* end() const { return mappings_ + count_; }

 private:
  static constexpr uint32_t kMost = 1024;

  bool is_part_of(const Mapping& now, const Mapping*& then, const Mapping* then_end) const;

  Mapping mappings_[kMost];  // ascending
  uint32_t count_;
};

}  // namespace esox
