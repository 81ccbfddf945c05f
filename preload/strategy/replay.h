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

#include <string_view>

#include "preload/strategy/strategy.h"

namespace esox {

class Replay final : public Strategy {
 public:
  static constexpr StrategyKind kKind = StrategyKind::kReplay;
  static constexpr std::string_view kName = "replay";

  // The tape's choices (sorted by point) and values must stay in place until end().
  Replay(const StrategySpec&, const StrategyTape& tape) : tape_(tape) {}

  void begin(const ExecutionInfo&) override {
    point_ = 0;
    next_choice_ = 0;
    next_value_ = 0;
    diverged_ = 0;
  }

  ThreadId choose(std::span<const Pending> enabled, ThreadId current) override {
    const ThreadId wanted = foreseen(current);
    const uint32_t ahead = first_record_ahead();
    diverged_ += ahead - next_choice_;  // records whose point has passed
    next_choice_ = ahead;
    if (ahead < tape_.choice_count && tape_.choices[ahead].point == point_) ++next_choice_;
    ++point_;
    return follow_or_lowest(enabled, wanted);
  }

  uint64_t value(uint64_t bound) override {
    const std::optional<uint64_t> recorded = tape_.value(next_value_, bound);
    if (!recorded) ++diverged_;
    return recorded.value_or(0);
  }

  // Counts the records that were never reached.
  void end(const ExecutionStats&) override {
    diverged_ += tape_.choice_count - next_choice_;
    next_choice_ = tape_.choice_count;
  }

  bool sees_every_point() const override { return true; }
  bool follows_record() const override { return true; }
  ThreadId foreseen(ThreadId current) const override {
    const uint32_t ahead = first_record_ahead();
    const bool recorded = ahead < tape_.choice_count && tape_.choices[ahead].point == point_;
    return recorded ? tape_.choices[ahead].thread : current;
  }

  uint32_t diverged() const override { return diverged_; }

 private:
  uint32_t first_record_ahead() const {
    uint32_t ahead = next_choice_;
    while (ahead < tape_.choice_count && tape_.choices[ahead].point < point_) ++ahead;
    return ahead;
  }

  ThreadId follow_or_lowest(std::span<const Pending> enabled, ThreadId wanted) {
    if (find_enabled(enabled, wanted) != nullptr) return wanted;
    ++diverged_;
    return enabled.front().thread;
  }

  StrategyTape tape_;
  uint32_t point_ = 0;
  uint32_t next_choice_ = 0;
  uint32_t next_value_ = 0;
  uint32_t diverged_ = 0;
};

}  // namespace esox
