// SPDX-License-Identifier: Apache-2.0
#include "harness/generate/feature_counts.h"

namespace esox {

uint64_t FeatureCounts::count(Feature feature) const {
  const auto found = own_.find(feature);
  const uint64_t own = found == own_.end() ? 0 : found->second;
  return own + (base_ != nullptr ? base_->count(feature) : 0);
}

void FeatureCounts::add(const Features& features) {
  for (const Feature feature : features) add(feature, 1);
}

void FeatureCounts::add(Feature feature, uint64_t count) {
  if (full() && this->count(feature) == 0) return;
  own_[feature] += count;
}

double FeatureCounts::gain(const Features& features) const {
  double gain = 0;
  for (const Feature feature : features) {
    const uint64_t seen = count(feature);
    if (seen == 0 && full()) continue;
    gain += weight_of(feature) / (1 + static_cast<double>(seen));
  }
  return gain;
}

Features FeatureCounts::unseen(const Features& features) const {
  Features unseen;
  if (full()) return unseen;
  for (const Feature feature : features) {
    if (count(feature) == 0) unseen.push_back(feature);
  }
  return unseen;
}

std::array<uint64_t, kFeatureKinds> FeatureCounts::distinct_by_kind() const {
  std::array<uint64_t, kFeatureKinds> distinct{};
  for (const auto& [feature, count] : own_) {
    const auto kind = static_cast<size_t>(kind_of(feature));
    if (kind < kFeatureKinds) ++distinct[kind];
  }
  return distinct;
}

double FeatureCounts::estimate(FeatureKind kind) const {
  double all = 0;
  double once = 0;
  double twice = 0;
  for (const auto& [feature, count] : own_) {
    if (kind_of(feature) != kind) continue;
    ++all;
    once += count == 1 ? 1 : 0;
    twice += count == 2 ? 1 : 0;
  }
  return all + once * (once - 1) / (2 * (twice + 1));
}

void FeatureCounts::each(const std::function<void(Feature, uint64_t)>& see) const {
  for (const auto& [feature, count] : own_) see(feature, count);
}

}  // namespace esox
