// SPDX-License-Identifier: Apache-2.0
// RAPOS, random partial order sampling: Sen (ASE 2007), as stated by Yuan (PhD thesis 2020, section
// 2.2.3).
//
//   Threads run in batches of pairwise independent events (conflict.h). At the beginning of a batch
//   some pending events are *schedulable*: those that depend on an event of the last batch (on the
//   same thread's, or in conflict with another's); if there are none, a single one drawn from all;
//   at first, all. One of them is drawn uniformly, then each of the others that is independent of
//   all chosen so far joins with probability 1/2. The batch runs in the order chosen.
//
// Every partial order can come, but with no bound on its probability: to let an event wait while k
// unrelated ones pass may cost 1/2^k (Yuan, figure 2.3).
//
// Deviation: an event that can no longer run when its turn comes (an operation here may hold more
// than its point tells) is dropped from its batch.
#pragma once

#include <array>
#include <string_view>

#include "preload/strategy/conflict.h"
#include "preload/strategy/walk.h"

namespace esox {

class Rapos final : public Walk {
 public:
  static constexpr StrategyKind kKind = StrategyKind::kRapos;
  static constexpr std::string_view kName = "rapos";

  Rapos(const StrategySpec&, const StrategyTape&) {}

  void begin(const ExecutionInfo& info) override {
    Walk::begin(info);
    batch_size_ = 0;
    done_ = 0;
    first_ = true;
  }

  ThreadId choose(std::span<const Pending> enabled, ThreadId /*current*/) override {
    const Pending* chosen = next_of_batch(enabled);
    if (chosen != nullptr) return chosen->thread;
    const Indices candidates =
        schedulable(enabled.first(std::min<size_t>(enabled.size(), kMaxThreads)));
    draw_batch(enabled, candidates);
    done_ = 1;
    return batch_[0].thread;
  }

 private:
  // By index into `enabled`.
  struct Indices {
    std::array<uint16_t, kMaxThreads> at{};
    uint32_t count = 0;
    void add(size_t index) { at[count++] = static_cast<uint16_t>(index); }
  };

  // What cannot run any more leaves the batch.
  const Pending* next_of_batch(std::span<const Pending> enabled) {
    while (done_ < batch_size_) {
      const ThreadId thread = batch_[done_].thread;
      const Pending* pending = find_enabled(enabled, thread);
      if (pending != nullptr) {
        ++done_;
        return pending;
      }
      for (uint32_t i = done_ + 1; i < batch_size_; ++i) batch_[i - 1] = batch_[i];
      --batch_size_;
    }
    return nullptr;
  }

  Indices schedulable(std::span<const Pending> enabled) {
    Indices dependent;
    Indices all;
    for (size_t i = 0; i < enabled.size(); ++i) {
      all.add(i);
      if (first_ || depends_on_last(enabled[i])) dependent.add(i);
    }
    first_ = false;
    if (dependent.count != 0) return dependent;
    Indices one;
    one.add(all.at[rng_.below(all.count)]);
    return one;
  }

  void draw_batch(std::span<const Pending> enabled, const Indices& from) {
    const auto seed = static_cast<uint32_t>(rng_.below(from.count));
    batch_[0] = enabled[from.at[seed]];
    batch_size_ = 1;
    for (uint32_t i = 0; i < from.count; ++i) {
      const Pending& event = enabled[from.at[i]];
      if (i == seed || !independent_of_batch(event)) continue;
      if (rng_.below(2) == 0) batch_[batch_size_++] = event;
    }
  }

  bool independent_of_batch(const Pending& event) const {
    for (uint32_t i = 0; i < batch_size_; ++i) {
      if (conflict(batch_[i], event)) return false;
    }
    return true;
  }

  bool depends_on_last(const Pending& event) const {
    for (uint32_t i = 0; i < batch_size_; ++i) {
      if (batch_[i].thread == event.thread || conflict(batch_[i], event)) return true;
    }
    return false;
  }

  std::array<Pending, kMaxThreads> batch_{};
  uint32_t batch_size_ = 0;
  uint32_t done_ = 0;  // events of the batch whose turn has come
  bool first_ = true;
};

}  // namespace esox
