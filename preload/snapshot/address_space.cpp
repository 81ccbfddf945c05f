// SPDX-License-Identifier: Apache-2.0
#include "preload/snapshot/address_space.h"

#include <errno.h>
#include <sys/mman.h>

#include "preload/core/raw.h"
#include "preload/snapshot/memory.h"
#include "preload/snapshot/page_scan.h"
#include "preload/snapshot/refusal.h"

namespace esox {
namespace {

enum class Mend { kNothing, kProtect, kMap, kCannot };  // the later, the more

struct Range {
  uint64_t begin, end;
};

bool refuse_range(SnapshotReply& reply, const char* what, const Range& range, long error) {
  refuse(reply, SnapshotStep::kMemory, error, what)
      .number((range.end - range.begin) >> 10)
      .text(" KiB");
  return false;
}

long protection_of(const Mapping& mapping) {
  return ((mapping.access & Mapping::kMayRead) != 0 ? PROT_READ : 0) |
         ((mapping.access & Mapping::kMayWrite) != 0 ? PROT_WRITE : 0) |
         ((mapping.access & Mapping::kMayExecute) != 0 ? PROT_EXEC : 0);
}

bool is_shared(const Mapping& mapping) {
  return (mapping.access & Mapping::kIsShared) != 0;
}

// Whether the same memory lies at the address, however it is protected.
bool is_same_memory(const Mapping& now, const Mapping& then, uint64_t at) {
  if (now.device != then.device || now.inode != then.inode) return false;
  if (is_shared(now) != is_shared(then)) return false;
  return now.inode == 0 || now.offset + (at - now.begin) == then.offset + (at - then.begin);
}

bool can_be_mapped_anew(const Mapping& then) {
  if (is_shared(then) || then.irreplaceable) return false;
  return then.inode == 0 || is_moved_file(then.device, then.inode);
}

// For the part of `then` that begins at this address.
Mend mend_of(const Mapping& then, const Mapping& now, uint64_t at) {
  const bool same = is_same_memory(now, then, at);
  if (same && now.access == then.access) return Mend::kNothing;
  const bool only_protected =
      same && (then.written_privately() || (now.access & Mapping::kMayWrite) == 0);
  // What had no pages may have some by now: mapped anew, it has none.
  if (only_protected && (then.written_privately() || then.irreplaceable)) return Mend::kProtect;
  return can_be_mapped_anew(then) ? Mend::kMap : Mend::kCannot;
}

class Sweep {
 public:
  Sweep(const Mappings& now, SnapshotReply& reply)
      : now_(now.begin()), now_end_(now.end()), reply_(reply) {}

  // By ascending addresses.
  bool bring_back(const Mapping& then) {
    switch (mend_of_all(then)) {
      case Mend::kNothing:
        return true;
      case Mend::kProtect:
        return protect(then);
      case Mend::kMap:
        return map(then);
      case Mend::kCannot:
        break;
    }
    return refuse_range(reply_,
                        is_shared(then) ? "shared memory was given back or protected otherwise: "
                        : then.irreplaceable
                            ? "read-only or guarded memory was given back or made writable: "
                            : "a file's memory was given back: ",
                        {then.begin, then.end}, ENOTSUP);
  }

  bool unmap_between(uint64_t begin, uint64_t end) {
    for (; now_ != now_end_ && now_->begin < end; ++now_) {
      const Range range{now_->begin > begin ? now_->begin : begin,
                        now_->end < end ? now_->end : end};
      if (range.begin < range.end && !unmap(*now_, range)) return false;
      if (now_->end > end) break;  // the rest is another one's
    }
    return true;
  }

 private:
  // One mapping is brought back whole, so that it stays one.
  Mend mend_of_all(const Mapping& then) {
    Mend all = Mend::kNothing;
    uint64_t at = then.begin;
    for (; now_ != now_end_ && now_->begin < then.end; ++now_) {
      if (now_->end <= at) continue;
      if (now_->begin > at) all = more(all, absent(then));
      at = now_->begin > at ? now_->begin : at;
      all = more(all, mend_of(then, *now_, at));
      at = now_->end < then.end ? now_->end : then.end;
      if (now_->end > then.end) break;
    }
    return at < then.end ? more(all, absent(then)) : all;
  }

  static Mend more(Mend a, Mend b) { return a < b ? b : a; }
  static Mend absent(const Mapping& then) {
    return can_be_mapped_anew(then) ? Mend::kMap : Mend::kCannot;
  }

  // A request that the kernel works on by itself (aio, io_uring) would outlive its ring.
  bool unmap(const Mapping& mapping, const Range& range) {
    if (is_shared(mapping))
      return refuse_range(reply_, "shared memory was mapped: ", range, ENOTSUP);
    const long error = raw::call(SYS_munmap, static_cast<long>(range.begin),
                                 static_cast<long>(range.end - range.begin));
    return error == 0 || refuse_range(reply_, "memory cannot be given back: ", range, error);
  }

  bool protect(const Mapping& then) {
    const long error = raw::call(SYS_mprotect, static_cast<long>(then.begin),
                                 static_cast<long>(then.end - then.begin), protection_of(then));
    return error == 0 ||
           refuse_range(reply_, "memory cannot be protected as it was: ", {then.begin, then.end},
                        error);
  }

  bool map(const Mapping& then) {
    const bool of_file = then.inode != 0;
    const bool unaccounted = of_file || then.access == 0;
    const long mapped = raw::call(
        SYS_mmap, static_cast<long>(then.begin), static_cast<long>(then.end - then.begin),
        protection_of(then),
        MAP_PRIVATE | MAP_FIXED | (unaccounted ? MAP_NORESERVE : 0) | (of_file ? 0 : MAP_ANONYMOUS),
        of_file ? kMovedMemoryFd : -1, of_file ? static_cast<long>(then.offset) : 0);
    return mapped == static_cast<long>(then.begin) ||
           refuse_range(reply_, "memory cannot be mapped anew: ", {then.begin, then.end}, mapped);
  }

  const Mapping* now_;
  const Mapping* now_end_;
  SnapshotReply& reply_;
};

// Of these kinds (PageScan), as far as the kernel tells: of its own pages it does not.
bool may_have_pages(const Mapping& mapping, uint64_t kinds) {
  PageRegion region;
  PageScan scan(mapping.begin, mapping.end, mapping.inode != 0, kinds, &region, 1);
  while (!scan.at_end()) {
    if (scan.next() != 0) return true;
  }
  return false;
}

}  // namespace

void note_irreplaceable(Mappings& born) {
  constexpr uint64_t kAnyPages = PageRegion::kIsPresent | PageRegion::kIsSwapped;
  for (Mapping& mapping : born) {
    if (is_shared(mapping)) continue;
    const bool written = mapping.written_privately();
    const uint64_t kinds = written ? PageRegion::kIsSwapped : kAnyPages;
    mapping.irreplaceable = (!written && mapping.inode != 0) || may_have_pages(mapping, kinds);
  }
}

bool bring_back_address_space(const Mappings& born, Mappings& now, SnapshotReply& reply) {
  if (!now.read()) {
    refuse(reply, SnapshotStep::kMemory, ENOMEM, "what lies in memory cannot be told");
    return false;
  }
  Sweep sweep(now, reply);
  uint64_t end = 0;
  for (const Mapping& then : born) {
    if (!sweep.unmap_between(end, then.begin) || !sweep.bring_back(then)) return false;
    end = then.end;
  }
  return sweep.unmap_between(end, UINT64_MAX);
}

}  // namespace esox
