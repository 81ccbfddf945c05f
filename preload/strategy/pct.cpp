// SPDX-License-Identifier: Apache-2.0
// See pct.h for the algorithm and its guarantee.
#include "preload/strategy/pct.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace esox {

Pct::Pct(const StrategySpec& spec, const StrategyTape&)
    : change_count_(std::clamp<uint32_t>(spec.depth, 1, kMaxDepth) - 1) {}

void Pct::begin(const ExecutionInfo& info) {
  rng_ = Rng(info.seed);
  step_ = 0;
  lowest_ = -static_cast<Priority>(kMaxDepth);
  shuffle_priorities();
  draw_change_points(info.expected_points != 0 ? info.expected_points : kUnknownPoints);
}

// Fisher-Yates. A uniform permutation of all ids is one of every subset: which ids the execution
// will use need not be known.
void Pct::shuffle_priorities() {
  for (uint32_t i = 0; i < kMaxThreads; ++i) priority_[i] = i + 1;
  for (uint32_t i = kMaxThreads - 1; i > 0; --i) {
    std::swap(priority_[i], priority_[rng_.below(i + 1)]);
  }
}

void Pct::draw_change_points(uint64_t points) {
  for (uint32_t i = 0; i < change_count_; ++i) change_points_[i] = 1 + rng_.below(points);
}

Pct::Priority Pct::priority_of(ThreadId thread) const {
  return thread < kMaxThreads ? priority_[thread] : std::numeric_limits<Priority>::min();
}

ThreadId Pct::choose(std::span<const Pending> enabled, ThreadId /*current*/) {
  ++step_;
  ThreadId best = enabled.front().thread;
  for (const Pending& pending : enabled) {
    if (priority_of(pending.thread) > priority_of(best)) best = pending.thread;
  }
  apply_change_points(best);
  return best;
}

void Pct::apply_change_points(ThreadId running) {
  if (running >= kMaxThreads) return;
  for (uint32_t i = 0; i < change_count_; ++i) {
    if (change_points_[i] == step_) priority_[running] = -static_cast<Priority>(i + 1);
  }
}

uint64_t Pct::value(uint64_t bound) {
  return rng_.below(bound);
}

void Pct::demote(ThreadId thread) {
  if (thread < kMaxThreads) priority_[thread] = --lowest_;
}

void Pct::end(const ExecutionStats&) {}

}  // namespace esox
