// SPDX-License-Identifier: Apache-2.0
// Random walk: at a point, with probability p, the running thread is drawn anew, uniformly among
// the enabled ones (itself included); otherwise it stays. If it is not enabled it is always drawn.
//
// p = 1 is the textbook's random walk (Yuan, PhD thesis 2020, section 2.2.1). Its weakness: to
// delay one event behind m others it has to win m draws, at 1/2^m with two threads. A small p makes
// the stretches longer (1/p points on average) and reaches far apart places of two requests
// instead.
#pragma once

#include <array>

#include "preload/strategy/parameter.h"
#include "preload/strategy/walk.h"

namespace esox {

class RandomWalk final : public Walk {
 public:
  static constexpr StrategyKind kKind = StrategyKind::kRandom;
  static constexpr std::string_view kName = "random";
  static constexpr std::array kParameters = {
      Parameter{.key = "p", .fraction = &StrategySpec::switch_probability}};

  RandomWalk(const StrategySpec& spec, const StrategyTape&)
      : switch_probability_(spec.switch_probability) {}

  ThreadId choose(std::span<const Pending> enabled, ThreadId current) override {
    const bool can_stay = find_enabled(enabled, current) != nullptr;
    if (can_stay && rng_.unit() >= switch_probability_) return current;
    return enabled[rng_.below(enabled.size())].thread;
  }

 private:
  double switch_probability_;
};

}  // namespace esox
