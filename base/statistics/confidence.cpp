// SPDX-License-Identifier: Apache-2.0
#include "base/statistics/confidence.h"

#include <algorithm>
#include <cmath>

namespace esox {
namespace {

constexpr int kBisections = 60;  // beyond the precision of a double

constexpr double kNegligible = 1e-17;  // beside a sum of doubles

double log_choose(double n, double k) {
  return std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1);
}

}  // namespace

double at_most(uint64_t hits, uint64_t executions, double rate) {
  if (hits >= executions || rate <= 0) return 1;
  if (rate >= 1) return 0;
  const auto n = static_cast<double>(executions);
  double sum = 0;
  // Downwards: below the mean the terms fall ever faster, and of millions a few thousand count.
  for (uint64_t i = hits + 1; i-- > 0;) {
    const auto k = static_cast<double>(i);
    const double term =
        std::exp(log_choose(n, k) + k * std::log(rate) + (n - k) * std::log1p(-rate));
    sum += term;
    if (k < n * rate && term < sum * kNegligible) break;
  }
  return std::min(sum, 1.0);
}

double upper_bound_of_rate(uint64_t hits, uint64_t executions, double confidence) {
  if (hits >= executions) return 1;
  if (hits == 0) return -std::expm1(std::log1p(-confidence) / static_cast<double>(executions));
  double low = static_cast<double>(hits) / static_cast<double>(executions);
  double high = 1;
  for (int i = 0; i < kBisections; ++i) {
    const double middle = (low + high) / 2;
    (at_most(hits, executions, middle) > 1 - confidence ? low : high) = middle;
  }
  return high;
}

double lower_bound_of_rate(uint64_t hits, uint64_t executions, double confidence) {
  if (executions == 0) return 0;
  return 1 - upper_bound_of_rate(executions - std::min(hits, executions), executions, confidence);
}

RateInterval interval_of_rate(uint64_t hits, uint64_t executions, double confidence) {
  const double each = (1 + confidence) / 2;
  return {lower_bound_of_rate(hits, executions, each), upper_bound_of_rate(hits, executions, each)};
}

double seen_at_least_once(double rate, uint64_t executions) {
  if (executions == 0 || rate <= 0) return 0;
  return -std::expm1(static_cast<double>(executions) * std::log1p(-rate));
}

uint64_t executions_to_see(double rate, double confidence) {
  if (rate >= 1) return 1;
  const double wanted = rate <= 0 ? HUGE_VAL : std::log1p(-confidence) / std::log1p(-rate);
  return wanted >= 1e18 ? UINT64_MAX
                        : std::max<uint64_t>(1, static_cast<uint64_t>(std::ceil(wanted)));
}

}  // namespace esox
