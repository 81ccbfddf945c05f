// SPDX-License-Identifier: Apache-2.0
// A copy of the region of another process: of an annotated server, as it is at one moment.
//
// Read by process_vm_readv(2), which needs the right to trace the server: it is this process's
// descendant and its user's.
#pragma once

#include <sys/types.h>

#include <string>

#include "summaries/annotation/region.h"

namespace esox {

// Address space of a region, of which only touched pages are there: all zeros.
class RegionMemory {
 public:
  RegionMemory();  // throws std::system_error (no memory)
  ~RegionMemory();
  RegionMemory(const RegionMemory&) = delete;
  RegionMemory& operator=(const RegionMemory&) = delete;

  SummaryRegion& region() { return *region_; }
  const SummaryRegion& region() const { return *region_; }
  // All zeros again, with the log's pages kept.
  void reset();

 private:
  SummaryRegion* region_ = nullptr;
};

enum class RegionReading {
  kRead,
  kNone,    // nothing was recorded there: not an annotated server
  kFailed,  // see why()
};

class RegionCopy {
 public:
  // No thread of that process should be recording.
  RegionReading read(pid_t process);
  // Without its inclusion tables, which only the recorder needs.
  const SummaryRegion& region() const { return memory_.region(); }
  const std::string& why() const { return why_; }

 private:
  bool copy(pid_t process, uint64_t offset, uint64_t bytes);

  RegionMemory memory_;
  std::string why_;
};

}  // namespace esox
