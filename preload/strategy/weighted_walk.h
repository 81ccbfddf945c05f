// SPDX-License-Identifier: Apache-2.0
// The length-weighted walk: at a point, with probability 1/P, the running thread is drawn anew, and
// threads weigh as much as they have left to do; otherwise it stays. If it is not enabled it is
// always drawn.
//
// In a prototype on MariaDB (1.7 million executions of two single requests) it hit most of all: 2.0
// to 2.7 times as often as `pct:d=3`. Two things make it: stretches long enough to reach far apart
// places of two requests, and the weights (remaining.h), worth eight times by themselves: a fair
// coin is through with the shorter request early.
//
// P is the share-th part of the execution, ExecutionInfo.expected_points / share, so that there are
// about `share` draws however long it is. (12 does as well as the 1/20 that was tuned by hand; 24
// halves the hits.) Where the length is not known, P is 20.
//
// What is left of a thread is points_of_thread less how often it was chosen. With P = 1 and exact
// expectations, all interleavings of threads that do not block are equally likely.
#pragma once

#include <array>

#include "preload/strategy/parameter.h"
#include "preload/strategy/remaining.h"
#include "preload/strategy/walk.h"

namespace esox {

class WeightedWalk final : public Walk {
 public:
  static constexpr StrategyKind kKind = StrategyKind::kWeightedWalk;
  static constexpr std::string_view kName = "wrw";
  static constexpr std::array kParameters = {
      Parameter{.key = "share", .whole = &StrategySpec::share, .least = 1, .most = 1'000'000}};

  static constexpr double kUnknownSwitchProbability = 1.0 / 20;

  WeightedWalk(const StrategySpec& spec, const StrategyTape&) : share_(spec.share) {}

  void begin(const ExecutionInfo& info) override {
    Walk::begin(info);
    remaining_.begin_estimated(info.points_of_thread);
    switch_probability_ = kUnknownSwitchProbability;
    if (info.expected_points != 0) {
      switch_probability_ = static_cast<double>(share_) / static_cast<double>(info.expected_points);
    }
  }

  ThreadId choose(std::span<const Pending> enabled, ThreadId current) override {
    const bool can_stay = find_enabled(enabled, current) != nullptr;
    const bool stays = can_stay && rng_.unit() >= switch_probability_;
    const ThreadId chosen = stays ? current : remaining_.draw(enabled, rng_);
    remaining_.pass(chosen);
    return chosen;
  }

 private:
  uint32_t share_;
  double switch_probability_ = kUnknownSwitchProbability;
  Remaining remaining_;
};

}  // namespace esox
