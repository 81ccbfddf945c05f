// SPDX-License-Identifier: Apache-2.0
#include "preload/snapshot/page_store.h"

#include <errno.h>

#include "preload/core/raw.h"
#include "preload/snapshot/refusal.h"

namespace esox {
namespace {

// Without libc's, which might be a hook's or write where it is about to be copied to.
void copy_page(uint64_t to, const char* from) {
  uint64_t words = PageStore::kPage / 8;
  asm volatile("rep movsq" : "+D"(to), "+S"(from), "+c"(words) : : "memory");
}

void zero_page(uint64_t to) {
  uint64_t words = PageStore::kPage / 8;
  asm volatile("rep stosq" : "+D"(to), "+c"(words) : "a"(0) : "memory");
}

bool all_zeros(const char* page) {
  const auto* words = reinterpret_cast<const uint64_t*>(page);
  uint64_t any = 0;
  for (uint64_t i = 0; i < PageStore::kPage / 8; ++i) any |= words[i];
  return any == 0;
}

// Guard pages (MADV_GUARD_INSTALL, Linux 6.13; the C library's below stacks) count as swapped, and
// are nothing that could be copied.
bool is_guard(uint64_t address) {
  constexpr uint64_t kGuard = uint64_t{1} << 58;
  uint64_t entry = 0;
  raw::call(SYS_pread64, kOwnPagesFd, raw::address(&entry), sizeof entry,
            static_cast<long>(address / PageStore::kPage * sizeof entry));
  return (entry & kGuard) != 0;
}

}  // namespace

void PageStore::begin(char* room, uint64_t apart_begin, uint64_t apart_end) {
  room_ = room;
  apart_begin_ = apart_begin;
  apart_end_ = apart_end;
  count_ = read_ = 0;
}

// What may not be written to was not: to make it so would be another mapping.
bool PageStore::note(const Mappings& mappings, SnapshotReply& reply) {
  uint64_t begin = 0;
  uint64_t end = 0;
  for (const Mapping& mapping : mappings) {
    if (!mapping.written_privately()) continue;
    if (mapping.begin != end) {
      if (!note_range(begin, end, reply)) return false;
      begin = mapping.begin;
    }
    end = mapping.end;
  }
  return note_range(begin, end, reply);
}

bool PageStore::note_range(uint64_t begin, uint64_t end, SnapshotReply& reply) {
  constexpr uint64_t kAnyPages = PageRegion::kIsPresent | PageRegion::kIsSwapped;
  PageScan scan(begin, end, kAnyPages, regions_, kRegions);
  while (!scan.at_end()) {
    const long found = scan.next();
    if (found < 0) {
      refuse(reply, SnapshotStep::kMemory, found, "the pages written to cannot be found");
      return false;
    }
    for (long i = 0; i < found; ++i) {
      if (!note_region(regions_[i], reply)) return false;
    }
  }
  return true;
}

bool PageStore::note_region(const PageRegion& region, SnapshotReply& reply) {
  const bool swapped = (region.categories & PageRegion::kIsSwapped) != 0;
  for (uint64_t at = region.begin; at < region.end; at += kPage) {
    if (at >= apart_begin_ && at < apart_end_) continue;
    if (swapped && is_guard(at)) continue;
    if (swapped) {
      refuse(reply, SnapshotStep::kMemory, ENOTSUP, "memory has been swapped out");
      return false;
    }
    if (!note_page(at, reply)) return false;
  }
  return true;
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
        .text(" pages would have to be copied back");
    return false;
  }
  pages_[count_] = {address, false};
  slots_[slot] = ++count_;
  return true;
}

// A run of neighbours by one call.
bool PageStore::read_template(SnapshotReply& reply) {
  while (read_ < count_) {
    uint32_t last = read_ + 1;
    while (last < count_ && pages_[last].address == pages_[last - 1].address + kPage) ++last;
    const long bytes = static_cast<long>((last - read_) * kPage);
    const long got = raw::call(SYS_pread64, kTemplateMemoryFd, raw::address(room_ + read_ * kPage),
                               bytes, static_cast<long>(pages_[read_].address));
    if (got != bytes) {
      refuse(reply, SnapshotStep::kMemory, got < 0 ? got : EFAULT,
             "the template's memory cannot be read");
      return false;
    }
    for (; read_ < last; ++read_) pages_[read_].zeros = all_zeros(room_ + read_ * kPage);
  }
  return true;
}

bool PageStore::copy_back(SnapshotReply& reply) {
  if (!read_template(reply)) return false;
  for (uint32_t i = 0; i < count_; ++i) {
    if (pages_[i].zeros) {
      zero_page(pages_[i].address);
    } else {
      copy_page(pages_[i].address, room_ + i * kPage);
    }
  }
  return true;
}

}  // namespace esox
