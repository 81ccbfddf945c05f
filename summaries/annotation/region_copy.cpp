// SPDX-License-Identifier: Apache-2.0
#include "summaries/annotation/region_copy.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/uio.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <system_error>

#include "summaries/annotation/recorder.h"

namespace esox {

RegionMemory::RegionMemory() {
  void* mapped = mmap(nullptr, sizeof(SummaryRegion), PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapped == MAP_FAILED) {
    throw std::system_error(errno, std::generic_category(), "memory for annotations");
  }
  region_ = static_cast<SummaryRegion*>(mapped);
  Recorder(*region_).sign();
}

RegionMemory::~RegionMemory() {
  munmap(region_, sizeof(SummaryRegion));
}

// The inclusion tables, touched all over, are given back.
void RegionMemory::reset() {
  memset(region_->log, 0, std::min(region_->log_used.load(), kOperationLogBytes));
  madvise(region_->inclusion, sizeof region_->inclusion, MADV_DONTNEED);
  memset(static_cast<void*>(region_), 0, offsetof(SummaryRegion, inclusion));
  Recorder(*region_).sign();
}

bool RegionCopy::copy(pid_t process, uint64_t offset, uint64_t bytes) {
  while (bytes > 0) {
    const iovec to{reinterpret_cast<unsigned char*>(&memory_.region()) + offset, bytes};
    const iovec from{reinterpret_cast<void*>(kRegionAddress + offset), bytes};
    const ssize_t got = process_vm_readv(process, &to, 1, &from, 1, 0);
    if (got <= 0) return false;
    offset += static_cast<uint64_t>(got);
    bytes -= static_cast<uint64_t>(got);
  }
  return true;
}

RegionReading RegionCopy::read(pid_t process) {
  const auto failed = [this](std::string why) {
    why_ = std::move(why);
    return RegionReading::kFailed;
  };
  SummaryRegion& region = memory_.region();
  if (!copy(process, 0, offsetof(SummaryRegion, inclusion))) {
    if (errno == EFAULT) return RegionReading::kNone;
    return failed(fmt::format("the server's memory cannot be read: {}", strerror(errno)));
  }
  if (region.magic != kRegionMagic) return RegionReading::kNone;
  if (region.version != kRegionVersion || region.bytes_of_components != sizeof region.components) {
    return failed("libesox_summary.so and esox are of different builds; build both anew");
  }
  if (!copy(process, offsetof(SummaryRegion, log),
            std::min(region.log_used.load(), kOperationLogBytes))) {
    return failed(fmt::format("the server's memory cannot be read: {}", strerror(errno)));
  }
  return RegionReading::kRead;
}

}  // namespace esox
