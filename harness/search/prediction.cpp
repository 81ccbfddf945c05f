// SPDX-License-Identifier: Apache-2.0
#include "harness/search/prediction.h"

#include "analysis/report/trouble_text.h"
#include "harness/engine/debug_symbols.h"

namespace esox {
namespace {

// The trouble whose schedule the execution has, and which of its schedules that is.
struct Place {
  size_t trouble = 0;
  size_t schedule = 0;
};

std::optional<Place> place_of(const std::vector<Prediction>& predictions, uint64_t number) {
  if (number <= kWatched) return std::nullopt;
  uint64_t left = number - kWatched - 1;
  for (size_t i = 0; i < predictions.size(); ++i) {
    if (left < predictions[i].schedules.size()) return Place{i, left};
    left -= predictions[i].schedules.size();
  }
  return std::nullopt;
}

}  // namespace

std::vector<Prediction> predict(const TroubleCollector& collector, const ExecutionRecord& last,
                                const std::vector<std::string>& clients) {
  Symbols symbols = debug_symbols(last.modules);
  std::vector<Prediction> predictions;
  for (const Trouble& trouble : collector.troubles()) {
    if (predictions.size() == kMostPredictions) break;
    predictions.push_back({trouble_id(trouble, symbols), trouble_lines(trouble, clients, symbols),
                           schedules_of(trouble, clients.size())});
  }
  return predictions;
}

const Schedule* predicted_schedule(const std::vector<Prediction>& predictions, uint64_t number) {
  const std::optional<Place> place = place_of(predictions, number);
  return place ? &predictions[place->trouble].schedules[place->schedule] : nullptr;
}

void note_tried(std::vector<Prediction>& predictions, uint64_t number, bool violation) {
  const std::optional<Place> place = place_of(predictions, number);
  if (!place) return;
  ++predictions[place->trouble].tried;
  if (violation) ++predictions[place->trouble].hits;
}

}  // namespace esox
