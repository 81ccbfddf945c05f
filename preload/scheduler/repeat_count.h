// SPDX-License-Identifier: Apache-2.0
// How often one thread has done what it does: what fairness (fairness.h) goes by.
//
// The count is that of Misra and Gries ("Finding repeated elements", 1982): an operation that finds
// no room takes one off every other's count. So a loop of at most kEntries different operations is
// always noticed, and an operation is never counted more often than it came. A table by hash, in
// which colliding operations drive each other out, overlooked one loop in some thirty for ever, and
// told it as a hang of the server.
#pragma once

#include <cstdint>

namespace esox {

class RepeatCount {
 public:
  static constexpr uint32_t kEntries = 32;

  void clear() { used_ = 0; }

  // Counts one operation; how often it has been done now, `most` for that and more. 0: there is no
  // room for it.
  uint32_t count(uint64_t operation, uint32_t most) {
    const uint32_t place = place_of(operation);
    if (place == kEntries) {
      take_one_off_all();
      return 0;
    }
    if (counts_[place] < most) ++counts_[place];
    return counts_[place];
  }

 private:
  uint32_t place_of(uint64_t operation) {
    for (uint32_t i = 0; i < used_; ++i) {
      if (operations_[i] == operation) return i;
    }
    if (used_ == kEntries) return kEntries;
    operations_[used_] = operation;
    counts_[used_] = 0;
    return used_++;
  }

  void take_one_off_all() {
    uint32_t left = 0;
    for (uint32_t i = 0; i < used_; ++i) {
      if (counts_[i] <= 1) continue;
      operations_[left] = operations_[i];
      counts_[left++] = counts_[i] - 1;
    }
    used_ = left;
  }

  uint32_t used_ = 0;
  uint64_t operations_[kEntries]{};
  uint32_t counts_[kEntries]{};
};

}  // namespace esox
