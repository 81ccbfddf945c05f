// SPDX-License-Identifier: Apache-2.0
#include "harness/findings/replay/strategy_mix.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "harness/search/portfolio.h"
#include "harness/search/strategy_text.h"
#include "preload/strategy/rng.h"

namespace esox {
namespace {

constexpr double kOwnShare = 0.5;

void add(std::vector<MixedStrategy>& mix, const StrategySpec& spec, double share) {
  const std::string name = strategy_text(spec);
  const auto known = std::ranges::find(mix, name, &MixedStrategy::text);
  if (known == mix.end()) {
    mix.push_back({name, spec, share});
  } else {
    known->share += share;
  }
}

}  // namespace

std::vector<MixedStrategy> strategy_mix(const std::string& strategy) {
  std::vector<MixedStrategy> mix;
  const std::optional<StrategySpec> own = exploring_strategy(strategy);
  if (own) add(mix, *own, kOwnShare);
  double priors = 0;
  for (const PortfolioArm& arm : kPortfolio)
    priors += exploring_strategy(arm.strategy) ? arm.prior : 0;
  for (const PortfolioArm& arm : kPortfolio) {
    const std::optional<StrategySpec> spec = exploring_strategy(arm.strategy);
    if (spec) add(mix, *spec, (own ? 1 - kOwnShare : 1) * arm.prior / priors);
  }
  return mix;
}

std::string mix_text(const std::vector<MixedStrategy>& mix) {
  std::vector<std::string> texts;
  for (const MixedStrategy& one : mix) {
    texts.push_back(fmt::format("{} {:.0f} %", one.text, 100 * one.share));
  }
  return fmt::format("{}", fmt::join(texts, ", "));
}

FreshDraws::FreshDraws(const std::vector<MixedStrategy>& mix, Executor& executor,
                       Exploration& exploration, uint64_t salt)
    : mix_(mix), executor_(executor), exploration_(exploration), salt_(salt) {}

Judged FreshDraws::draw(uint64_t number) {
  exploration_.prepare(executor_);
  if (!base_) {
    base_ = exploration_.plan_replay({}, {}, 0);
    base_->fresh = false;
  }
  ExecutionPlan plan = *base_;
  Rng rng(exploration_.seed_of(number) ^ salt_);
  double left = rng.unit();
  size_t taken = 0;
  while (taken + 1 < mix_.size() && left >= mix_[taken].share) left -= mix_[taken++].share;
  plan.strategy = mix_[taken].spec;
  plan.strategy_text = mix_[taken].text;
  plan.seed = rng.next();
  plan.number = number;
  Judged judged = exploration_.judge_report(executor_, executor_.run(plan));
  if (judged.cause) exploration_.confirm(executor_, judged);
  return judged;
}

}  // namespace esox
