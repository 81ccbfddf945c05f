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
// unrelated ones pass may cost 1/2^k (figure 2.3 of the thesis).
//
// Deviations: an event that can no longer run when its turn comes (an operation here may hold more
// than its point tells) is dropped from its batch. demote() (anti-starvation) keeps the thread out
// of the next choice at which another one could run.
#pragma once

#include <array>

#include "preload/strategy/parameter.h"
#include "preload/strategy/walk.h"

namespace esox {

class Rapos final : public Walk {
 public:
  static constexpr StrategyKind kKind = StrategyKind::kRapos;
  static constexpr std::string_view kName = "rapos";
  static constexpr std::array<Parameter, 0> kParameters{};

  Rapos(const StrategySpec& spec, const StrategyTape& tape);

  void begin(const ExecutionInfo& info) override;
  ThreadId choose(std::span<const Pending> enabled, ThreadId current) override;

 private:
  // By index into `enabled`.
  struct Indices {
    std::array<uint16_t, kMaxThreads> at{};
    uint32_t count = 0;
    void add(size_t index) { at[count++] = static_cast<uint16_t>(index); }
  };

  const Pending* next_of_batch(std::span<const Pending> enabled, ThreadId passed_over);
  Indices schedulable(std::span<const Pending> enabled, ThreadId passed_over);
  void draw_batch(std::span<const Pending> enabled, const Indices& from);
  bool independent_of_batch(const Pending& event) const;
  bool depends_on_last(const Pending& event) const;

  std::array<Pending, kMaxThreads> batch_{};
  uint32_t batch_size_ = 0;
  uint32_t done_ = 0;  // events of the batch whose turn has come
  bool first_ = true;
};

}  // namespace esox
