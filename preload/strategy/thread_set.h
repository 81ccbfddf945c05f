// SPDX-License-Identifier: Apache-2.0
// A set of threads, by a bit each.
#pragma once

#include <cstdint>

#include "preload/strategy/strategy.h"

namespace esox {

class ThreadSet {
 public:
  constexpr void clear() { low_ = high_ = 0; }
  constexpr void add(ThreadId thread) {
    if (thread < 64) low_ |= bit(thread);
    if (thread >= 64 && thread < kMaxThreads) high_ |= bit(thread);
  }
  constexpr void remove(ThreadId thread) {
    if (thread < 64) low_ &= ~bit(thread);
    if (thread >= 64) high_ &= ~bit(thread);
  }
  constexpr void add_all(const ThreadSet& other) {
    low_ |= other.low_;
    high_ |= other.high_;
  }
  constexpr bool has(ThreadId thread) const {
    return thread < kMaxThreads && ((thread < 64 ? low_ : high_) & bit(thread)) != 0;
  }
  constexpr bool any() const { return (low_ | high_) != 0; }
  constexpr bool meets(const ThreadSet& other) const {
    return ((low_ & other.low_) | (high_ & other.high_)) != 0;
  }

 private:
  static_assert(kMaxThreads == 128);
  static constexpr uint64_t bit(ThreadId thread) { return uint64_t{1} << (thread % 64); }

  uint64_t low_ = 0;
  uint64_t high_ = 0;
};

}  // namespace esox
