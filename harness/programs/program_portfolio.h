// SPDX-License-Identifier: Apache-2.0
// The portfolio of `esox exec`: which of several strategies schedules an execution of a program,
// learnt from what each has shown so far (harness/search/bandit.h).
//
// Until one has failed, an execution earns by a partial order of the threads' operations that was
// not seen before. From then on it is failures that count: of a program there is seldom more than
// one to be found, and which strategy finds it again is soon known. A program's outcome is its
// failure or nothing, so there are no rare outcomes whose schedules could be varied, as hunts do
// (harness/search/variation.h).
//
// Executions are made by several workers at once, and which one ends first is chance. So that the
// choice follows from the seed alone, executions are counted in rounds of kPortfolioRound: those of
// a round go by what the rounds up to the last but one have earned. Workers so wait for each other
// only where one is a whole round behind.
//
// Pure; for use by one thread at a time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "harness/search/bandit.h"
#include "harness/search/portfolio.h"
#include "harness/search/strategy_text.h"
#include "preload/protocol/strategy_spec.h"

namespace esox {

// The priors are what was measured on the programs of tests/programs (docs/programs.md).
inline constexpr std::array<PortfolioArm, 6> kProgramPortfolio = {{{"surw:objects=1", 0.24},
                                                                   {"wrw:share=12", 0.20},
                                                                   {"random:p=1", 0.18},
                                                                   {"pos*", 0.14},
                                                                   {"pos", 0.12},
                                                                   {"pct:d=3", 0.12}}};

inline constexpr uint64_t kPortfolioRound = 32;
inline constexpr double kProgramFloor = 0.2;    // dealt out by the priors for ever (bandit.h)
inline constexpr double kProgramSharpness = 3;  // of what orders earn

// What an execution showed.
struct ProgramShown {
  std::string failure;       // names a distinct one; empty: none, or not judged
  uint64_t order_class = 0;  // equal for equivalent schedules (analysis/behaviour.h); 0: not known
};

// For the report: how many executions a strategy had, and how many of them failed.
struct ProgramArm {
  std::string strategy;
  uint64_t executions = 0;
  uint64_t failed = 0;
};

class ProgramPortfolio {
 public:
  ProgramPortfolio() {
    for (const PortfolioArm& arm : kProgramPortfolio) {
      strategies_.push_back(strategy_from_text(arm.strategy));
      priors_.push_back(arm.prior);
      arms_.push_back({arm.strategy});
    }
    known_.resize(kProgramPortfolio.size());
    round_ = next_round_ = what_is_known();
  }

  // Whether all is known that execution `number` (from 1) goes by. Numbers ascend.
  bool can_choose(uint64_t number) const { return round_of(number) <= closed_ + 1; }
  // The arm of that execution, with its seed.
  size_t arm_of(uint64_t number, uint64_t seed) const {
    const Known& known = round_of(number) == closed_ ? round_ : next_round_;
    return known.failed ? thompson_arm(priors_, known.arms, kProgramFloor, seed)
                        : bandit_arm(known.shares, seed);
  }
  const StrategySpec& strategy(size_t arm) const { return strategies_[arm]; }

  // Of every execution once, in any order; of one that was not judged, that it was made.
  void note(uint64_t number, size_t arm, ProgramShown shown) {
    ++arms_[arm].executions;
    arms_[arm].failed += shown.failure.empty() ? 0 : 1;
    open_[number] = {arm, std::move(shown)};
    while (open_.size() >= kPortfolioRound &&
           std::next(open_.begin(), kPortfolioRound - 1)->first ==
               (closed_ + 1) * kPortfolioRound) {
      close_round();
    }
  }

  const std::vector<ProgramArm>& arms() const { return arms_; }

 private:
  // Beyond so many, a program's orders are new all the time, and tell nothing of its strategies.
  static constexpr size_t kMostOrders = 100'000;

  static uint64_t round_of(uint64_t number) { return (number - 1) / kPortfolioRound; }

  struct Noted {
    size_t arm = 0;
    ProgramShown shown;
  };

  // What the executions of a round go by.
  struct Known {
    bool failed = false;  // any
    std::vector<ArmRecord> arms;
    std::vector<double> shares;
  };

  // In the order of their numbers: which of two executions showed something first follows from it.
  void close_round() {
    for (uint64_t i = 0; i < kPortfolioRound; ++i) {
      earn(open_.begin()->second);
      open_.erase(open_.begin());
    }
    ++closed_;
    round_ = std::exchange(next_round_, what_is_known());
  }

  Known what_is_known() const {
    return {failed_, known_, bandit_shares(priors_, known_, kProgramFloor, kProgramSharpness)};
  }

  void earn(const Noted& noted) {
    const ProgramShown& shown = noted.shown;
    Earned earned;
    earned.violation = !shown.failure.empty();
    failed_ = failed_ || earned.violation;
    earned.new_order = !failed_ && shown.order_class != 0 && orders_.size() < kMostOrders &&
                       orders_.insert(shown.order_class).second;
    note_earned(known_[noted.arm], earned);
  }

  std::vector<StrategySpec> strategies_;
  std::vector<double> priors_;
  std::map<uint64_t, Noted> open_;  // by number: of rounds that are not closed
  uint64_t closed_ = 0;             // rounds of which all executions were noted, and earned
  bool failed_ = false;             // any of those
  std::vector<ArmRecord> known_;    // of those
  Known round_;                     // for the round after them
  Known next_round_;                // for the one after that
  std::set<uint64_t> orders_;
  std::vector<ProgramArm> arms_;
};

}  // namespace esox
