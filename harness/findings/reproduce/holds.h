// SPDX-License-Identifier: Apache-2.0
// A schedule without control: which client goes on how far, told by what can be seen of a plain
// server from outside. Segment by segment a client runs until its thread comes to a place for the
// k-th time since its request began, or waits for another one, or has its reply; a thread of the
// server's own that is held somewhere, for the k-th time since the first request, or sleeps.
//
// Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/execution_record.h"
#include "analysis/symbols.h"

namespace esox {

// Where a thread can be held.
struct HoldPlace {
  enum class At {
    kEntry,   // of a function
    kReturn,  // from a function, or the place itself
    kCall     // the call that returns to the place
  };
  std::string function;  // by name: the same in many builds; empty: by its offset, in one build
  At at = At::kCall;
  std::string module;
  uint64_t offset = 0;
  bool operator==(const HoldPlace&) const = default;
};

struct HeldSegment {
  enum class Until { kPlace, kBlocked, kEnd };  // kEnd: of the request
  ThreadId client = kNoThread;
  size_t request = 0;
  Until until = Until::kEnd;
  // Where it is held; of kBlocked, once it has waited.
  std::optional<HoldPlace> place;
  unsigned hit = 1;
  uint64_t point = kNever;  // of the execution
  uint64_t site = 0;
};

using Holds = std::vector<HeldSegment>;

// "mariadbd+0x1c" as a place; nothing if it is no such text.
std::optional<HoldPlace> place_in_module(const std::string& module_offset, HoldPlace::At at);

// Of an execution that had so many points. Segments in which nothing is done are left out.
Holds holds_of(const ExecutionRecord& record, uint64_t points, const Symbols& symbols);

// Those that wait and go on later are held where their wait ends: on a plain server whoever is
// woken goes on at once.
Holds held_after_waits(const Holds& holds, const Symbols& symbols);

}  // namespace esox
