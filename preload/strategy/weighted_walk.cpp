// SPDX-License-Identifier: Apache-2.0
// See weighted_walk.h.
#include "preload/strategy/weighted_walk.h"

namespace esox {

WeightedWalk::WeightedWalk(const StrategySpec& spec, const StrategyTape&) : share_(spec.share) {}

void WeightedWalk::begin(const ExecutionInfo& info) {
  Walk::begin(info);
  remaining_.begin_estimated(info.points_of_thread);
  switch_probability_ = kUnknownSwitchProbability;
  if (info.expected_points != 0) {
    switch_probability_ = static_cast<double>(share_) / static_cast<double>(info.expected_points);
  }
}

ThreadId WeightedWalk::choose(std::span<const Pending> enabled, ThreadId current) {
  const ThreadId passed_over = demotion_.take(enabled);
  const bool can_stay = current != passed_over && find_enabled(enabled, current) != nullptr;
  const bool stays = can_stay && rng_.unit() >= switch_probability_;
  const ThreadId chosen = stays ? current : remaining_.draw(enabled, passed_over, rng_);
  remaining_.pass(chosen);
  return chosen;
}

}  // namespace esox
