// SPDX-License-Identifier: Apache-2.0
#include "analysis/happens_before.h"

#include <algorithm>
#include <map>
#include <optional>

namespace esox {

using Clock = std::vector<uint32_t>;  // by thread

namespace {

bool waits(OpKind kind) {
  return kind == OpKind::kCondWait || kind == OpKind::kFutexWait || kind == OpKind::kBarrierWait;
}

// A wait is told twice: as it begins, and so as the thread is chosen again.
bool is_wait_ended(const TraceEvent& event) {
  return waits(event.kind) && (event.flags & kTraceBlocked) != 0;
}

void join(Clock& clock, const Clock& other) {
  if (clock.size() < other.size()) clock.resize(other.size(), 0);
  for (size_t i = 0; i < other.size(); ++i) clock[i] = std::max(clock[i], other[i]);
}

}  // namespace

// Goes through the executed operations once, a clock for each thread.
class ClockWalk {
 public:
  explicit ClockWalk(HappensBefore& result) : result_(result) {}

  void step(const TraceEvent& event) {
    Thread& thread = thread_of(event.thread);
    receive(thread, event);
    result_.epochs_.push_back({event.thread, thread.own, thread.version});
    send(thread, event);
  }

 private:
  struct Thread {
    uint32_t own = 1;
    uint32_t version = 0;    // of its clock, in result_.clocks_
    uint64_t waits_for = 0;  // object it waits on
    bool over = false;       // the wait has ended; how is in the next event
    std::optional<Clock> woken_by;
  };

  Thread& thread_of(ThreadId id) {
    const auto [found, fresh] = threads_.try_emplace(id);
    if (fresh) {
      found->second.version = static_cast<uint32_t>(result_.clocks_.size());
      result_.clocks_.emplace_back();
    }
    return found->second;
  }

  // What the operation is ordered after.
  void receive(Thread& thread, const TraceEvent& event) {
    if (thread.over) {
      end_wait(thread, event);
    } else if (!is_wait_ended(event)) {
      forget_wait(thread);  // it did not come to waiting
    }
    if (event.kind == OpKind::kSemWait && (event.flags & kTraceBlocked) != 0) {
      learn(thread, sent_[event.object]);
    }
    if (event.kind == OpKind::kBarrierWait) learn(thread, sent_[event.object]);
    if (event.kind == OpKind::kThreadJoin) learn(thread, sent_[end_of(event.object)]);
  }

  void end_wait(Thread& thread, const TraceEvent& event) {
    constexpr uint8_t kOtherwise = kTraceTimedOut | kTraceExternal | kTraceUnsignalled;
    const bool by_a_signal = (event.flags & kOtherwise) == 0;
    if (thread.woken_by && by_a_signal) learn(thread, *thread.woken_by);
    forget_wait(thread);
  }

  static void forget_wait(Thread& thread) {
    thread.woken_by.reset();
    thread.waits_for = 0;
    thread.over = false;
  }

  // What is ordered after the operation.
  void send(Thread& thread, const TraceEvent& event) {
    switch (event.kind) {
      case OpKind::kCondSignal:
      case OpKind::kCondBroadcast:
      case OpKind::kFutexWake:
        return wake(thread, event);
      case OpKind::kSemPost:
      case OpKind::kBarrierWait:
        join(sent_[event.object], leave_epoch(thread, event.thread));
        return begin_wait(thread, event);
      case OpKind::kThreadExit:
        sent_[end_of(event.thread)] = leave_epoch(thread, event.thread);
        return;
      default:
        return begin_wait(thread, event);
    }
  }

  static void begin_wait(Thread& thread, const TraceEvent& event) {
    if (!waits(event.kind)) return;
    thread.over = is_wait_ended(event);
    thread.waits_for = event.object;
  }

  void wake(Thread& thread, const TraceEvent& event) {
    std::optional<Clock> clock;
    for (auto& [id, other] : threads_) {
      if (&other == &thread || other.waits_for != event.object || other.woken_by) continue;
      if (!clock) clock = leave_epoch(thread, event.thread);
      other.woken_by = clock;
    }
  }

  // All that the thread has done and seen; what it does from here on is not part of it.
  Clock leave_epoch(Thread& thread, ThreadId id) {
    Clock clock = result_.clocks_[thread.version];
    if (clock.size() <= id) clock.resize(size_t{id} + 1, 0);
    clock[id] = thread.own++;
    return clock;
  }

  void learn(Thread& thread, const Clock& other) {
    if (other.empty()) return;
    Clock clock = result_.clocks_[thread.version];
    join(clock, other);
    thread.version = static_cast<uint32_t>(result_.clocks_.size());
    result_.clocks_.push_back(std::move(clock));
  }

  // Stands for the end of a thread among the objects; no address is as high.
  static uint64_t end_of(uint64_t thread) { return UINT64_MAX - thread; }

  HappensBefore& result_;
  std::map<ThreadId, Thread> threads_;
  std::map<uint64_t, Clock> sent_;  // by object
};

HappensBefore::HappensBefore(const ExecutionRecord& record, std::span<const uint32_t> order) {
  epochs_.reserve(order.size());
  ClockWalk walk(*this);
  for (const uint32_t index : order) walk.step(record.trace[index]);
}

}  // namespace esox
