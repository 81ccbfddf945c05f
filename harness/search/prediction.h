// SPDX-License-Identifier: Apache-2.0
// Trouble that an input's first executions predict (analysis/trouble.h), and the executions in
// which it is tried: the first kWatched are watched, the ones that follow are scheduled as the
// predictions say, instead of by the strategy. What then happens is judged as ever: a prediction
// that comes true is a finding like any other, one that does not stays a warning, listed apart.
//
// What is predicted follows from the first kWatched executions, all of one batch, so a hunt that
// goes on has it from what it kept.
//
// Pure, but for the symbols that it reads.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/schedule.h"
#include "analysis/trouble.h"

namespace esox {

inline constexpr uint64_t kWatched = 16;
inline constexpr size_t kMostPredictions = 4;  // troubles of an input that are told and tried

struct Prediction {
  std::string id;                  // the same in every execution
  std::vector<std::string> lines;  // for people
  std::vector<Schedule> schedules;
  uint32_t tried = 0;  // of the schedules, the first so many
  uint32_t hits = 0;   // of them, how many ended in a violation
  bool operator==(const Prediction&) const = default;
};

// Of what was collected from `last` and the executions before it.
std::vector<Prediction> predict(const TroubleCollector& collector, const ExecutionRecord& last,
                                const std::vector<std::string>& clients);

// Which schedule the `number`-th execution has; null: it is the strategy's.
const Schedule* predicted_schedule(const std::vector<Prediction>& predictions, uint64_t number);
// What became of it.
void note_tried(std::vector<Prediction>& predictions, uint64_t number, bool violation);

}  // namespace esox
