// SPDX-License-Identifier: Apache-2.0
// Which member of the corpus the next input is made of: those that show what few others do, first.
//
// A member's energy is the sum of weight / count over its features (rarity, as of seeds in
// Entropic: Boehme, Manes, Cha, "Boosting fuzzer efficiency: an information theoretic perspective",
// FSE 2020), halved with every kHalvedBy inputs made of it in vain, less for long executions, an
// eighth where only what is known comes of it. None starves: each has at least kLeastShare of the
// mean.
//
// How long an execution takes is told by its scheduling points: by the clock, no corpus could be
// made twice.
//
// Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "harness/generate/feature_counts.h"
#include "preload/strategy/rng.h"

namespace esox {

inline constexpr double kHalvedBy = 32;
inline constexpr double kUsualPoints = 500;
inline constexpr double kLeastShare = 1.0 / 16;
inline constexpr double kKnownCauseFactor = 1.0 / 8;

// What a member's energy depends on.
struct Vitality {
  Features features;       // rare ones
  uint64_t fruitless = 0;  // inputs made of it, since one of them was kept
  uint64_t points = 0;     // scheduling points of its requests one after the other
  bool known = false;      // shows a known cause, or what was made of it did
};

double energy_of(const Vitality& vitality, const FeatureCounts& counts);

// Draws places by their energies.
class EnergyWheel {
 public:
  explicit EnergyWheel(const std::vector<double>& energies);
  // There must be one place at least.
  size_t draw(Rng& random) const;

 private:
  std::vector<double> up_to_;  // sums of shares
};

}  // namespace esox
