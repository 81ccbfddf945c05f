// SPDX-License-Identifier: Apache-2.0
// Fresh draws: executions from which rates are reckoned.
//
// What a hunt's executions show cannot be counted as if each stood for itself: the portfolio gives
// more executions to what has hit, variations repeat what was found, predictions and filters go by
// earlier executions. Here every execution draws its strategy by fixed shares, and its schedule by
// that strategy, from a seed of its own; nothing that an execution shows changes the next one. So
// on one server they are independent and of one distribution, hits among them are binomial, and the
// bounds of base/statistics/confidence.h are exact.
//
// The shares: half for the strategy that found the finding, for the bug may be frequent under it
// alone; the rest for the strategies of the portfolio, by its priors, for in another build the
// bug's window may be one that suits another. So a bug is at most half as frequent under the mix as
// under the best single one that it holds by a half, and no strategy's blind spot is the mix's.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/hunt/exploration.h"

namespace esox {

struct MixedStrategy {
  std::string text;  // "pct:d=3"
  StrategySpec spec;
  double share = 0;
};

// `strategy`: that of a finding. One that explores by itself (no variation, no replay, no search)
// is half of the mix. The shares add up to 1, no strategy is there twice.
std::vector<MixedStrategy> strategy_mix(const std::string& strategy);

// "random:p=0.05 57 %, wrw:share=12 20 %, ..."
std::string mix_text(const std::vector<MixedStrategy>& mix);

// Used by one thread at a time. All outlive it.
class FreshDraws {
 public:
  // `salt`: draws of one exploration under two of them have nothing to do with each other.
  FreshDraws(const std::vector<MixedStrategy>& mix, Executor& executor, Exploration& exploration,
             uint64_t salt);

  // The `number`-th draw, from 1, judged and confirmed as by Exploration::explore(). Throws as
  // Executor::run.
  Judged draw(uint64_t number);

 private:
  const std::vector<MixedStrategy>& mix_;
  Executor& executor_;
  Exploration& exploration_;
  uint64_t salt_;
  // Made once: how long executions are expected to be may be known better later on, and a draw must
  // not depend on that.
  std::optional<ExecutionPlan> base_;
};

}  // namespace esox
