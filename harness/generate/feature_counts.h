// SPDX-License-Identifier: Apache-2.0
// How many inputs showed each feature: what an input's features are worth, and how many more there
// are to be expected.
//
// Bounded: once kMostFeatures are known, further ones are neither counted nor worth anything.
//
// Pure.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <unordered_map>

#include "harness/generate/features.h"

namespace esox {

inline constexpr size_t kMostFeatures = 2'000'000;

class FeatureCounts {
 public:
  // Those of `base` too, which outlives this and stays as it is.
  explicit FeatureCounts(const FeatureCounts* base = nullptr) : base_(base) {}

  uint64_t count(Feature feature) const;
  bool full() const { return distinct() >= kMostFeatures; }
  // One input more that shows these.
  void add(const Features& features);
  // Of a feature that was counted elsewhere.
  void add(Feature feature, uint64_t count);

  // The sum of weight / (1 + count): what all inputs show is worth next to nothing.
  double gain(const Features& features) const;
  // Those that no input showed.
  Features unseen(const Features& features) const;

  size_t distinct() const { return own_.size() + (base_ != nullptr ? base_->distinct() : 0); }
  std::array<uint64_t, kFeatureKinds> distinct_by_kind() const;  // without those of the base
  // Chao's estimate of all there are of a kind, seen or not, from those that one input and two
  // inputs showed (Chao, "Estimating the population size for capture-recapture data with unequal
  // catchability", Biometrics 1987; the form that stays finite). It holds for inputs drawn as
  // these were, and is a lower bound.
  double estimate(FeatureKind kind) const;

  void each(const std::function<void(Feature, uint64_t count)>& see) const;  // in no order

 private:
  const FeatureCounts* base_;
  std::unordered_map<Feature, uint64_t> own_;  // beside the base's
};

}  // namespace esox
