// SPDX-License-Identifier: Apache-2.0
// The portfolio: which of several strategies schedules an execution, learnt from what each has
// shown of the input so far.
//
// No strategy is the best for all bugs (random walks and PCT find different ones: Thomson,
// Donaldson, Betts, "Concurrency testing using controlled schedulers", TOPC 2016), and which one
// suits an input is not known before. A bandit decides: an arm's share grows with what its
// executions earned, and kFloor of the executions are dealt out by the priors alone, for ever. So a
// strategy keeps at least kFloor times its prior of them, and the portfolio is at worst slower than
// its best arm by that factor, on an input where all others are useless.
//
// The priors are what was measured on MariaDB (docs/strategies.md). An execution earns:
//   a violation of a new cause   1       what is looked for
//   one of a known cause         0.25    this input is fertile, and this arm hits
//   an outcome not seen before   0.1     other behaviours
//   an order not seen before     0.02    (of conflicting operations)
//
// Deterministic: the choice follows from the seed and the earned figures. Pure.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "preload/strategy/spec.h"

namespace esox {

struct PortfolioArm {
  const char* strategy;  // as parse_strategy reads it, or kVariation
  double prior;          // its share at first; they add up to 1
};

// Not a strategy of the scheduler: schedules made from others (variation.h), once there are any.
inline constexpr const char* kVariation = "variation";

inline constexpr std::array<PortfolioArm, 6> kPortfolio = {{{kVariation, 0.20},
                                                            {"wrw:share=12", 0.32},
                                                            {"random:p=0.05", 0.14},
                                                            {"pos", 0.12},
                                                            {"pct:d=3", 0.11},
                                                            {"pos*", 0.11}}};

// What --strategy calls it.
inline constexpr const char* kPortfolioName = "portfolio";

inline constexpr double kPortfolioFloor = 0.4;
// Earnings weigh as much as the priors once an arm has had so many executions.
inline constexpr double kPortfolioInertia = 15;

bool is_variation(size_t arm);

struct Earned {
  bool new_cause = false;
  bool violation = false;
  bool new_outcome = false;
  bool new_order = false;
};

// Plain data, kept over sittings.
struct PortfolioRecord {
  struct Arm {
    uint64_t executions = 0;
    double earned = 0;
  };
  std::array<Arm, kPortfolio.size()> arms{};
};

// By arm; they add up to 1. `can_vary`: there is something that the arm kVariation could vary.
std::array<double, kPortfolio.size()> portfolio_shares(const PortfolioRecord& record,
                                                       bool can_vary);

// The arm that schedules the execution with this seed.
size_t portfolio_arm(const PortfolioRecord& record, bool can_vary, uint64_t seed);

void note_earned(PortfolioRecord& record, size_t arm, const Earned& earned);

}  // namespace esox
