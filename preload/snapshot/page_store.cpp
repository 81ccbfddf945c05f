// SPDX-License-Identifier: Apache-2.0
#include "preload/snapshot/page_store.h"

#include <errno.h>
#include <sys/ioctl.h>
#include <sys/resource.h>

#include "preload/scheduler/raw.h"
#include "preload/snapshot/refusal.h"

namespace esox {
namespace {

// linux/fs.h since 6.7; Debian's headers may be older.
struct ScanArguments {  // struct pm_scan_arg
  uint64_t size, flags, start, end, walk_end, regions, region_count, max_pages;
  uint64_t inverted, mask, any_of, returned;
};
constexpr unsigned long kScan = _IOWR('f', 16, ScanArguments);
constexpr uint64_t kIsFile = 1u << 2;
constexpr uint64_t kIsPresent = 1u << 3;
constexpr uint64_t kIsSwapped = 1u << 4;

constexpr uint64_t kExclusive = uint64_t{1} << 56;  // of an entry of pagemap
constexpr uint64_t kEndOfMemory = 0x7ffffffff000;

// Without libc's, which might be a hook's or write where it is about to be copied to.
void copy_page(uint64_t to, const char* from) {
  uint64_t words = PageStore::kPage / 8;
  asm volatile("rep movsq" : "+D"(to), "+S"(from), "+c"(words) : : "memory");
}

void zero_page(uint64_t to) {
  uint64_t words = PageStore::kPage / 8;
  asm volatile("rep stosq" : "+D"(to), "+c"(words) : "a"(0) : "memory");
}

// Of the process so far: whoever writes to a page for the first time has one.
uint64_t page_faults() {
  rusage usage;
  if (raw::call(SYS_getrusage, RUSAGE_SELF, raw::address(&usage)) != 0) return 0;
  return static_cast<uint64_t>(usage.ru_minflt) + static_cast<uint64_t>(usage.ru_majflt);
}

bool all_zeros(const char* page) {
  const auto* words = reinterpret_cast<const uint64_t*>(page);
  uint64_t any = 0;
  for (uint64_t i = 0; i < PageStore::kPage / 8; ++i) any |= words[i];
  return any == 0;
}

}  // namespace

bool PageStore::copy_back(uint64_t apart_begin, uint64_t apart_end, char* room,
                          SnapshotReply& reply) {
  apart_begin_ = apart_begin;
  apart_end_ = apart_end;
  room_ = room;
  window_begin_ = 0;
  const uint64_t faults = page_faults();
  if (faults != faults_ && !note_written(reply)) return false;
  for (uint32_t i = 0; i < count_; ++i) {
    if (pages_[i].zeros) {
      zero_page(pages_[i].address);
    } else {
      copy_page(pages_[i].address, room_ + i * kPage);
    }
  }
  faults_ = page_faults();
  return true;
}

bool PageStore::note_written(SnapshotReply& reply) {
  ScanArguments scan{};
  scan.size = sizeof scan;
  scan.end = kEndOfMemory;
  scan.regions = reinterpret_cast<uint64_t>(regions_);
  scan.region_count = kRegions;
  scan.inverted = scan.mask = kIsFile;  // anonymous
  scan.any_of = kIsPresent | kIsSwapped;
  scan.returned = kIsSwapped;
  while (scan.start < scan.end) {
    const long found = raw::call(SYS_ioctl, kOwnPagesFd, kScan, raw::address(&scan));
    if (found < 0) {
      refuse(reply, SnapshotStep::kMemory, found, "the pages written to cannot be found");
      return false;
    }
    for (long i = 0; i < found; ++i) {
      if (!note_region(regions_[i], reply)) return false;
    }
    scan.start = scan.walk_end;
  }
  return true;
}

bool PageStore::note_region(const Region& region, SnapshotReply& reply) {
  if ((region.categories & kIsSwapped) != 0) {
    refuse(reply, SnapshotStep::kMemory, ENOTSUP, "memory has been swapped out");
    return false;
  }
  for (uint64_t at = region.begin; at < region.end; at += kPage) {
    const bool apart = at >= apart_begin_ && at < apart_end_;
    if (!apart && is_own(at) && !note_page(at, reply)) return false;
  }
  return true;
}

bool PageStore::is_own(uint64_t address) {
  if (window_begin_ == 0 || address < window_begin_ || address >= window_begin_ + kWindow * kPage) {
    for (uint64_t& entry : window_) entry = 0;
    window_begin_ = address;
    raw::call(SYS_pread64, kOwnPagesFd, raw::address(window_), sizeof window_,
              static_cast<long>(address / kPage * sizeof window_[0]));
  }
  return (window_[(address - window_begin_) / kPage] & kExclusive) != 0;
}

bool PageStore::note_page(uint64_t address, SnapshotReply& reply) {
  constexpr uint64_t kSpread = 0x9e3779b97f4a7c15;
  uint64_t slot = (address / kPage * kSpread) >> 32 & (kSlots - 1);
  for (; slots_[slot] != 0; slot = (slot + 1) & (kSlots - 1)) {
    if (pages_[slots_[slot] - 1].address == address) return true;
  }
  if (count_ == kMaxPages) {
    refuse(reply, SnapshotStep::kMemory, ENOMEM, "more than ")
        .number(kMaxPages)
        .text(" pages were written to");
    return false;
  }
  char* kept = room_ + count_ * kPage;
  const long got = raw::call(SYS_pread64, kTemplateMemoryFd, raw::address(kept), kPage,
                             static_cast<long>(address));
  if (got != static_cast<long>(kPage)) {
    refuse(reply, SnapshotStep::kMemory, got < 0 ? got : EFAULT,
           "the template's memory cannot be read");
    return false;
  }
  pages_[count_] = {address, all_zeros(kept)};
  slots_[slot] = ++count_;
  return true;
}

}  // namespace esox
