// SPDX-License-Identifier: Apache-2.0
#include "harness/search/bandit.h"

#include <cmath>

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

double mean_of(std::span<const ArmRecord> records) {
  double earned = 0;
  double executions = 0;
  for (const ArmRecord& arm : records) {
    earned += arm.earned;
    executions += static_cast<double>(arm.executions);
  }
  return (earned + 1e-3) / (executions + 1);
}

}  // namespace

void note_earned(ArmRecord& arm, const Earned& earned) {
  ++arm.executions;
  arm.earned += worth(earned);
}

std::vector<double> bandit_shares(std::span<const double> priors,
                                  std::span<const ArmRecord> records, double floor,
                                  double sharpness) {
  const double mean = mean_of(records);
  std::vector<double> shares(priors.size());
  double sum = 0;
  for (size_t i = 0; i < shares.size(); ++i) {
    const double estimate = (records[i].earned + kBanditInertia * mean) /
                            (static_cast<double>(records[i].executions) + kBanditInertia);
    shares[i] = priors[i] * std::pow(estimate, sharpness);
    sum += shares[i];
  }
  for (size_t i = 0; i < shares.size(); ++i) {
    shares[i] = floor * priors[i] + (1 - floor) * shares[i] / sum;
  }
  return shares;
}

size_t bandit_arm(std::span<const double> shares, uint64_t seed) {
  double left = Rng(seed ^ kSalt).unit();
  for (size_t i = 0; i + 1 < shares.size(); ++i) {
    if (left < shares[i]) return i;
    left -= shares[i];
  }
  return shares.size() - 1;
}

}  // namespace esox
