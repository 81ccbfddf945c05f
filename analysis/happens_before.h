// SPDX-License-Identifier: Apache-2.0
// Which operations of an execution could not have been the other way round: vector clocks.
//
// Ordered are the operations of one thread (all requests of a client among them); a signal and what
// the woken waiter does next, on condition variables and futexes; a post and a wait that had to
// wait for it; arrivals at a barrier and what comes after it; the end of a thread and what its
// joiner does next. The order in which a lock was taken is no such order: the other one was as
// possible, and to try it is what the analysis is for (Yuan, PhD thesis 2020, section 4.2.3).
//
// Where several threads wait, which of them a signal woke is not in the trace: the first signal
// since a thread began to wait counts as the one. A wait that ended by the clock or from outside
// control is ordered after nothing.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analysis/execution_record.h"

namespace esox {

// When an operation was executed, in its thread's time: epochs begin after each operation that
// others may be ordered after.
struct Epoch {
  ThreadId thread = 0;
  uint32_t own = 1;    // number of the thread's epoch
  uint32_t clock = 0;  // what it had seen of the others (HappensBefore::seen)
};

class HappensBefore {
 public:
  // `order`: executed_order(record).
  HappensBefore(const ExecutionRecord& record, std::span<const uint32_t> order);

  // Of the i-th executed operation.
  const Epoch& epoch(size_t i) const { return epochs_[i]; }
  bool before(const Epoch& a, const Epoch& b) const {
    return a.thread == b.thread ? a.own <= b.own : a.own <= seen(b.clock, a.thread);
  }
  bool concurrent(const Epoch& a, const Epoch& b) const { return !before(a, b) && !before(b, a); }

 private:
  friend class ClockWalk;
  uint32_t seen(uint32_t clock, ThreadId thread) const {
    return thread < clocks_[clock].size() ? clocks_[clock][thread] : 0;
  }

  std::vector<Epoch> epochs_;
  std::vector<std::vector<uint32_t>> clocks_;  // each version of each thread's clock, once
};

}  // namespace esox
