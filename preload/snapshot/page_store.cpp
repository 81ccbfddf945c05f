// SPDX-License-Identifier: Apache-2.0
#include "preload/snapshot/page_store.h"

#include <errno.h>

#include "preload/core/raw.h"
#include "preload/snapshot/page_watch.h"
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
  count_ = 0;
  trimmed_at_birth_ = times_trimmed();
}

// What may not be written to was not: to make it so would be another mapping. Neighbours are gone
// through by one call.
bool PageStore::note(Mappings& mappings, SnapshotReply& reply) {
  next_ = fresh_count_ = 0;
  Mapping together{};
  for (Mapping& mapping : mappings) {
    if (!mapping.written_privately()) continue;
    if (mapping.watched && times_trimmed() != trimmed_at_birth_) stop_watching(mapping);
    if (mapping.watched) {
      if (!note_mapping(together, reply) || !note_written(mapping, reply)) return false;
      together = Mapping{};
      continue;
    }
    const bool alike = (mapping.inode != 0) == (together.inode != 0);
    if (mapping.begin != together.end || !alike) {
      if (!note_mapping(together, reply)) return false;
      together = mapping;
    }
    together.end = mapping.end;
  }
  if (!note_mapping(together, reply)) return false;
  take_fresh();
  return true;
}

bool PageStore::note_mapping(const Mapping& mapping, SnapshotReply& reply) {
  const bool of_file = mapping.inode != 0;
  const uint64_t before = mapping.end < apart_begin_ ? mapping.end : apart_begin_;
  const uint64_t after = mapping.begin > apart_end_ ? mapping.begin : apart_end_;
  return note_range(mapping.begin, before, of_file, reply) &&
         note_range(after, mapping.end, of_file, reply);
}

bool PageStore::note_range(uint64_t begin, uint64_t end, bool of_file, SnapshotReply& reply) {
  constexpr uint64_t kAnyPages = PageRegion::kIsPresent | PageRegion::kIsSwapped;
  if (begin >= end) return true;
  note_as_due(begin, end);
  PageScan scan(begin, end, of_file, kAnyPages, regions_, kRegions);
  while (!scan.at_end()) {
    if (!note_found(scan.next(), reply)) return false;
  }
  return true;
}

// Mapped anew since then, it is not watched any more.
bool PageStore::note_written(Mapping& mapping, SnapshotReply& reply) {
  const uint32_t next = next_;
  const uint32_t fresh_count = fresh_count_;
  PageScan scan = PageScan::written(mapping.begin, mapping.end, regions_, kRegions);
  while (!scan.at_end()) {
    const long found = scan.next();
    if (found == -EPERM) {
      next_ = next;
      fresh_count_ = fresh_count;
      stop_watching(mapping);
      return note_mapping(mapping, reply);
    }
    if (!note_found(found, reply)) return false;
  }
  return true;
}

bool PageStore::note_found(long found, SnapshotReply& reply) {
  if (found < 0) {
    refuse(reply, SnapshotStep::kMemory, found, "the pages written to cannot be found");
    return false;
  }
  for (long i = 0; i < found; ++i) {
    if (!note_region(regions_[i], reply)) return false;
  }
  return true;
}

bool PageStore::note_region(const PageRegion& region, SnapshotReply& reply) {
  const bool swapped = (region.categories & PageRegion::kIsSwapped) != 0;
  for (uint64_t at = region.begin; at < region.end; at += kPage) {
    if (swapped && is_guard(at)) continue;
    if (swapped) {
      refuse(reply, SnapshotStep::kMemory, ENOTSUP, "memory has been swapped out");
      return false;
    }
    if (!note_page(at, reply)) return false;
  }
  return true;
}

// Addresses ascend, from one call of note() to its end.
void PageStore::note_as_due(uint64_t begin, uint64_t end) {
  while (next_ < count_ && pages_[next_].address < begin) ++next_;
  for (uint32_t i = next_; i < count_ && pages_[i].address < end; ++i) pages_[i].due = true;
}

bool PageStore::note_page(uint64_t address, SnapshotReply& reply) {
  note_as_due(address, address + kPage);
  if (next_ < count_ && pages_[next_].address == address) return true;
  if (count_ + fresh_count_ == kMaxPages) {
    refuse(reply, SnapshotStep::kMemory, ENOMEM, "more than ")
        .number(kMaxPages)
        .text(" pages would have to be copied back");
    return false;
  }
  fresh_[fresh_count_++] = address;
  return true;
}

// From behind, for they are merged in place.
void PageStore::take_fresh() {
  uint32_t old = count_;
  uint32_t fresh = fresh_count_;
  count_ += fresh;
  for (uint32_t at = count_; fresh > 0;) {
    if (old > 0 && pages_[old - 1].address > fresh_[fresh - 1]) {
      pages_[--at] = pages_[--old];
    } else {
      --fresh;
      pages_[--at] = {fresh_[fresh], count_ - fresh_count_ + fresh, Contents::kUnread, true};
    }
  }
  fresh_count_ = 0;
}

// A run of neighbours by one call.
bool PageStore::read_template(SnapshotReply& reply) {
  for (uint32_t first = 0; first < count_;) {
    if (pages_[first].contents != Contents::kUnread) {
      ++first;
      continue;
    }
    uint32_t last = first + 1;
    while (last < count_ && follows(pages_[last - 1], pages_[last])) ++last;
    const long bytes = static_cast<long>((last - first) * kPage);
    const long got = raw::call(SYS_pread64, kTemplateMemoryFd, raw::address(kept(pages_[first])),
                               bytes, static_cast<long>(pages_[first].address));
    if (got != bytes) {
      refuse(reply, SnapshotStep::kMemory, got < 0 ? got : EFAULT,
             "the template's memory cannot be read");
      return false;
    }
    for (; first < last; ++first) {
      pages_[first].contents = all_zeros(kept(pages_[first])) ? Contents::kZeros : Contents::kKept;
    }
  }
  return true;
}

bool PageStore::copy_back(SnapshotReply& reply) {
  if (!read_template(reply)) return false;
  for (uint32_t i = 0; i < count_; ++i) {
    if (!pages_[i].due) continue;
    pages_[i].due = false;
    if (pages_[i].contents == Contents::kZeros) {
      zero_page(pages_[i].address);
    } else {
      copy_page(pages_[i].address, kept(pages_[i]));
    }
  }
  return true;
}

}  // namespace esox
