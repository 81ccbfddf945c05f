// SPDX-License-Identifier: Apache-2.0
// The partial order of the steps of one schedule: which had to come before which, by vector clocks
// over dependent operations (conflict.h). Schedules with the same partial order lead to the same
// state.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "harness/engine/schedule_runner.h"
#include "preload/strategy/conflict.h"

namespace esox::exhaustive {

// Of different threads, and in whatever order. Joining a thread depends on all it does.
bool independent(const Step& a, const Step& b);
bool independent(const Step& a, const Pending& b);

// The other could also have been executed before the step, with another result: they are dependent,
// and not so that one has to wait for the other.
bool reversible(const Step& step, const Pending& operation);
bool reversible(const Step& step, const Step& other);

// It made the thread, or woke it (protocol/waiting.h).
bool lets_go_on(const Step& step, ThreadId thread);

class StepPrecedence {
 public:
  void push(const Step& step);
  void shorten(size_t length);

  size_t size() const { return entries_.size(); }
  const Step& at(size_t i) const { return entries_[i].step; }

  // Step i came before step j, i < j, by necessity.
  bool before(size_t i, size_t j) const;
  // Step i comes before what the thread does next after the first `end` steps: it came before, or
  // is, the thread's last one, or one that let it go on.
  bool before_next_of(ThreadId thread, size_t i, size_t end) const;

  // Equal for schedules with the same partial order. 64 bits: two of a million partial orders
  // share a name once in 40 million searches.
  uint64_t name() const { return entries_.empty() ? 0 : entries_.back().name; }
  // What name() would be after this step.
  uint64_t name_with(const Step& step) const;

 private:
  using Clock = std::vector<uint32_t>;  // by thread: how many of its steps came before, or are this

  struct Entry {
    Step step;
    Clock clock;
    uint64_t name = 0;  // of all steps up to here
  };

  // The steps of one thread that matter alike to later ones, in their order.
  struct Last {
    ThreadId thread = kNoThread;
    Effect effect = Effect::kNone;
    std::vector<uint32_t> steps;
  };
  using Lasts = std::vector<Last>;

  void leave_marks(const Step& step, auto mark);
  Clock clock_of(const Step& step) const;
  uint64_t name_of(const Step& step, const Clock& clock) const;

  std::vector<Entry> entries_;
  // What a step depends on is looked up, for schedules have tens of thousands of steps.
  std::unordered_map<uint64_t, Lasts> by_thread_;   // all of them
  std::unordered_map<uint64_t, Lasts> for_thread_;  // that joined it, or let it go on
  std::unordered_map<uint64_t, Lasts> by_object_;
  Lasts borders_;  // of requests
  Lasts exits_;    // of the process
};

}  // namespace esox::exhaustive
