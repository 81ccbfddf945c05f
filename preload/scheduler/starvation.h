// SPDX-License-Identifier: Apache-2.0
// Anti-starvation (thesis 5.3.2, made finer): a thread that busy-waits for another one must not be
// run for ever. The thesis demotes whoever runs uninterrupted for many steps; we count repeats of
// the same (call site, object) since the thread was last switched in, so that a long but
// progressing request is left alone. A full table forgets: the guard is a heuristic whose only
// effect is one more switch.
#pragma once

#include <cstdint>

namespace esox {

class StarvationGuard {
 public:
  void reset() {
    for (Entry& entry : entries_) entry = {};
  }

  // Counts one operation; true if it has now repeated `limit` times without a switch.
  bool repeats(uint64_t site, uint64_t object, uint32_t limit) {
    const uint64_t key = (site * 0x9e3779b97f4a7c15u) ^ (object * 0xc2b2ae3d27d4eb4fu);
    Entry& entry = entries_[(key >> 32) % kEntries];
    if (entry.key != key) entry = {key, 0};
    if (++entry.count < limit) return false;
    entry.count = 0;
    return true;
  }

 private:
  static constexpr uint32_t kEntries = 32;
  struct Entry {
    uint64_t key = 0;
    uint32_t count = 0;
  };
  Entry entries_[kEntries];
};

}  // namespace esox
