// SPDX-License-Identifier: Apache-2.0
// See rapos.h.
#include "preload/strategy/rapos.h"

#include "preload/strategy/conflict.h"

namespace esox {

Rapos::Rapos(const StrategySpec&, const StrategyTape&) {}

void Rapos::begin(const ExecutionInfo& info) {
  Walk::begin(info);
  batch_size_ = 0;
  done_ = 0;
  first_ = true;
}

ThreadId Rapos::choose(std::span<const Pending> enabled, ThreadId /*current*/) {
  const ThreadId passed_over = demotion_.take(enabled);
  const Pending* chosen = next_of_batch(enabled, passed_over);
  if (chosen != nullptr) return chosen->thread;
  const Indices candidates =
      schedulable(enabled.first(std::min<size_t>(enabled.size(), kMaxThreads)), passed_over);
  draw_batch(enabled, candidates);
  done_ = 1;
  return batch_[0].thread;
}

// What cannot run any more, or is passed over, leaves the batch.
const Pending* Rapos::next_of_batch(std::span<const Pending> enabled, ThreadId passed_over) {
  while (done_ < batch_size_) {
    const ThreadId thread = batch_[done_].thread;
    const Pending* pending = thread == passed_over ? nullptr : find_enabled(enabled, thread);
    if (pending != nullptr) {
      ++done_;
      return pending;
    }
    for (uint32_t i = done_ + 1; i < batch_size_; ++i) batch_[i - 1] = batch_[i];
    --batch_size_;
  }
  return nullptr;
}

Rapos::Indices Rapos::schedulable(std::span<const Pending> enabled, ThreadId passed_over) {
  Indices dependent;
  Indices all;
  for (size_t i = 0; i < enabled.size(); ++i) {
    if (enabled[i].thread == passed_over) continue;
    all.add(i);
    if (first_ || depends_on_last(enabled[i])) dependent.add(i);
  }
  first_ = false;
  if (dependent.count != 0) return dependent;
  Indices one;
  one.add(all.at[rng_.below(all.count)]);
  return one;
}

bool Rapos::depends_on_last(const Pending& event) const {
  for (uint32_t i = 0; i < batch_size_; ++i) {
    if (batch_[i].thread == event.thread || conflict(batch_[i], event)) return true;
  }
  return false;
}

void Rapos::draw_batch(std::span<const Pending> enabled, const Indices& from) {
  const auto seed = static_cast<uint32_t>(rng_.below(from.count));
  batch_[0] = enabled[from.at[seed]];
  batch_size_ = 1;
  for (uint32_t i = 0; i < from.count; ++i) {
    const Pending& event = enabled[from.at[i]];
    if (i == seed || !independent_of_batch(event)) continue;
    if (rng_.below(2) == 0) batch_[batch_size_++] = event;
  }
}

bool Rapos::independent_of_batch(const Pending& event) const {
  for (uint32_t i = 0; i < batch_size_; ++i) {
    if (conflict(batch_[i], event)) return false;
  }
  return true;
}

}  // namespace esox
