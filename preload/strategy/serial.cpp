// SPDX-License-Identifier: Apache-2.0
// See serial.h.
#include "preload/strategy/serial.h"

#include "preload/strategy/enabled.h"

namespace esox {
namespace {

bool between_requests(const Pending& pending) {
  return pending.kind == OpKind::kRequestBegin;
}

// The operation of an unfinished request to go on with: the running thread's, else the lowest id's.
const Pending* unfinished(std::span<const Pending> enabled, ThreadId current) {
  const Pending* first = nullptr;
  for (const Pending& pending : enabled) {
    if (between_requests(pending)) continue;
    if (pending.thread == current) return &pending;
    if (first == nullptr) first = &pending;
  }
  return first;
}

}  // namespace

Serial::Serial(const StrategySpec&, const StrategyTape& tape) : tape_(tape) {}

void Serial::begin(const ExecutionInfo&) {
  position_ = 0;
  running_ = kNoThread;
  violations_ = 0;
  presumed_ended_.fill(false);
  started_out_of_turn_.fill(0);
}

ThreadId Serial::choose(std::span<const Pending> enabled, ThreadId current) {
  count_resumed(enabled);
  const Pending* next = open_request(enabled);
  if (next == nullptr) next = unfinished(enabled, current);
  if (next == nullptr) return start_request(enabled);
  if (next->kind == OpKind::kRequestEnd && next->thread == running_) running_ = kNoThread;
  return next->thread;
}

void Serial::count_resumed(std::span<const Pending> enabled) {
  for (const Pending& pending : enabled) {
    if (pending.thread >= kMaxThreads || !presumed_ended_[pending.thread]) continue;
    presumed_ended_[pending.thread] = false;
    if (!between_requests(pending)) ++violations_;
  }
}

// The next operation of the request that is open; null, and no request open, if it has ended.
const Pending* Serial::open_request(std::span<const Pending> enabled) {
  if (running_ == kNoThread) return nullptr;
  const Pending* pending = find_enabled(enabled, running_);
  if (pending != nullptr && !between_requests(*pending)) return pending;
  if (pending == nullptr && running_ < kMaxThreads) presumed_ended_[running_] = true;
  running_ = kNoThread;
  return nullptr;
}

// All of `enabled` are parked at kRequestBegin.
ThreadId Serial::start_request(std::span<const Pending> enabled) {
  skip_started_requests();
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

void Serial::skip_started_requests() {
  while (position_ < tape_.serial_length) {
    const ThreadId due = tape_.serial_order[position_];
    if (due >= kMaxThreads || started_out_of_turn_[due] == 0) return;
    --started_out_of_turn_[due];
    ++position_;
  }
}

uint64_t Serial::value(uint64_t) {
  return 0;
}

void Serial::demote(ThreadId) {}

void Serial::end(const ExecutionStats&) {}

}  // namespace esox
