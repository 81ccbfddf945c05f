// SPDX-License-Identifier: Apache-2.0
// Serial: whole requests, one after the other, in the order of the tape. This is how the
// linearizations are executed that an outcome is judged against, so the one thing that matters is
// that an order which was not kept is never taken for one that was: violations() says so.
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
// In all three cases the others run on, unfinished requests first, then by lowest id, so that the
// execution can end. A request that stays blocked until the end is a deadlock, which the scheduler
// reports; it is not counted here. A request that waits for time to pass is waited for by the
// scheduler (one_request_at_a_time) before another thread's kRequestBegin is offered.
#pragma once

#include <array>

#include "preload/strategy/parameter.h"
#include "preload/strategy/strategy.h"

namespace esox {

class Serial final : public Strategy {
 public:
  static constexpr StrategyKind kKind = StrategyKind::kSerial;
  static constexpr std::string_view kName = "serial";
  static constexpr std::array<Parameter, 0> kParameters{};

  // The tape's serial order must stay in place until end().
  Serial(const StrategySpec& spec, const StrategyTape& tape);

  void begin(const ExecutionInfo& info) override;
  ThreadId choose(std::span<const Pending> enabled, ThreadId current) override;

  // Always 0: a linearization has no randomness, the first waiter is the one that is woken.
  uint64_t value(uint64_t bound) override;

  // Nothing to do: within a request there is nobody else to run.
  void demote(ThreadId thread) override;
  void end(const ExecutionStats& stats) override;

  bool sees_every_point() const override { return true; }
  bool one_request_at_a_time() const override { return true; }
  uint32_t diverged() const override { return violations_; }

  // Not 0: the execution was not serial, or not in the order asked for. Not to be used.
  uint32_t violations() const { return violations_; }

 private:
  void count_resumed(std::span<const Pending> enabled);
  const Pending* open_request(std::span<const Pending> enabled);
  ThreadId start_request(std::span<const Pending> enabled);
  void skip_started_requests();

  StrategyTape tape_;
  uint32_t position_ = 0;         // of the next request on the tape
  ThreadId running_ = kNoThread;  // whose request is open
  uint32_t violations_ = 0;
  std::array<bool, kMaxThreads> presumed_ended_{};           // was gone when another one started
  std::array<uint16_t, kMaxThreads> started_out_of_turn_{};  // requests still ahead on the tape
};

}  // namespace esox
