// SPDX-License-Identifier: Apache-2.0
// Chi-square against the uniform distribution, for tests with fixed seeds.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

namespace esox::model {

inline double chi_square_uniform(const std::vector<uint64_t>& counts) {
  double total = 0;
  for (const uint64_t count : counts) total += static_cast<double>(count);
  const double expected = total / static_cast<double>(counts.size());
  double sum = 0;
  for (const uint64_t count : counts) {
    const double difference = static_cast<double>(count) - expected;
    sum += difference * difference / expected;
  }
  return sum;
}

// The value that chi-square with `categories` categories exceeds with probability 0.0001, by the
// approximation of Wilson and Hilferty (3.719 is the normal distribution's quantile).
inline double chi_square_limit(size_t categories) {
  const auto freedom = static_cast<double>(categories - 1);
  const double ninth = 2 / (9 * freedom);
  return freedom * std::pow(1 - ninth + 3.719 * std::sqrt(ninth), 3);
}

}  // namespace esox::model
