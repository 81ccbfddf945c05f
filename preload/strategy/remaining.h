// SPDX-License-Identifier: Apache-2.0
// How much each thread has still to do, and drawing threads by it.
//
// If every thread is drawn with a weight of the operations it has left, all interleavings of the
// threads' operations are equally likely (each draw is right in proportion to the number of ways in
// which the execution can go on). With equal weights the shorter thread ends early, and what the
// longer one does then is never interleaved.
#pragma once

#include <algorithm>
#include <array>
#include <span>

#include "preload/strategy/rng.h"
#include "preload/strategy/strategy.h"

namespace esox {

class Remaining {
 public:
  // `expected` is by thread; 0, or beyond its end: not known. Such a thread is taken for an average
  // one, and one that has done all that was expected still counts for 1: it can be drawn, however
  // long it takes. Where no thread's is known all weigh the same, all the time.
  void begin_estimated(std::span<const uint32_t> expected) {
    uint64_t sum = 0;
    uint64_t known = 0;
    for (const uint32_t count : expected) {
      sum += count;
      known += count != 0;
    }
    counts_ = known != 0;
    least_ = 1;
    set_all(expected, counts_ ? static_cast<uint32_t>(sum / known) : 1);
  }

  // The same, but 0 means none: only where nobody has any left are such threads drawn, uniformly.
  void begin_exact(std::span<const uint32_t> expected) {
    counts_ = true;
    least_ = 0;
    set_all(expected, 0);
  }

  // The thread has done one of them.
  void pass(ThreadId thread) {
    if (counts_ && thread < kMaxThreads && left_[thread] > 0) --left_[thread];
  }

  ThreadId draw(std::span<const Pending> enabled, Rng& rng) const {
    uint32_t least = least_;
    uint64_t sum = sum_of(enabled, least);
    if (sum == 0) sum = sum_of(enabled, least = 1);
    uint64_t ticket = rng.below(sum);
    for (const Pending& pending : enabled) {
      const uint64_t own = weight(pending.thread, least);
      if (ticket < own) return pending.thread;
      ticket -= own;
    }
    return enabled.front().thread;
  }

 private:
  void set_all(std::span<const uint32_t> expected, uint32_t unknown) {
    left_.fill(unknown);
    for (size_t i = 0; i < expected.size() && i < kMaxThreads; ++i) {
      if (expected[i] != 0) left_[i] = expected[i];
    }
  }

  uint64_t sum_of(std::span<const Pending> enabled, uint32_t least) const {
    uint64_t sum = 0;
    for (const Pending& pending : enabled) sum += weight(pending.thread, least);
    return sum;
  }

  uint64_t weight(ThreadId thread, uint32_t least) const {
    return std::max(thread < kMaxThreads ? left_[thread] : 0, least);
  }

  bool counts_ = false;  // false: nothing is known, and nobody's share falls
  uint32_t least_ = 1;
  std::array<uint32_t, kMaxThreads> left_{};
};

}  // namespace esox
