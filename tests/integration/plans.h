// SPDX-License-Identifier: Apache-2.0
// Single executions, as tests ask for them.
#pragma once

#include <string>

#include "harness/engine/execution.h"
#include "harness/hunt/exploration.h"

namespace esox {

// One by the strategy of `settings`, with nothing learnt.
inline ExecutionPlan plan_by(const ExplorationSettings& settings, const ConcreteInput& input,
                             uint64_t seed) {
  ExecutionPlan plan;
  plan.input = &input;
  plan.strategy = settings.strategy;
  plan.strategy_text = settings.strategy_text;
  plan.seed = seed;
  plan.clock_base_ns = settings.clock_base_ns;
  return plan;
}

inline ExecutionPlan plan_again(const ExplorationSettings& settings, const ConcreteInput& input,
                                const ExecutionRecord& record) {
  ExecutionPlan plan;
  plan.input = &input;
  plan.strategy.kind = StrategyKind::kReplay;
  plan.seed = record.seed;
  plan.choices = record.choices;
  plan.values = record.values;
  plan.clock_base_ns = settings.clock_base_ns;
  return plan;
}

}  // namespace esox
