// SPDX-License-Identifier: Apache-2.0
// Replay: follows the recorded choices of an earlier execution.
//
// Points are counted by calls of choose(), from 0; choose() must therefore be called at every
// scheduling point (sees_every_point). A record "at point p runs t" is made where the thread
// changed, so between records the running thread stays. Where that cannot be followed (the recorded
// thread, or without a record the running one, is not enabled; a record's point has passed or is
// never reached; the recorded values are used up or too large) the replay goes on with the lowest
// enabled thread or the value 0, and counts one divergence: the execution is then not the recorded
// one, and must not be taken for it.
#pragma once

#include <array>

#include "preload/strategy/parameter.h"
#include "preload/strategy/strategy.h"

namespace esox {

class Replay final : public Strategy {
 public:
  static constexpr StrategyKind kKind = StrategyKind::kReplay;
  static constexpr std::string_view kName = "replay";
  static constexpr std::array<Parameter, 0> kParameters{};

  // The tape's choices (sorted by point) and values must stay in place until end().
  Replay(const StrategySpec& spec, const StrategyTape& tape);

  void begin(const ExecutionInfo& info) override;
  ThreadId choose(std::span<const Pending> enabled, ThreadId current) override;
  uint64_t value(uint64_t bound) override;

  // Nothing to do: what a demotion led to is in the record.
  void demote(ThreadId thread) override;

  // Counts the records that were never reached.
  void end(const ExecutionStats& stats) override;

  bool sees_every_point() const override { return true; }
  ThreadId foreseen(ThreadId current) const override;
  uint32_t diverged() const override { return diverged_; }

 private:
  uint32_t first_record_ahead() const;
  ThreadId follow_or_lowest(std::span<const Pending> enabled, ThreadId wanted);

  StrategyTape tape_;
  uint32_t point_ = 0;
  uint32_t next_choice_ = 0;
  uint32_t next_value_ = 0;
  uint32_t diverged_ = 0;
};

}  // namespace esox
