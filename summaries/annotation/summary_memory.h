// SPDX-License-Identifier: Apache-2.0
// The region as its owner holds it: memory without a name, given to one server process at a time.
#pragma once

#include <string>
#include <vector>

#include "summaries/annotation/region.h"

namespace esox {

class SummaryMemory {
 public:
  SummaryMemory();  // throws std::system_error (no memory)
  ~SummaryMemory();
  SummaryMemory(const SummaryMemory&) = delete;
  SummaryMemory& operator=(const SummaryMemory&) = delete;

  SummaryRegion& region() { return *region_; }
  const SummaryRegion& region() const { return *region_; }

  // For a new server process, after the last one has ended: all zero again.
  void reset();
  // The variable that makes libesox_summary.so in a child of this process map it.
  std::string environment() const;

 private:
  int fd_ = -1;
  SummaryRegion* region_ = nullptr;
};

}  // namespace esox
