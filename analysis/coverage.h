// SPDX-License-Identifier: Apache-2.0
// How much of an input's behaviour was seen: counts of distinct executions, and an estimate of what
// was not seen.
//
// The estimate is Good and Turing's: the share of executions whose class was met only once is, on
// average, the probability that the next execution shows a class that is new (Good, "The population
// frequencies of species and the estimation of population parameters", Biometrika 1953). It holds
// for executions drawn as these were: another strategy may see what this one does not.
//
// Plain data, bounded: once kMostKept of a kind are known, further new ones are counted and not
// remembered.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>

#include "analysis/behaviour.h"

namespace esox {

inline constexpr size_t kMostKept = 20'000;

// How often each of some things was met: once, or more often.
class Sightings {
 public:
  // True: the first time.
  bool add(uint64_t thing);

  uint64_t total() const { return total_; }
  uint64_t distinct() const { return known_.size() + beyond_; }
  uint64_t once() const { return once_ + beyond_; }
  // Of the next one, to be new; 1 while nothing was seen.
  double unseen() const {
    return total_ == 0 ? 1 : static_cast<double>(once()) / static_cast<double>(total_);
  }

  // What is kept over launches: each thing, and whether it was met again.
  const std::map<uint64_t, bool>& known() const { return known_; }
  uint64_t beyond() const { return beyond_; }
  static Sightings restored(std::map<uint64_t, bool> known, uint64_t total, uint64_t beyond);

 private:
  std::map<uint64_t, bool> known_;
  uint64_t total_ = 0;
  uint64_t once_ = 0;
  uint64_t beyond_ = 0;  // new ones that are not remembered
};

// Of one input.
struct Coverage {
  Sightings classes;
  Sightings outcomes;
  std::map<uint64_t, uint8_t> meetings;  // by pair: bit 0 and 1 for the two orders
  // Between which requests; of the pairs above, so bounded as they are for each two requests.
  std::map<RequestPair, std::set<OrderedContact>> met;

  void add(const Behaviour& behaviour);
  uint64_t pairs() const { return meetings.size(); }
  uint64_t pairs_both_ways() const;
};

}  // namespace esox
