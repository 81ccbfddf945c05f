// SPDX-License-Identifier: Apache-2.0
// A stage under way, as the supervisor knows it. Plain data.
#pragma once

#include <filesystem>

#include "harness/nights/night/night_report.h"
#include "harness/nights/night/night_store.h"
#include "harness/nights/night/stage_plan.h"
#include "harness/nights/night/stages.h"

namespace esox {

struct SupervisedStage {
  const Stage& stage;
  NightStage& state;
  StageReport& report;
  StagePlan plan;
  std::filesystem::path ranking_file;
  double end_s = 0;          // in the night's seconds, when its time is over; 0: it has all
  uint64_t fruitless = 0;    // launches in a row that failed without a run
  uint64_t over_memory = 0;  // launches with one job that took too much
  bool begun_anew = false;   // its hunt could not be gone on with
};

}  // namespace esox
