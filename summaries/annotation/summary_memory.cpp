// SPDX-License-Identifier: Apache-2.0
// See summary_memory.h.
#include "summaries/annotation/summary_memory.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <system_error>

namespace esox {
namespace {

[[noreturn]] void fail(const char* what) {
  throw std::system_error(errno, std::generic_category(), what);
}

}  // namespace

SummaryMemory::SummaryMemory() {
  fd_ = memfd_create("esox-summary", MFD_CLOEXEC);
  if (fd_ < 0) fail("memfd_create of the summary region");
  void* mapped = MAP_FAILED;
  if (ftruncate(fd_, sizeof(SummaryRegion)) == 0) {
    mapped = mmap(nullptr, sizeof(SummaryRegion), PROT_READ | PROT_WRITE, MAP_SHARED, fd_, 0);
  }
  if (mapped == MAP_FAILED) {
    const int error = errno;
    close(fd_);
    errno = error;
    fail("mapping the summary region");
  }
  region_ = static_cast<SummaryRegion*>(mapped);
  reset();
}

SummaryMemory::~SummaryMemory() {
  munmap(region_, sizeof(SummaryRegion));
  close(fd_);
}

// The log's pages stay, for a page that is touched for the first time costs the server more than
// what it writes there; the inclusion tables, touched all over, are given back.
void SummaryMemory::reset() {
  memset(region_->log, 0, std::min(region_->log_used.load(), kOperationLogBytes));
  for (size_t i = 0; i < kMaxAnnotatedComponents; ++i) {
    if (region_->components[i].state.load() == ComponentState::kFree) break;
    const auto at = static_cast<off_t>(offsetof(SummaryRegion, inclusion) +
                                       i * sizeof(SummaryRegion::Inclusion));
    if (fallocate(fd_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, at,
                  sizeof(SummaryRegion::Inclusion)) != 0) {
      fail("emptying the summary region");
    }
  }
  memset(static_cast<void*>(region_), 0, offsetof(SummaryRegion, inclusion));
  region_->magic = kRegionMagic;
  region_->version = kRegionVersion;
  region_->bytes_of_components = sizeof region_->components;
}

std::string SummaryMemory::environment() const {
  return fmt::format("{}=/proc/{}/fd/{}", kRegionVariable, getpid(), fd_);
}

}  // namespace esox
