// SPDX-License-Identifier: Apache-2.0
#include "harness/records/rate_text.h"

#include <fmt/format.h>

#include "harness/search/strategy_text.h"

namespace esox {
namespace {

constexpr double kWhole = 9.95;  // per cent and more are told without decimals

std::string number_text(double share) {
  const double percent = 100 * share;
  return percent >= kWhole ? fmt::format("{:.0f}", percent) : fmt::format("{:.2g}", percent);
}

}  // namespace

bool is_fresh_draw(const std::string& strategy) {
  return exploring_strategy(strategy).has_value();
}

std::string percent_text(double share) {
  return number_text(share) + " %";
}

std::string draws_text(uint64_t hits, uint64_t draws, double confidence) {
  if (draws == 0) return "no fresh draws";
  const std::string sure = fmt::format("{:.4g} %", 100 * confidence);
  if (hits == 0) {
    return fmt::format("none of {} fresh draws ({}: at most {})", draws, sure,
                       percent_text(upper_bound_of_rate(0, draws, confidence)));
  }
  const RateInterval interval = interval_of_rate(hits, draws, confidence);
  return fmt::format("{} of {} fresh draws: {} ({}: {} to {})", hits, draws,
                     percent_text(static_cast<double>(hits) / static_cast<double>(draws)), sure,
                     number_text(interval.low), percent_text(interval.high));
}

std::string repeats_text(uint64_t hits, uint64_t executions, uint64_t first) {
  return fmt::format("in {} of {} executions, repeats of it among them{}", hits, executions,
                     first > 0 ? fmt::format(", first in {}", first) : "");
}

std::string rate_text(const HitCounts& counts) {
  return fmt::format("in {}; first in execution {} of {}",
                     draws_text(counts.drawn_hits, counts.draws), counts.first, counts.executions);
}

}  // namespace esox
