// SPDX-License-Identifier: Apache-2.0
// The pages in which a forked process can differ from its template, and what the template has
// there.
//
// A private page that has been written to is anonymous, whatever lies below it; PAGEMAP_SCAN (Linux
// 6.7) finds those. So at its birth the process notes all it has, which are its template's, and
// later all that came since. What the template has in their place is read once, through its
// /proc/PID/mem, and kept. What was noted is copied back: also what was given back meanwhile
// (madvise, munmap), where a page comes into being again; all of it but for what is watched
// (page_watch.h) and has never been written to in any life. Bit 56 of pagemap (mapped by nobody
// else) would tell, too, but not where a third process shares the page; nor can the count of page
// faults, for huge pages are collapsed without.
//
// What the template changes of its own while it waits (the agent's variables, the stack below
// serve()) may be older in a kept page than in another; nobody reads it.
//
// Lies in memory that is all zeros at first and not copied back itself (rewind.h).
#pragma once

#include <cstdint>

#include "preload/protocol/snapshot.h"
#include "preload/snapshot/mappings.h"
#include "preload/snapshot/page_scan.h"

namespace esox {

class PageStore {
 public:
  // To copy back more takes longer than a fork.
  static constexpr uint32_t kMaxPages = 8192;
  static constexpr uint64_t kPage = 4096;
  static constexpr uint64_t kBytes = kMaxPages * kPage;  // of the room for kept pages

  // `room` is where pages are kept. Pages in [apart_begin, apart_end) are left alone.
  void begin(char* room, uint64_t apart_begin, uint64_t apart_end);

  // Notes the pages that are there now. All other threads stand still. What is not watched any more
  // is told as such. False: see the reply.
  bool note(Mappings& mappings, SnapshotReply& reply);

  // Makes what may have changed equal to the template's. All other threads stand still, off their
  // stacks; so does this one. False: see the reply.
  bool copy_back(SnapshotReply& reply);

 private:
  static constexpr uint32_t kRegions = 512;

  enum class Contents : uint16_t { kUnread, kKept, kZeros };
  struct Page {
    uint64_t address;
    uint32_t place;  // in the room
    Contents contents;
    bool due;  // to be copied back
  };
  static bool follows(const Page& one, const Page& next) {
    return next.address == one.address + kPage && next.place == one.place + 1 &&
           next.contents == Contents::kUnread;
  }
  char* kept(const Page& page) const { return room_ + page.place * kPage; }
  bool note_mapping(const Mapping& mapping, SnapshotReply& reply);
  bool note_written(Mapping& mapping, SnapshotReply& reply);
  bool note_range(uint64_t begin, uint64_t end, bool of_file, SnapshotReply& reply);
  bool note_found(long found, SnapshotReply& reply);
  bool note_region(const PageRegion& region, SnapshotReply& reply);
  void note_as_due(uint64_t begin, uint64_t end);
  bool note_page(uint64_t address, SnapshotReply& reply);
  void take_fresh();
  bool read_template(SnapshotReply& reply);

  char* room_;
  uint64_t apart_begin_, apart_end_;
  uint32_t trimmed_at_birth_;
  Page pages_[kMaxPages];  // by address
  uint32_t count_;
  uint32_t next_;              // of the pages: those before lie before what is looked at
  uint64_t fresh_[kMaxPages];  // addresses of pages that are noted for the first time
  uint32_t fresh_count_;
  PageRegion regions_[kRegions];
};

}  // namespace esox
