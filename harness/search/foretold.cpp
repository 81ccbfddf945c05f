// SPDX-License-Identifier: Apache-2.0
// See foretold.h.
#include "harness/search/foretold.h"

#include "analysis/report/trouble_text.h"
#include "harness/engine/debug_symbols.h"

namespace esox {
namespace {

// The trouble whose schedule the execution has, and which of its schedules that is.
struct Place {
  size_t trouble = 0;
  size_t schedule = 0;
};

std::optional<Place> place_of(const std::vector<Foretold>& foretold, uint64_t number) {
  if (number <= kWatched) return std::nullopt;
  uint64_t left = number - kWatched - 1;
  for (size_t i = 0; i < foretold.size(); ++i) {
    if (left < foretold[i].schedules.size()) return Place{i, left};
    left -= foretold[i].schedules.size();
  }
  return std::nullopt;
}

}  // namespace

std::vector<Foretold> foretell(const TroubleCollector& collector, const ExecutionRecord& last,
                               const std::vector<std::string>& clients) {
  Symbols symbols = debug_symbols(last.modules);
  std::vector<Foretold> foretold;
  for (const Trouble& trouble : collector.troubles()) {
    if (foretold.size() == kMostForetold) break;
    foretold.push_back({trouble_id(trouble, symbols), trouble_lines(trouble, clients, symbols),
                        schedules_of(trouble, clients.size())});
  }
  return foretold;
}

const Schedule* foretold_schedule(const std::vector<Foretold>& foretold, uint64_t number) {
  const std::optional<Place> place = place_of(foretold, number);
  return place ? &foretold[place->trouble].schedules[place->schedule] : nullptr;
}

void note_tried(std::vector<Foretold>& foretold, uint64_t number, bool violation) {
  const std::optional<Place> place = place_of(foretold, number);
  if (!place) return;
  ++foretold[place->trouble].tried;
  if (violation) ++foretold[place->trouble].hits;
}

}  // namespace esox
