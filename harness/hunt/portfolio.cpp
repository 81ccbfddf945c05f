// SPDX-License-Identifier: Apache-2.0
// See portfolio.h.
#include "harness/hunt/portfolio.h"

#include <string_view>

#include "preload/strategy/rng.h"

namespace esox {
namespace {

constexpr uint64_t kSalt = 0x706f7274666f6c69;  // the strategy itself draws from the seed alone

double worth(const Earned& earned) {
  double worth = 0;
  if (earned.new_cause) {
    worth += 1;
  } else if (earned.violation) {
    worth += 0.25;
  }
  if (earned.new_outcome) worth += 0.1;
  if (earned.new_order) worth += 0.02;
  return worth;
}

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

// What an arm earns in an execution is estimated with kPortfolioInertia executions' worth of the
// mean over all arms, and the arms' shares go by prior times estimate: an arm that earns twice the
// mean is dealt twice its prior.
std::array<double, kPortfolio.size()> portfolio_shares(const PortfolioRecord& record,
                                                       bool can_vary) {
  double earned = 0;
  double executions = 0;
  for (const PortfolioRecord::Arm& arm : record.arms) {
    earned += arm.earned;
    executions += static_cast<double>(arm.executions);
  }
  const double mean = (earned + 1e-3) / (executions + 1);
  const std::array<double, kPortfolio.size()> priors = priors_of(can_vary);
  std::array<double, kPortfolio.size()> shares{};
  double sum = 0;
  for (size_t i = 0; i < shares.size(); ++i) {
    const PortfolioRecord::Arm& arm = record.arms[i];
    const double estimate = (arm.earned + kPortfolioInertia * mean) /
                            (static_cast<double>(arm.executions) + kPortfolioInertia);
    shares[i] = priors[i] * estimate;
    sum += shares[i];
  }
  for (size_t i = 0; i < shares.size(); ++i) {
    shares[i] = kPortfolioFloor * priors[i] + (1 - kPortfolioFloor) * shares[i] / sum;
  }
  return shares;
}

size_t portfolio_arm(const PortfolioRecord& record, bool can_vary, uint64_t seed) {
  const auto shares = portfolio_shares(record, can_vary);
  double left = Rng(seed ^ kSalt).unit();
  for (size_t i = 0; i + 1 < shares.size(); ++i) {
    if (left < shares[i]) return i;
    left -= shares[i];
  }
  return shares.size() - 1;
}

void note_earned(PortfolioRecord& record, size_t arm, const Earned& earned) {
  ++record.arms[arm].executions;
  record.arms[arm].earned += worth(earned);
}

}  // namespace esox
