// SPDX-License-Identifier: Apache-2.0
#include "analysis/conflict_pool.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

namespace esox {

void pool_conflicts(const ConflictTable& table, ConflictPool& pool) {
  std::set<PooledPlace> places;  // each once, however many clients come to it
  for (const ConflictSignature& one : table) places.insert({one.site, one.object});
  for (const PooledPlace& place : places) ++pool[place];
}

void merge_pools(const ConflictPool& from, ConflictPool& pool) {
  for (const auto& [place, inputs] : from) {
    uint64_t& known = pool[place];
    known = std::max(known, inputs);
  }
}

ConflictTable pooled_table(const ConflictPool& pool, size_t clients) {
  std::vector<std::pair<uint64_t, PooledPlace>> places;
  for (const auto& [place, inputs] : pool) {
    if (inputs >= kFewestShown) places.emplace_back(inputs, place);
  }
  std::ranges::stable_sort(places, [](const auto& a, const auto& b) { return a.first > b.first; });
  const size_t most = kMostConflicts / 2 / std::max<size_t>(clients, 1);
  if (places.size() > most) places.resize(most);
  ConflictTable table;
  for (const auto& [inputs, place] : places) {
    for (size_t client = 0; client < clients; ++client) {
      table.insert({place.site, place.object, static_cast<ThreadId>(client)});
    }
  }
  return table;
}

}  // namespace esox
