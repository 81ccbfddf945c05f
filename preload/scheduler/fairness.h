// SPDX-License-Identifier: Apache-2.0
// Fairness: no strategy can keep a thread that can run waiting for ever behind threads that only
// repeat themselves (spinners, pollers, loops around a condition). It is kept here, once: whom the
// strategy may not choose is not offered to it.
//
// An operation of a thread is *stale* if the thread has done it `limit` times: the same call on the
// same object, or, kPlaceFactor times as often, the same call on whatever object; it is *fresh* if
// the thread has called from there less than limit / kFreshPart times. A thread that does nothing
// fresh *yields* at stale operations: with the first of them, and then again and again, after
// limit / 2, limit / 4, ... operations and at last after every kLeastPatience. It yields to those
// who have stood before their operation since it yielded last, without being chosen: from then on
// it is held back while one of them can run, until that one was chosen once. Whatever it does that
// is fresh gives it its patience back. (The relation is that of M. Musuvathi and S. Qadeer, "Fair
// stateless model checking", PLDI 2008, section 3; there a program says by sched_yield() when its
// threads yield.)
//
// Theorem. In a stretch of decisions, let thread u stand before an operation that it could do at
// each of them, and not be chosen. Let the threads that are chosen do nothing there but turn in
// loops, of m operations a turn that are called from at most RepeatCount::kEntries places. Then the
// stretch has no more decisions than the sum, over these threads, of 2 * (m + 1) * limit *
// kPlaceFactor; without the last factor where those of a turn are no more than
// RepeatCount::kEntries different operations. Proof. After limit turns, and as many in which what
// was counted before gives way, all of a thread's operations are stale. Then it yields within
// `limit` operations, and within as many more a second time; at the second, u has stood there since
// the first, so that the thread is held back while u can run, which is to the end. Somebody is
// always left who is not held back: a thread yields where it was chosen last, so that nobody is
// held back for its sake any more, and no circle can close.
//
// So a program whose threads wait for each other by spinning, and that would come to its end under
// a fair scheduler, does so here under every strategy; and once they are known to spin, the others
// have a turn for every few operations of theirs, so that it does within few points. Not so one
// whose threads back off from each other and try again: they may do it in step for ever, and
// fairly. That ends where choices are drawn, as the scheduler does on the way to the step limit.
// Whoever follows a record (replay, serial) is bound by it, not by this.
#pragma once

#include <algorithm>
#include <cstdint>

#include "preload/protocol/layout.h"
#include "preload/scheduler/repeat_count.h"
#include "preload/strategy/thread_set.h"

namespace esox {

class Fairness {
 public:
  static constexpr uint32_t kPlaceFactor = 10;
  static constexpr uint32_t kFreshPart = 8;
  static constexpr uint32_t kLeastPatience = 2;  // operations, so that some order is still chosen
  static constexpr uint32_t kRunOuts = 4;        // of timed waits, one after the other

  void begin() {
    yielded_to_.clear();
    count_ = 0;
  }

  // Decisions are numbered from 1. Before a thread's first one.
  void enter(ThreadId thread, uint64_t now) {
    count_ = std::max<uint32_t>(count_, thread + 1u);
    Thread& t = threads_[thread];
    t.operations.clear();
    t.places.clear();
    t.goes_first.clear();
    t.stale = false;
    t.run_outs = 0;
    t.done = t.patience = 0;
    t.chosen_at = now;
    t.yielded_at = now + 1;
  }

  // The thread stands before an operation, others (`ready`) before theirs. True: it yields to some
  // of them.
  bool stands_before(ThreadId thread, uint64_t site, uint64_t object, uint32_t limit, uint64_t now,
                     const ThreadSet& ready) {
    Thread& t = threads_[thread];
    const uint64_t operation = (site * 0x9e3779b97f4a7c15u) ^ (object * 0xc2b2ae3d27d4eb4fu);
    const uint32_t there = t.places.count(site, limit * kPlaceFactor);
    const bool often = t.operations.count(operation, limit) == limit;
    if (there <= 1) t.run_outs = 0;  // it came here never before
    if (there < limit / kFreshPart) {
      t.stale = false;
      t.done = 0;
      t.patience = limit;
      return false;
    }
    ++t.done;
    if (!often && there < limit * kPlaceFactor) return false;
    t.stale = true;
    if (t.done < t.patience) return false;
    const bool yields = yield(thread, now, ready);
    if (yields) t.patience = std::max(t.patience / 2, kLeastPatience);
    return yields;
  }

  // The thread spins in memory, where it does nothing that can be counted.
  void yield_to_all(ThreadId thread, uint64_t now, ThreadSet ready) {
    ready.remove(thread);
    let_go_first(threads_[thread], now, ready);
  }

  void chosen(ThreadId thread, uint64_t now) {
    threads_[thread].chosen_at = now;
    if (!yielded_to_.has(thread)) return;
    yielded_to_.remove(thread);
    for (uint32_t i = 0; i < count_; ++i) threads_[i].goes_first.remove(thread);
  }

  bool held_back(ThreadId thread, const ThreadSet& enabled) const {
    return yielded_to_.any() && threads_[thread].goes_first.meets(enabled);
  }

  // A timed wait of the thread ended because its time was over.
  void ran_out(ThreadId thread) { ++threads_[thread].run_outs; }

  // It does nothing but what it has done again and again; or, of a loop around a timed wait, which
  // turns once a tick and so is seldom seen, nothing but wait anew for the same.
  bool is_stale(ThreadId thread) const {
    return threads_[thread].stale || threads_[thread].run_outs >= kRunOuts;
  }

 private:
  struct Thread {
    RepeatCount operations;
    RepeatCount places;
    bool stale = false;
    uint32_t run_outs = 0;  // since it was where it had never been
    uint32_t done = 0;      // operations since it yielded or did something fresh
    uint32_t patience = 0;  // so many, to its next yield
    uint64_t yielded_at = 0;
    uint64_t chosen_at = 0;  // last
    ThreadSet goes_first;    // whom it has yielded to and who were not chosen since
  };

  bool yield(ThreadId thread, uint64_t now, const ThreadSet& ready) {
    ThreadSet unserved;
    const auto count = static_cast<ThreadId>(count_);
    for (ThreadId other = 0; other < count; ++other) {
      const bool waits = other != thread && ready.has(other);
      if (waits && threads_[other].chosen_at < threads_[thread].yielded_at) unserved.add(other);
    }
    let_go_first(threads_[thread], now, unserved);
    return unserved.any();
  }

  void let_go_first(Thread& t, uint64_t now, const ThreadSet& others) {
    t.done = 0;
    t.yielded_at = now;
    t.goes_first.add_all(others);
    yielded_to_.add_all(others);
  }

  Thread threads_[kMaxSlots]{};
  uint32_t count_ = 0;    // of them, in use
  ThreadSet yielded_to_;  // the union of all goes_first
};

}  // namespace esox
