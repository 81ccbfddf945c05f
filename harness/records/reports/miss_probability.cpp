// SPDX-License-Identifier: Apache-2.0
#include "harness/records/reports/miss_probability.h"

#include <fmt/format.h>

#include <cmath>

#include "harness/search/portfolio.h"
#include "harness/search/strategy_text.h"

namespace esox {
namespace {

std::optional<unsigned> depth_of(const std::string& strategy) {
  const auto spec = exploring_strategy(strategy);
  if (!spec || spec->kind != StrategyKind::kPct) return std::nullopt;
  return spec->depth;
}

// The executions whose strategy holds a guarantee, and for which depth.
struct Guaranteed {
  std::optional<unsigned> depth;
  uint64_t executions = 0;
};

Guaranteed guaranteed(const std::vector<ArmFigures>& arms) {
  Guaranteed best;
  for (const ArmFigures& arm : arms) {
    const std::optional<unsigned> depth = depth_of(arm.strategy);
    if (depth && (!best.depth || *depth > *best.depth)) best = {depth, arm.judged};
  }
  return best;
}

// Those that a strategy drew.
uint64_t drawn(const std::vector<ArmFigures>& arms) {
  uint64_t sum = 0;
  for (const ArmFigures& arm : arms) {
    const bool drawn = arm.strategy != kVariation && arm.strategy != kSystematic;
    sum += drawn ? arm.judged : 0;
  }
  return sum;
}

// 6200000 as "6 200 000".
std::string grouped(double number) {
  std::string digits = fmt::format("{:.0f}", number);
  for (size_t at = digits.size(); at > 3; at -= 3) digits.insert(at - 3, " ");
  return digits;
}

}  // namespace

// By logarithms: 1-p is 1 to a double where p is tiny, and (1-p)^N would be lost.
double miss_probability(double probability, uint64_t runs) {
  if (runs == 0 || probability <= 0) return 1;
  if (probability >= 1) return 0;
  return std::exp(static_cast<double>(runs) * std::log1p(-probability));
}

double pct_bound(uint64_t threads, uint64_t points, unsigned depth) {
  if (threads == 0 || points == 0 || depth == 0) return 0;
  return 1 / (static_cast<double>(threads) * std::pow(static_cast<double>(points), depth - 1.0));
}

double smallest_rate(uint64_t runs) {
  if (runs == 0) return 1;
  return -std::expm1(std::log(kMissedShare) / static_cast<double>(runs));
}

MissFigures miss_figures(const InputFigures& figures, const std::string& strategy) {
  MissFigures miss;
  miss.judged = figures.executions - std::min(figures.degraded, figures.executions);
  const Guaranteed sure =
      figures.arms.empty() ? Guaranteed{depth_of(strategy), miss.judged} : guaranteed(figures.arms);
  miss.depth = sure.depth;
  miss.drawn = figures.arms.empty() ? miss.judged : drawn(figures.arms);
  if (miss.depth) {
    miss.guaranteed = sure.executions;
    miss.bound = pct_bound(figures.clients, figures.points, *miss.depth);
    miss.missed_at_most = miss_probability(miss.bound, miss.guaranteed);
  }
  miss.rate_found = smallest_rate(miss.drawn);
  if (miss.judged == 0 || figures.violations == 0) return miss;
  miss.hit_rate =
      std::min(1.0, static_cast<double>(figures.violations) / static_cast<double>(miss.judged));
  miss.missed_again = miss_probability(miss.hit_rate, miss.judged);
  return miss;
}

std::string chance_text(double probability) {
  if (probability <= 0) return "none";
  if (probability >= 1) return "always";
  const double one_in = 1 / probability;
  if (one_in >= 1e15) return fmt::format("1 in {:.1e}", one_in);
  return "1 in " + grouped(one_in < 100 ? std::round(one_in) : one_in);
}

std::string share_text(double share) {
  if (share <= 0) return "0 %";
  if (share >= 1) return "100 %";
  if (share < 1e-6) return "< 0.0001 %";
  if (share > 1 - 1e-6) return "> 99.9999 %";
  // As many digits as it takes to tell it from 0 and from 100.
  const double away = std::min(share, 1 - share);
  const int digits = away >= 0.1 ? 0 : away >= 0.01 ? 1 : away >= 0.001 ? 2 : away >= 1e-4 ? 3 : 4;
  return fmt::format("{:.{}f} %", share * 100, digits);
}

}  // namespace esox
