// SPDX-License-Identifier: Apache-2.0
// Anti-starvation: a thread that busy-waits for another one must not be run for ever. PIKE demotes
// whoever runs uninterrupted for many steps (P. Fonseca, PhD thesis 2015, section 5.3.2); we count
// repeats of the same (call site, object) since the thread was last switched in, so that a long but
// progressing request is left alone.
//
// The count is that of Misra and Gries ("Finding repeated elements", 1982): an operation that finds
// no room takes one off every other's count. So a loop of at most kEntries different operations is
// always noticed, and an operation is never counted more often than it came. A table by hash, in
// which colliding operations drive each other out, overlooked one loop in some thirty for ever, and
// told it as a hang of the server.
#pragma once

#include <cstdint>

namespace esox {

class StarvationGuard {
 public:
  static constexpr uint32_t kEntries = 32;

  void reset() { used_ = 0; }

  // Counts one operation; true if it has now repeated `limit` times without a switch.
  bool repeats(uint64_t site, uint64_t object, uint32_t limit) {
    const uint64_t key = (site * 0x9e3779b97f4a7c15u) ^ (object * 0xc2b2ae3d27d4eb4fu);
    const uint32_t place = place_of(key);
    if (place == kEntries) {
      take_one_off_all();
      return false;
    }
    if (++counts_[place] < limit) return false;
    counts_[place] = 0;
    return true;
  }

 private:
  uint32_t place_of(uint64_t key) {
    for (uint32_t i = 0; i < used_; ++i) {
      if (keys_[i] == key) return i;
    }
    if (used_ == kEntries) return kEntries;
    keys_[used_] = key;
    counts_[used_] = 0;
    return used_++;
  }

  void take_one_off_all() {
    uint32_t left = 0;
    for (uint32_t i = 0; i < used_; ++i) {
      if (counts_[i] <= 1) continue;
      keys_[left] = keys_[i];
      counts_[left++] = counts_[i] - 1;
    }
    used_ = left;
  }

  uint32_t used_ = 0;
  uint64_t keys_[kEntries]{};
  uint32_t counts_[kEntries]{};
};

}  // namespace esox
