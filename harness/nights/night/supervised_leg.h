// SPDX-License-Identifier: Apache-2.0
// A leg under way, as the supervisor knows it. Plain data.
#pragma once

#include <filesystem>
#include <optional>

#include "harness/nights/night/leg_plan.h"
#include "harness/nights/night/legs.h"
#include "harness/nights/night/night_report.h"
#include "harness/nights/night/night_store.h"

namespace esox {

struct SupervisedLeg {
  const Leg& leg;
  NightLeg& state;
  LegReport& report;
  LegPlan plan;
  std::filesystem::path order_file;
  double end_s = 0;          // in the night's seconds, when its time is over; 0: it has all
  uint64_t fruitless = 0;    // sittings in a row that failed without a run
  uint64_t over_memory = 0;  // sittings with one job that took too much
  bool begun_anew = false;   // its hunt could not be gone on with
};

}  // namespace esox
