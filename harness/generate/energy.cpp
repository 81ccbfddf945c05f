// SPDX-License-Identifier: Apache-2.0
#include "harness/generate/energy.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace esox {

double energy_of(const Vitality& vitality, const FeatureCounts& counts) {
  double rarity = 0;
  for (const Feature feature : vitality.features) {
    rarity += weight_of(feature) / std::max(1.0, static_cast<double>(counts.count(feature)));
  }
  const double tired = std::exp2(-static_cast<double>(vitality.fruitless) / kHalvedBy);
  const double length = std::max(1.0, static_cast<double>(vitality.points) / kUsualPoints);
  const double known = vitality.known ? kKnownCauseFactor : 1;
  return rarity * tired * known / (1 + std::log2(length));
}

EnergyWheel::EnergyWheel(const std::vector<double>& energies) {
  const double sum = std::accumulate(energies.begin(), energies.end(), 0.0);
  const double mean = energies.empty() ? 0 : sum / static_cast<double>(energies.size());
  const double least = mean > 0 ? mean * kLeastShare : 1;
  double up_to = 0;
  for (const double energy : energies) up_to_.push_back(up_to += std::max(energy, least));
}

size_t EnergyWheel::draw(Rng& random) const {
  const double at = random.unit() * up_to_.back();
  const auto found = std::ranges::upper_bound(up_to_, at);
  return std::min(static_cast<size_t>(found - up_to_.begin()), up_to_.size() - 1);
}

}  // namespace esox
