// SPDX-License-Identifier: Apache-2.0
// The one interface between the scheduler and the algorithms that choose.
//
// A strategy is pure: no I/O, no heap, no globals, no clock; all its randomness comes from the seed
// in ExecutionInfo. The same object code runs inside the server under test, in simulations and in
// unit tests. It is placed into fixed memory by the registry (registry.h) and lives for one
// execution.
//
// Calls arrive from one thread at a time (the scheduler holds its lock), in this order:
//   begin, then choose / value / pass_over / ended in any order, then end.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "preload/protocol/object_points.h"
#include "preload/protocol/strategy_spec.h"
#include "preload/protocol/trace_event.h"

namespace esox {

inline constexpr uint32_t kMaxThreads = 128;

// The operation a thread is about to execute; the thread is parked just before it.
struct Pending {
  ThreadId thread = kNoThread;
  OpKind kind = OpKind::kNone;
  uint64_t object = 0;  // lock, condition variable, futex word, file; 0 = none
  uint64_t site = 0;    // return address of the call
};

// The pending operation of `thread`, or null if it is not enabled.
inline const Pending* find_enabled(std::span<const Pending> enabled, ThreadId thread) {
  for (const Pending& pending : enabled) {
    if (pending.thread == thread) return &pending;
  }
  return nullptr;
}

struct ExecutionInfo {
  uint64_t seed = 0;
  uint32_t threads = 0;                          // expected number of controlled threads
  uint64_t expected_points = 0;                  // k: offered points, from the serial runs
  std::span<const uint32_t> points_of_thread{};  // the same by thread; may be empty
  bool contexts_first = false;  // serial: the server's own threads come before the next request
  std::span<const ObjectPoints> objects{};  // shared ones, from earlier executions; may be empty
};

struct ExecutionStats {
  uint64_t points = 0;    // scheduling points passed
  uint64_t switches = 0;  // of them, how many changed the running thread
};

// What serial and replay read; spans into the control block or into a test's memory.
struct StrategyTape {
  const ThreadId* serial_order = nullptr;  // the client of each request, in order
  uint32_t serial_length = 0;
  const Choice* choices = nullptr;
  uint32_t choice_count = 0;
  const uint64_t* values = nullptr;
  uint32_t value_count = 0;

  // The value at `next`, which goes on; nothing where they are used up, or it is not below `bound`.
  std::optional<uint64_t> value(uint32_t& next, uint64_t bound) const {
    if (next >= value_count) return std::nullopt;
    const uint64_t recorded = values[next++];
    return recorded < bound ? std::optional(recorded) : std::nullopt;
  }
};

class Strategy {
 public:
  virtual void begin(const ExecutionInfo& info) = 0;

  // Chooses who runs next. `enabled` is not empty, sorted by thread id, and holds only threads
  // whose operation can complete. `current` is who ran last; it need not be among them.
  // Must return the id of one of them.
  virtual ThreadId choose(std::span<const Pending> enabled, ThreadId current) = 0;

  // A data choice below `bound` (bound > 0): which waiter a signal wakes, and the like.
  virtual uint64_t value(uint64_t bound) = 0;

  // Only of one that sees every point, before the choose() that it is for: `thread`, one of those
  // enabled, repeats itself while others wait (scheduler/fairness.h); others should go on where the
  // strategy is free to choose. To those that draw such threads are not offered.
  virtual void pass_over(ThreadId /*thread*/) {}

  // The thread is over: nothing of it comes any more.
  virtual void ended(ThreadId /*thread*/) {}

  virtual void end(const ExecutionStats& /*stats*/) {}

  // True if choose() must be called at every scheduling point, with one enabled thread too and at
  // every release point: what a replay needs, which counts points.
  virtual bool sees_every_point() const { return false; }

  // True while a record says who goes on. Where none does, the scheduler may choose for the
  // strategy.
  virtual bool follows_record() const { return false; }

  // True if a request, once begun, is to be finished before another one begins: while it waits, the
  // scheduler lets time pass and outside threads act rather than offer another thread's
  // kRequestBegin. What linearizations need.
  virtual bool one_request_at_a_time() const { return false; }

  // Replay only: whom the next choose() is going to want, enabled or not. The scheduler waits for
  // that thread where it is away in a call outside control, and notices its return no earlier.
  // kNoThread: not known.
  virtual ThreadId foreseen(ThreadId /*current*/) const { return kNoThread; }

  // Number of recorded choices that could not be followed (replay only).
  virtual uint32_t diverged() const { return 0; }

 protected:
  ~Strategy() = default;  // never deleted through the interface: it lives in fixed memory
};

}  // namespace esox
