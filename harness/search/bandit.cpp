// SPDX-License-Identifier: Apache-2.0
#include "harness/search/bandit.h"

#include <cmath>
#include <numbers>

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

double normal(Rng& random) {
  const double length = std::sqrt(-2 * std::log1p(-random.unit()));
  return length * std::cos(2 * std::numbers::pi * random.unit());
}

// Of the gamma distribution, by rejection (Marsaglia and Tsang 2000).
double gamma(Rng& random, double shape) {
  if (shape < 1) {
    const double power = std::pow(1 - random.unit(), 1 / shape);
    return gamma(random, shape + 1) * power;
  }
  const double d = shape - 1.0 / 3;
  for (;;) {
    const double x = normal(random);
    const double v = std::pow(1 + x / std::sqrt(9 * d), 3);
    if (v <= 0) continue;
    if (std::log1p(-random.unit()) < x * x / 2 + d - d * v + d * std::log(v)) return d * v;
  }
}

double beta(Rng& random, double hits, double misses) {
  const double x = gamma(random, hits);
  return x / (x + gamma(random, misses));
}

double rate_of(std::span<const ArmRecord> records) {
  double hits = 0.5;
  double executions = 1;
  for (const ArmRecord& arm : records) {
    hits += static_cast<double>(arm.hits);
    executions += static_cast<double>(arm.executions);
  }
  return hits / executions;
}

size_t arm_at(std::span<const double> shares, double at) {
  for (size_t i = 0; i + 1 < shares.size(); ++i) {
    if (at < shares[i]) return i;
    at -= shares[i];
  }
  return shares.size() - 1;
}

}  // namespace

void note_earned(ArmRecord& arm, const Earned& earned) {
  ++arm.executions;
  arm.earned += worth(earned);
  arm.hits += earned.violation ? 1 : 0;
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
  return arm_at(shares, Rng(seed ^ kSalt).unit());
}

size_t thompson_arm(std::span<const double> priors, std::span<const ArmRecord> records,
                    double floor, uint64_t seed) {
  Rng random(seed ^ kSalt);
  if (random.unit() < floor) return arm_at(priors, random.unit());
  const double rate = rate_of(records);
  size_t best = 0;
  double highest = -1;
  for (size_t i = 0; i < priors.size(); ++i) {
    if (priors[i] <= 0) continue;
    const double believed = kBelievedExecutions * priors[i] * static_cast<double>(priors.size());
    const auto hits = static_cast<double>(records[i].hits);
    const double misses = static_cast<double>(records[i].executions) - hits;
    const double drawn = beta(random, hits + believed * rate, misses + believed * (1 - rate));
    if (drawn <= highest) continue;
    highest = drawn;
    best = i;
  }
  return best;
}

}  // namespace esox
