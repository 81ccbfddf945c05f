// SPDX-License-Identifier: Apache-2.0
// See random_walk.h.
#include "preload/strategy/random_walk.h"

#include "preload/strategy/enabled.h"

namespace esox {

RandomWalk::RandomWalk(const StrategySpec& spec, const StrategyTape&)
    : switch_probability_(spec.switch_probability) {}

ThreadId RandomWalk::choose(std::span<const Pending> enabled, ThreadId current) {
  const Pending* avoided = find_enabled(enabled, demotion_.take(enabled));
  if (avoided != nullptr) return draw_other(enabled, *avoided);
  const bool can_stay = find_enabled(enabled, current) != nullptr;
  if (can_stay && rng_.unit() >= switch_probability_) return current;
  return draw(enabled);
}

ThreadId RandomWalk::draw(std::span<const Pending> enabled) {
  return enabled[rng_.below(enabled.size())].thread;
}

// Draws among all but the last, which stands in for the avoided one.
ThreadId RandomWalk::draw_other(std::span<const Pending> enabled, const Pending& avoided) {
  const Pending& drawn = enabled[rng_.below(enabled.size() - 1)];
  return &drawn == &avoided ? enabled.back().thread : drawn.thread;
}

}  // namespace esox
