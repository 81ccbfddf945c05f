// SPDX-License-Identifier: Apache-2.0
// Where in one thread's operations is what another build of the server recorded?
//
// Both lists begin at the same place; of the list of now, any number of operations may follow what
// was recorded. The best alignment (Needleman and Wunsch 1970, its end free on one side):
// operations of the same kind on an object of the same name can be the same, the more so if the
// function that called them is; each operation without a partner costs. Time and memory are
// bounded: long lists are aligned window by window.
//
// Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "analysis/operations.h"

namespace esox {

enum class Likeness : uint8_t {
  kNone,      // of another kind, or on another object
  kKind,      // called by another function
  kFunction,  // by the same one; at another place in it
  kSite       // the same call
};

Likeness likeness(const OperationName& a, const OperationName& b);

// Of all names of one list with all of another, worked out once.
class LikenessTable {
 public:
  LikenessTable(const Operations& recorded, const Operations& now);
  Likeness of(uint32_t recorded, uint32_t now) const { return table_[recorded * columns_ + now]; }

 private:
  size_t columns_;
  std::vector<Likeness> table_;
};

struct Alignment {
  // Of the list of now: so many belong to what was recorded. The last of them is the partner of the
  // last recorded one; if `found` is false, the one after them stands at its place.
  size_t length = 0;
  bool found = false;
  size_t added = 0;    // operations of now without a partner
  size_t missing = 0;  // recorded ones without a partner
  size_t places = 0;   // stretches of these
};

Alignment align(std::span<const uint32_t> recorded, std::span<const uint32_t> now,
                const LikenessTable& table);

}  // namespace esox
