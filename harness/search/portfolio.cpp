// SPDX-License-Identifier: Apache-2.0
#include "harness/search/portfolio.h"

#include <algorithm>
#include <string_view>

namespace esox {
namespace {

std::array<double, kPortfolio.size()> priors_of(bool can_vary) {
  std::array<double, kPortfolio.size()> priors{};
  double sum = 0;
  for (size_t i = 0; i < priors.size(); ++i) {
    if (!can_vary && is_variation(i)) continue;
    sum += priors[i] = kPortfolio[i].prior;
  }
  for (double& prior : priors) prior /= sum;
  return priors;
}

}  // namespace

bool is_variation(size_t arm) {
  return kPortfolio[arm].strategy == std::string_view(kVariation);
}

bool is_turn_of_pass(uint64_t number, uint32_t preemptions, uint64_t left, bool found) {
  if (number <= kBeginsByChance) return false;
  if (preemptions > 1) return number % (found ? kWhenFoundEach : kTwoPreemptionsEach) == 0;
  if (left <= std::max(kFewSchedules, number / kFewAmongExecutions)) return number % 2 == 1;
  if (found) return number % kWhenFoundEach == 0;
  return number <= kBeginsSystematically ? number % 2 == 1 : number % kOnePreemptionEach == 0;
}

std::vector<double> portfolio_shares(const PortfolioRecord& record, bool can_vary) {
  return bandit_shares(priors_of(can_vary), record.arms, kPortfolioFloor);
}

size_t portfolio_arm(const PortfolioRecord& record, bool can_vary, uint64_t seed) {
  return bandit_arm(portfolio_shares(record, can_vary), seed);
}

}  // namespace esox
