// SPDX-License-Identifier: Apache-2.0
// Segments: a schedule told by thread and the thread's own points, so that parts of it can be taken
// away or moved without the rest changing its meaning.
//
// The tape's choices are segments here: {point u, thread t} says that t runs until it has passed u
// points of its own (calls of choose() while it was the running thread). So the thread stands
// before its u-th operation when the next segment begins; with u = 2^32-1 it runs to its end. A
// replay (replay.h) counts the points of all threads instead, and after a change every later number
// would mean another operation.
//
// A variant of a schedule may ask for what cannot be. A segment whose thread cannot run, or was
// demoted for repeating itself, is over and counts as one divergence; after the last one, the
// running thread stays as long as it can, then the lowest enabled one. What was really executed is
// in the record as always, and can be replayed to the letter.
#pragma once

#include <array>

#include "preload/strategy/parameter.h"
#include "preload/strategy/strategy.h"

namespace esox {

class Segments final : public Strategy {
 public:
  static constexpr StrategyKind kKind = StrategyKind::kSegments;
  static constexpr std::string_view kName = "segments";
  static constexpr std::array<Parameter, 0> kParameters{};

  // The tape's choices and values must stay in place until end().
  Segments(const StrategySpec& spec, const StrategyTape& tape);

  void begin(const ExecutionInfo& info) override;
  ThreadId choose(std::span<const Pending> enabled, ThreadId current) override;
  // The tape's values in their order; 0 where they are used up or too large.
  uint64_t value(uint64_t bound) override;
  void demote(ThreadId thread) override;
  void end(const ExecutionStats&) override {}

  bool sees_every_point() const override { return true; }
  ThreadId foreseen(ThreadId current) const override;
  uint32_t diverged() const override { return diverged_; }

 private:
  bool complete(const Choice& segment) const;
  ThreadId beyond_the_last(std::span<const Pending> enabled, ThreadId current) const;

  StrategyTape tape_;
  std::array<uint32_t, kMaxThreads> points_{};  // passed, by thread
  uint32_t segment_ = 0;                        // the one that is being followed
  uint32_t next_value_ = 0;
  ThreadId demoted_ = kNoThread;  // since the last choice
  uint32_t diverged_ = 0;
};

}  // namespace esox
