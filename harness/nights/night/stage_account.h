// SPDX-License-Identifier: Apache-2.0
// What a stage did, by the report of its hunt: planned, done, and why not; and whose turn it was.
#pragma once

#include <vector>

#include "harness/nights/night/night_report.h"
#include "harness/nights/night/night_store.h"
#include "harness/nights/night/stage_plan.h"
#include "harness/records/report.h"

namespace esox {

// At most so many are listed; the last one then stands for the rest.
inline constexpr size_t kMostNotDone = 200;

// Fills in what the hunt knows.
void add_hunt(StageReport& stage, const HuntReport& hunt);

// Why inputs of the plan had none or not all of their executions. `hunt` null: there was none.
std::vector<NotDone> not_done(const StagePlan& plan, const HuntReport* hunt);

struct TurnsTaken {
  std::vector<TurnTaken> turns;
  uint64_t reach = 0;  // so many places of the order were reached, from the first on
  bool all = false;
};

TurnsTaken turns_taken(const StagePlan& plan, const HuntReport& hunt);

// The part of an account that fits into night.json.
std::vector<NotDone> shortened(std::vector<NotDone> all);

}  // namespace esox
