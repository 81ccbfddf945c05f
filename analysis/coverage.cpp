// SPDX-License-Identifier: Apache-2.0
#include "analysis/coverage.h"

#include <algorithm>
#include <utility>

namespace esox {

bool Sightings::add(uint64_t thing) {
  ++total_;
  const auto known = known_.find(thing);
  if (known != known_.end()) {
    if (!known->second) --once_;
    known->second = true;
    return false;
  }
  if (known_.size() == kMostKept) {
    ++beyond_;
  } else {
    known_.emplace(thing, false);
    ++once_;
  }
  return true;
}

Sightings Sightings::restored(std::map<uint64_t, bool> known, uint64_t total, uint64_t beyond) {
  Sightings all;
  all.known_ = std::move(known);
  all.total_ = total;
  all.beyond_ = beyond;
  all.once_ = static_cast<uint64_t>(
      std::ranges::count_if(all.known_, [](const auto& one) { return !one.second; }));
  return all;
}

void Coverage::add(const Behaviour& behaviour) {
  classes.add(behaviour.trace_class);
  outcomes.add(behaviour.outcome);
  for (const Meeting& one : behaviour.meetings) {
    const bool room = meetings.size() < kMostKept || meetings.contains(one.pair);
    if (!room) continue;
    meetings[one.pair] |= one.ascending ? 1 : 2;
    met[one.requests].insert(one.sites);
  }
}

uint64_t Coverage::pairs_both_ways() const {
  return static_cast<uint64_t>(
      std::ranges::count_if(meetings, [](const auto& one) { return one.second == 3; }));
}

}  // namespace esox
