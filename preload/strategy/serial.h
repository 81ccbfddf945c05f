// SPDX-License-Identifier: Apache-2.0
// Serial: whole requests, one after the other, in the order of the tape. This is how the
// linearizations are executed that an outcome is judged against, so the one thing that matters is
// that an order which was not kept is never taken for one that was: diverged() says so.
//
// serial_order[i] is the client, that is the thread, of the i-th request; a client appears once per
// request. A thread parked at kRequestBegin starts its next request when it is chosen. Every
// request start must be seen, so choose() must be called at every point (sees_every_point).
//
// When has a request ended? Certainly when its thread passed kRequestEnd, or is parked at the next
// kRequestBegin. A thread that is merely gone from `enabled` has ended its session, waits for its
// client, or is blocked in the middle of its request; this cannot be told apart yet, and the next
// request starts. If it was blocked, its thread comes back at another operation: that is counted.
//
// A violation, each counted once:
// - a request went on after another one had started in its middle (it was blocked),
// - a request started out of turn, because the thread whose turn it was is not enabled,
// - a request started that is not on the tape.
// The server's own threads (scheduler/contexts.cpp) go on where the open request cannot; and before
// the next one starts, or only where none can: either is a serial execution of the requests.
//
// In all three cases the others run on, unfinished requests first, then by lowest id, so that the
// execution can end. A request that stays blocked until the end is a deadlock, which the scheduler
// reports; it is not counted here. A request that waits for time to pass is waited for by the
// scheduler (one_request_at_a_time) before another thread's kRequestBegin is offered.
#pragma once

#include <array>
#include <string_view>

#include "preload/strategy/strategy.h"
#include "preload/strategy/thread_set.h"

namespace esox {

class Serial final : public Strategy {
 public:
  static constexpr StrategyKind kKind = StrategyKind::kSerial;
  static constexpr std::string_view kName = "serial";

  // The tape's serial order must stay in place until end().
  Serial(const StrategySpec&, const StrategyTape& tape) : tape_(tape) {}

  void begin(const ExecutionInfo& info) override {
    contexts_first_ = info.contexts_first;
    position_ = 0;
    running_ = kNoThread;
    passed_over_.clear();
    violations_ = 0;
    presumed_ended_.fill(false);
    started_out_of_turn_.fill(0);
    ended_.fill(false);
  }

  ThreadId choose(std::span<const Pending> enabled, ThreadId current) override {
    count_resumed(enabled);
    const ThreadSet passed_over = passed_over_;
    passed_over_.clear();
    const Pending* next = open_request(enabled);
    if (next != nullptr && passed_over.has(next->thread)) {
      if (const Pending* other = context_besides(enabled, passed_over)) return other->thread;
    }
    if (next == nullptr && !starts_at_once(enabled)) next = unfinished(enabled, current);
    if (next == nullptr) return start_request(enabled);
    if (next->kind == OpKind::kRequestEnd && next->thread == running_) running_ = kNoThread;
    return next->thread;
  }

  // Always 0: a linearization has no randomness, the first waiter is the one that is woken.
  uint64_t value(uint64_t) override { return 0; }

  // Requests of a client whose connection was closed are never sent.
  void ended(ThreadId thread) override {
    if (thread < kMaxThreads) ended_[thread] = true;
  }

  // A context then has its turn, if there is one: the next request has not.
  void pass_over(ThreadId thread) override { passed_over_.add(thread); }

  bool sees_every_point() const override { return true; }
  bool follows_record() const override { return true; }
  bool one_request_at_a_time() const override { return true; }
  // Not 0: the execution was not serial, or not in the order asked for. Not to be used.
  uint32_t diverged() const override { return violations_; }

 private:
  static bool between_requests(const Pending& pending) {
    return pending.kind == OpKind::kRequestBegin;
  }

  // The operation of an unfinished request to go on with: the running thread's, else the lowest
  // id's.
  static const Pending* unfinished(std::span<const Pending> enabled, ThreadId current) {
    const Pending* first = nullptr;
    for (const Pending& pending : enabled) {
      if (between_requests(pending)) continue;
      if (pending.thread == current) return &pending;
      if (first == nullptr) first = &pending;
    }
    return first;
  }

  static const Pending* context_besides(std::span<const Pending> enabled,
                                        const ThreadSet& passed_over) {
    for (const Pending& pending : enabled) {
      if (pending.thread >= kMaxClients && !passed_over.has(pending.thread)) return &pending;
    }
    return nullptr;
  }

  void count_resumed(std::span<const Pending> enabled) {
    for (const Pending& pending : enabled) {
      if (pending.thread >= kMaxThreads || !presumed_ended_[pending.thread]) continue;
      presumed_ended_[pending.thread] = false;
      if (!between_requests(pending)) ++violations_;
    }
  }

  // The next operation of the request that is open; null, and no request open, if it has ended.
  const Pending* open_request(std::span<const Pending> enabled) {
    if (running_ == kNoThread) return nullptr;
    const Pending* pending = find_enabled(enabled, running_);
    if (pending != nullptr && !between_requests(*pending)) return pending;
    // It may wait for a context, else these come before the next request.
    if (enabled.back().thread >= kMaxClients) return unfinished(enabled, enabled.back().thread);
    if (pending == nullptr && running_ < kMaxThreads) presumed_ended_[running_] = true;
    running_ = kNoThread;
    return nullptr;
  }

  // All but contexts are between requests, and these are to come last.
  bool starts_at_once(std::span<const Pending> enabled) const {
    if (contexts_first_ || running_ != kNoThread) return false;
    bool starts = false;
    for (const Pending& pending : enabled) {
      if (pending.thread >= kMaxClients) break;
      if (!between_requests(pending)) return false;
      starts = true;
    }
    return starts;
  }

  // All of `enabled` that are clients' are parked at kRequestBegin.
  ThreadId start_request(std::span<const Pending> enabled) {
    skip_what_does_not_start();
    const bool due = position_ < tape_.serial_length &&
                     find_enabled(enabled, tape_.serial_order[position_]) != nullptr;
    running_ = due ? tape_.serial_order[position_] : enabled.front().thread;
    if (due) {
      ++position_;
    } else {
      ++violations_;
      if (running_ < kMaxThreads) ++started_out_of_turn_[running_];
    }
    return running_;
  }

  void skip_what_does_not_start() {
    while (position_ < tape_.serial_length) {
      const ThreadId due = tape_.serial_order[position_];
      if (due >= kMaxThreads || (started_out_of_turn_[due] == 0 && !ended_[due])) return;
      if (started_out_of_turn_[due] > 0) --started_out_of_turn_[due];
      ++position_;
    }
  }

  StrategyTape tape_;
  ThreadSet passed_over_;  // at the next choice
  bool contexts_first_ = false;
  uint32_t position_ = 0;         // of the next request on the tape
  ThreadId running_ = kNoThread;  // whose request is open
  uint32_t violations_ = 0;
  std::array<bool, kMaxThreads> presumed_ended_{};           // was gone when another one started
  std::array<uint16_t, kMaxThreads> started_out_of_turn_{};  // requests still ahead on the tape
  std::array<bool, kMaxThreads> ended_{};                    // with all its requests
};

}  // namespace esox
