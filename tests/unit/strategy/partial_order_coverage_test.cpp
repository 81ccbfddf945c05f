// SPDX-License-Identifier: Apache-2.0
// How evenly the strategies sample partial orders: random programs of the kind of table 3.1 in
// Yuan's thesis (section 3.6.1), small enough to be sampled here.
//
// The thesis's measure is the share of the rarest partial order, one that never comes counting as
// one run, and the geometric mean of it over programs.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "preload/strategy/rng.h"
#include "tests/models/partial_order.h"

namespace esox::model {
namespace {

// `threads` x `events` accesses, each object as often as any other, in random places.
Program random_accesses(Rng& rng, int threads, int events, int objects) {
  std::vector<int> cells;
  for (int i = 0; i < threads * events; ++i) cells.push_back(i % objects);
  for (size_t i = cells.size() - 1; i > 0; --i) std::swap(cells[i], cells[rng.below(i + 1)]);
  Program program{"random accesses", {}};
  for (int thread = 0; thread < threads; ++thread) {
    std::vector<Operation>& operations = program.threads.emplace_back();
    for (int i = 0; i < events; ++i) {
      operations.push_back(access(cells[static_cast<size_t>(thread * events + i)], {}));
    }
  }
  return program;
}

constexpr uint32_t kRuns = 60'000;

// Share of the rarest of all partial orders that any strategy saw; never seen counts as one run.
double rarest(const std::map<std::string, uint64_t>& seen, size_t partial_orders) {
  uint64_t least = seen.size() < partial_orders ? 1 : kRuns;
  for (const auto& [order, count] : seen) least = std::min(least, count);
  return static_cast<double>(least) / kRuns;
}

// The thesis has 2.87e-06 for POS*, 4.11e-07 for RAPOS, 2.67e-08 for POS and 2.14e-08 for the
// random walk, on programs of 4 x 4 x 4. The order is what is held to here, and that the gaps are
// wide; POS and the random walk are near each other.
TEST(PartialOrderCoverage, IsBestUnderPosStarThenRaposThenPosAndTheWalk) {
  const std::array<const char*, 4> strategies = {"pos*", "rapos", "pos", "random:p=1"};
  constexpr int kPrograms = 5;
  Rng rng(7);
  std::array<double, 4> logarithms{};
  for (int i = 0; i < kPrograms; ++i) {
    const Program program = random_accesses(rng, 3, 4, 3);
    std::array<std::map<std::string, uint64_t>, 4> seen;
    size_t partial_orders = 0;
    for (size_t s = 0; s < seen.size(); ++s) {
      seen[s] = partial_orders_seen(program, strategies[s], kRuns);
      partial_orders = std::max(partial_orders, seen[s].size());
    }
    for (size_t s = 0; s < seen.size(); ++s) {
      logarithms[s] += std::log(rarest(seen[s], partial_orders)) / kPrograms;
    }
  }
  EXPECT_GT(logarithms[0], logarithms[1] + std::log(2));
  EXPECT_GT(logarithms[1], logarithms[2] + std::log(2));
  EXPECT_GT(logarithms[1], logarithms[3] + std::log(1.5));
  EXPECT_LT(std::abs(logarithms[2] - logarithms[3]), std::log(4));
}

}  // namespace
}  // namespace esox::model
