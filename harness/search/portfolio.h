// SPDX-License-Identifier: Apache-2.0
// The portfolio of hunts: which of several strategies schedules an execution of an input, learnt
// from what each has shown of the input so far.
//
// No strategy is the best for all bugs (random walks and PCT find different ones: Thomson,
// Donaldson, Betts, "Concurrency testing using controlled schedulers", TOPC 2016), and which one
// suits an input is not known before. A bandit decides (bandit.h). The priors are what was measured
// on MariaDB (docs/strategies.md). Programs have a portfolio of their own
// (harness/programs/program_portfolio.h).
//
// Beside them each execution's number says whether it is one of the systematic pass
// (exhaustive/preemption_pass.h), as long as that has any left: what it finds depends on no luck,
// so that every hunt finds it whatever its seed, and what it shows is there for variation.
//
// Deterministic: the choice follows from the number, the seed and the earned figures. Pure.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "harness/search/bandit.h"
#include "preload/protocol/strategy_spec.h"

namespace esox {

struct PortfolioArm {
  const char* strategy;  // as strategy_from_text reads it, or kVariation
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

// Dealt out by the priors for ever (bandit.h). With the systematic pass, which no earnings change
// either, it makes the two fifths of all that are not given to what has shown itself.
inline constexpr double kPortfolioFloor = 0.3;

// What --strategy calls it.
inline constexpr const char* kPortfolioName = "portfolio";

bool is_variation(size_t arm);

// What the executions of the systematic pass are called.
inline constexpr const char* kSystematic = "systematic";

// None of the first few executions: what most schedules show is shown by them, and the pass, which
// goes from one to the next, would need twice as many (of eleven known bugs the first hit came at
// 10.9 in the geometric mean, and at 8.4 with these left to chance, as without a pass). Then every
// other one of the first so many, and of all while few schedules with one preemption are left; else
// one of so many: fewer of them once the input has shown a violation, for then chance, which
// learns, hits more than the pass does; and one of more with two preemptions.
// Few are so many, as a pair of memcached's requests has from the beginning, or half of what the
// input has had already: one that is executed for long comes to their end, and what is found in it
// is not for chance to say (memcached's `stale-and-read`, three clients, has 376 of them and 246
// that come back into a lock, and five findings). Of a MariaDB pair with 700 schedules it is a
// fifth of 300 executions while nothing is found, and a seventeenth after that.
inline constexpr uint64_t kBeginsByChance = 8;
inline constexpr uint64_t kBeginsSystematically = 32;
inline constexpr uint64_t kFewSchedules = 128;
inline constexpr uint64_t kFewAmongExecutions = 2;  // one of so many
inline constexpr uint64_t kOnePreemptionEach = 6;
inline constexpr uint64_t kWhenFoundEach = 24;
inline constexpr uint64_t kTwoPreemptionsEach = 16;

// The pass has schedules with so many preemptions next, and `left` of them, as far as is known.
bool is_turn_of_pass(uint64_t number, uint32_t preemptions, uint64_t left, bool found);

// Plain data, kept over launches.
struct PortfolioRecord {
  std::array<ArmRecord, kPortfolio.size()> arms{};
};

// By arm; they add up to 1. `can_vary`: there is something that the arm kVariation could vary.
std::vector<double> portfolio_shares(const PortfolioRecord& record, bool can_vary);

// The arm that schedules the execution with this seed.
size_t portfolio_arm(const PortfolioRecord& record, bool can_vary, uint64_t seed);

}  // namespace esox
