// SPDX-License-Identifier: Apache-2.0
// Asking the kernel which pages of a range the process has of its own: PAGEMAP_SCAN (Linux 6.7), by
// kOwnPagesFd. Debian's headers may be older than it.
#pragma once

#include <sys/ioctl.h>

#include <cstdint>

#include "preload/core/raw.h"
#include "preload/protocol/snapshot.h"

namespace esox {

struct PageRegion {  // struct page_region
  uint64_t begin, end, categories;

  static constexpr uint64_t kIsWritten = 1u << 1;
  static constexpr uint64_t kIsFile = 1u << 2;
  static constexpr uint64_t kIsPresent = 1u << 3;
  static constexpr uint64_t kIsSwapped = 1u << 4;
};

// Goes through [begin, end), a call at a time: pages that are of one of these kinds (kIsPresent
// ...) and, if it is memory `of_file`, none of the file's. That is asked only there, for it takes
// the kernel far longer: it looks at what it knows of each page, which is in nobody's cache. Of a
// page's categories a region tells kIsSwapped.
class PageScan {
 public:
  PageScan(uint64_t begin, uint64_t end, bool of_file, uint64_t kinds, PageRegion* regions,
           uint64_t count) {
    arguments_.size = sizeof arguments_;
    arguments_.start = begin;
    arguments_.end = end;
    arguments_.regions = reinterpret_cast<uint64_t>(regions);
    arguments_.region_count = count;
    arguments_.inverted = arguments_.mask = of_file ? PageRegion::kIsFile : 0;
    arguments_.any_of = kinds;
    arguments_.returned = PageRegion::kIsSwapped;
  }

  // All pages that were written to since they are watched (page_watch.h). Where one is not watched
  // any more, next() gives -EPERM. To ask for this and nothing else is what the kernel is fast at.
  static PageScan written(uint64_t begin, uint64_t end, PageRegion* regions, uint64_t count) {
    constexpr uint64_t kAllWatched = 1u << 1;  // PM_SCAN_CHECK_WPASYNC
    PageScan scan(begin, end, /*of_file=*/false, /*kinds=*/0, regions, count);
    scan.arguments_.flags = kAllWatched;
    scan.arguments_.mask = scan.arguments_.returned = PageRegion::kIsWritten;
    return scan;
  }

  bool at_end() const { return arguments_.start >= arguments_.end; }
  // The number of regions found by now in the rest of the range, at most `count`; or -errno.
  long next() {
    constexpr unsigned long kScan = _IOWR('f', 16, Arguments);
    const long found = raw::call(SYS_ioctl, kOwnPagesFd, kScan, raw::address(&arguments_));
    if (found >= 0) arguments_.start = arguments_.walk_end;
    return found;
  }

 private:
  struct Arguments {  // struct pm_scan_arg
    uint64_t size, flags, start, end, walk_end, regions, region_count, max_pages;
    uint64_t inverted, mask, any_of, returned;
  };
  Arguments arguments_{};
};

}  // namespace esox
