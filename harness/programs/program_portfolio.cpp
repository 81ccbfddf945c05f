// SPDX-License-Identifier: Apache-2.0
// See program_portfolio.h.
#include "harness/programs/program_portfolio.h"

#include <stdexcept>
#include <utility>

#include "preload/strategy/registry.h"

namespace esox {
namespace {

// Beyond so many, a program's orders are new all the time, and tell nothing of its strategies.
constexpr size_t kMostOrders = 100'000;

uint64_t round_of(uint64_t number) {
  return (number - 1) / kPortfolioRound;
}

}  // namespace

ProgramPortfolio::ProgramPortfolio() : records_(kProgramPortfolio.size()) {
  for (const PortfolioArm& arm : kProgramPortfolio) {
    StrategySpec spec;
    char error[kStrategyErrorBytes];
    if (!parse_strategy(arm.strategy, &spec, error, sizeof error)) throw std::logic_error(error);
    strategies_.push_back(spec);
    priors_.push_back(arm.prior);
    arms_.push_back({arm.strategy});
  }
  shares_ = next_shares_ = bandit_shares(priors_, records_);
}

bool ProgramPortfolio::can_choose(uint64_t number) const {
  return round_of(number) <= closed_ + 1;
}

size_t ProgramPortfolio::arm_of(uint64_t number, uint64_t seed) const {
  return bandit_arm(round_of(number) == closed_ ? shares_ : next_shares_, seed);
}

void ProgramPortfolio::note(uint64_t number, size_t arm, ProgramShown shown) {
  ++arms_[arm].executions;
  arms_[arm].failed += shown.failure.empty() ? 0 : 1;
  open_[number] = {arm, std::move(shown)};
  while (open_.size() >= kPortfolioRound &&
         std::next(open_.begin(), kPortfolioRound - 1)->first == (closed_ + 1) * kPortfolioRound) {
    close_round();
  }
}

// In the order of their numbers: which of two executions showed something first follows from it.
void ProgramPortfolio::close_round() {
  for (uint64_t i = 0; i < kPortfolioRound; ++i) {
    earn(open_.begin()->second);
    open_.erase(open_.begin());
  }
  ++closed_;
  shares_ = std::exchange(next_shares_, bandit_shares(priors_, records_));
}

void ProgramPortfolio::earn(const Noted& noted) {
  const ProgramShown& shown = noted.shown;
  Earned earned;
  earned.violation = !shown.failure.empty();
  earned.new_cause = earned.violation && failures_.insert(shown.failure).second;
  earned.new_order = shown.order_class != 0 && orders_.size() < kMostOrders &&
                     orders_.insert(shown.order_class).second;
  note_earned(records_[noted.arm], earned);
}

}  // namespace esox
