// SPDX-License-Identifier: Apache-2.0
// Which call sites touch memory that another thread touches as well, one of them writing.
//
// For each 8-byte word: the last few different accesses (who, where, which bytes, whether it
// wrote). Two that meet in a byte, of different threads, one of them a write, *conflict*, in
// whatever order they came and whatever orders them: a lock that both hold makes no difference, nor
// does it cost more than points that lead nowhere. So a few executions, serial ones even, find
// nearly all sites.
//
// Bounded: words share lines by hash, and a line belongs to the word touched last. What is
// forgotten is counted, and is met again in another execution.
#pragma once

#include <algorithm>
#include <cstdint>

#include "preload/protocol/trace_event.h"

namespace esox {

class AccessShadow {
 public:
  static constexpr uint32_t kLines = 1u << 14;  // of 64 bytes: 1 MiB, touched only while learning
  static constexpr uint32_t kCells = 7;         // different accesses kept of a word
  static constexpr uint64_t kMostWords = 64;    // looked at of one large access

  // Nothing was accessed yet.
  void begin() {
    forgotten_ = 0;
    if (++epoch_ <= kMostEpochs) return;
    for (Line& line : lines_) line.tag = 0;
    epoch_ = 1;
  }

  uint64_t forgotten() const { return forgotten_; }

  // Notes one access; calls found(site) for each site that is now known to conflict.
  void note(ThreadId thread, uint64_t address, uint64_t bytes, bool writes, uint64_t site,
            auto&& found) {
    const uint64_t end = address + std::clamp<uint64_t>(bytes, 1, kMostWords * 8);
    for (uint64_t at = address; at < end; at = (at | 7) + 1) {
      const uint64_t first = at & 7;
      const uint64_t last = std::min<uint64_t>(8, first + (end - at));
      const uint64_t mask = (0xffu << first) & (0xffu >> (8 - last));
      note_word(at >> 3, pack(thread, site, mask, writes), found);
    }
  }

 private:
  // site 48 bits, bytes touched 8, thread 7, write 1; 0 is no access.
  using Cell = uint64_t;
  static constexpr uint64_t kWrite = 1;
  static constexpr uint64_t kThread = 0x7f << 1;
  static constexpr uint64_t kMask = uint64_t{0xff} << 8;
  static constexpr uint64_t kMostEpochs = (1u << 20) - 1;

  // The word's number and the epoch, so that a new execution finds all lines empty.
  struct Line {
    uint64_t tag;
    Cell cells[kCells];
  };
  static_assert(sizeof(Line) == 64);

  static Cell pack(ThreadId thread, uint64_t site, uint64_t mask, bool writes) {
    return site << 16 | mask << 8 | (uint64_t{thread} << 1 & kThread) | (writes ? kWrite : 0);
  }
  static uint64_t site_of(Cell cell) { return cell >> 16; }
  static bool conflict(Cell a, Cell b) {
    return ((a ^ b) & kThread) != 0 && (a & b & kMask) != 0 && ((a | b) & kWrite) != 0;
  }

  void note_word(uint64_t word, Cell access, auto& found) {
    Line& line = line_of(word);
    bool met = false;
    uint32_t place = kCells;
    for (uint32_t i = 0; i < kCells; ++i) {
      const Cell cell = line.cells[i];
      if (cell == access) place = i;
      if (cell == 0 && place == kCells) place = i;
      if (cell == 0) break;
      if (!conflict(cell, access)) continue;
      met = true;
      found(site_of(cell));
    }
    if (met) found(site_of(access));
    line.cells[place < kCells ? place : (access >> 16) % kCells] = access;
  }

  Line& line_of(uint64_t word) {
    Line& line = lines_[static_cast<uint32_t>((word * 0x9e3779b97f4a7c15u) >> 40) % kLines];
    const uint64_t tag = word << 20 | epoch_;
    if (line.tag == tag) return line;
    if ((line.tag & kMostEpochs) == epoch_) ++forgotten_;
    line = Line{tag, {}};
    return line;
  }

  uint64_t epoch_ = 0;
  uint64_t forgotten_ = 0;
  Line lines_[kLines] = {};
};

}  // namespace esox
