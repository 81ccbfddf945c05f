// SPDX-License-Identifier: Apache-2.0
// The pages that a forked process has written to, and what its template has in their place.
//
// A page written to since the fork is the process's own: anonymous, and mapped by nobody else
// ("exclusively mapped", bit 56 of /proc/PID/pagemap). PAGEMAP_SCAN (Linux 6.7) finds anonymous
// pages without a look at all the others. What the template has there is read once, through its
// /proc/PID/mem, and kept: the next time it is only copied back. A page once written to stays the
// process's own, so it is copied back every time from then on; that costs less than giving it up
// and faulting it in again. So after some lives nothing faults any more, and where nothing has
// faulted there is no other page to be looked for. What the template changes of its own while it
// waits (the agent's variables, the stack below serve()) may be older in a kept page than in
// another; nobody reads it.
//
// Lies in memory that is all zeros at first and not copied back itself (rewind.h).
#pragma once

#include <cstdint>

#include "preload/protocol/snapshot.h"

namespace esox {

class PageStore {
 public:
  static constexpr uint32_t kMaxPages = 8192;
  static constexpr uint64_t kPage = 4096;
  static constexpr uint64_t kBytes = kMaxPages * kPage;  // of the room for kept pages

  // Makes the memory equal to the template's, but for [apart_begin, apart_end). All other threads
  // stand still, off their stacks; so does this one. The mappings are the template's. False: see
  // the reply; the memory is then neither the one nor the other.
  bool copy_back(uint64_t apart_begin, uint64_t apart_end, char* room, SnapshotReply& reply);

  uint32_t pages() const { return count_; }

 private:
  static constexpr uint32_t kSlots = 2 * kMaxPages;  // a power of two
  static constexpr uint32_t kRegions = 512;
  static constexpr uint64_t kWindow = 512;  // entries of pagemap read at once

  struct Page {
    uint64_t address;
    bool zeros;  // then nothing is kept
  };
  struct Region {  // struct page_region
    uint64_t begin, end, categories;
  };

  bool note_written(SnapshotReply& reply);
  bool note_region(const Region& region, SnapshotReply& reply);
  bool is_own(uint64_t address);
  bool note_page(uint64_t address, SnapshotReply& reply);

  uint64_t apart_begin_, apart_end_;
  char* room_;
  Page pages_[kMaxPages];
  uint32_t count_;
  uint32_t slots_[kSlots];  // by address: 1 + number of the page
  Region regions_[kRegions];
  uint64_t window_[kWindow];
  uint64_t window_begin_;  // address; 0: nothing read
  uint64_t faults_;        // when all was copied back last
};

}  // namespace esox
