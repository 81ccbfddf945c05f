// SPDX-License-Identifier: Apache-2.0
// The portfolio of `esox exec`: which of several strategies schedules an execution of a program,
// learnt from what each has shown so far (harness/search/bandit.h).
//
// An execution earns by a failure not seen before, by one that was, and by a partial order of the
// threads' operations that was not seen before. A program's outcome is its failure or nothing, so
// there are no rare outcomes whose schedules could be varied, as hunts do
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
#include <vector>

#include "harness/search/bandit.h"
#include "harness/search/portfolio.h"
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
  ProgramPortfolio();

  // Whether all is known that execution `number` (from 1) goes by. Numbers ascend.
  bool can_choose(uint64_t number) const;
  // The arm of that execution, with its seed.
  size_t arm_of(uint64_t number, uint64_t seed) const;
  const StrategySpec& strategy(size_t arm) const { return strategies_[arm]; }

  // Of every execution once, in any order; of one that was not judged, that it was made.
  void note(uint64_t number, size_t arm, ProgramShown shown);

  const std::vector<ProgramArm>& arms() const { return arms_; }

 private:
  struct Noted {
    size_t arm = 0;
    ProgramShown shown;
  };

  void close_round();
  void earn(const Noted& noted);

  std::vector<StrategySpec> strategies_;
  std::vector<double> priors_;
  std::map<uint64_t, Noted> open_;   // by number: of rounds that are not closed
  uint64_t closed_ = 0;              // rounds of which all executions were noted, and earned
  std::vector<ArmRecord> records_;   // of those
  std::vector<double> shares_;       // of the round after them
  std::vector<double> next_shares_;  // of the one after that
  std::set<std::string> failures_;
  std::set<uint64_t> orders_;
  std::vector<ProgramArm> arms_;
};

}  // namespace esox
