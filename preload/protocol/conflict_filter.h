// SPDX-License-Identifier: Apache-2.0
// The conflict filter: at which operations of which thread it is worth choosing.
//
// Most operations of an execution never conflict with another thread's: the order around them
// changes nothing (Yuan, PhD thesis 2020, section 4.2.3; Fonseca, PhD thesis 2015, section 6.4).
// Under a filter a thread runs on, without the strategy being asked, through every operation whose
// key is not in the table: one probe. The harness fills the table from what earlier executions have
// shown (analysis/conflicts.h) and never relies on it alone, since it cannot know what it has not
// seen.
//
// Points are numbered as without a filter, so that a schedule found under one is replayed without.
//
// The table: open addressing with linear probing over filter_mask + 1 places, at most half of them
// taken; 0 is a free place. No table (filter_mask 0): every point is offered.
#pragma once

#include <cstdint>

#include "preload/protocol/trace_event.h"

namespace esox {

inline constexpr uint32_t kMaxFilterKeys = 1u << 12;
inline constexpr uint32_t kMaxFilterPlaces = 2 * kMaxFilterKeys;

// The file a call acts on is known by its path, whichever execution it is, and one call site serves
// all files of a server. A lock's address means nothing in another execution: its site stands for
// it.
constexpr uint64_t object_for_filter(OpKind kind, uint64_t object) {
  return kind >= OpKind::kFileOpen && kind <= OpKind::kDirectoryMake ? object : 0;
}

// Of an operation at the absolute address `site`. Never 0.
constexpr uint64_t filter_key(ThreadId thread, uint64_t site, uint64_t object) {
  uint64_t key = site ^ (uint64_t{thread} << 48) ^ (object * 0xff51afd7ed558ccd);
  key = (key ^ (key >> 32)) * 0x9e3779b97f4a7c15;
  return (key ^ (key >> 29)) | 1;
}

// Where `key` is, or the free place for it.
constexpr uint32_t filter_place(const uint64_t* places, uint32_t mask, uint64_t key) {
  uint32_t place = static_cast<uint32_t>(key >> 1) & mask;
  while (places[place] != 0 && places[place] != key) place = (place + 1) & mask;
  return place;
}

// Where requests and threads begin and end, and where a thread itself says that others should run:
// offered whatever the table holds.
constexpr bool is_always_offered(OpKind kind) {
  return kind <= OpKind::kProcessExit || kind == OpKind::kYield || kind == OpKind::kSleep;
}

}  // namespace esox
