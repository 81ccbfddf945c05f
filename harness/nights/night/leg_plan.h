// SPDX-License-Identifier: Apache-2.0
// What a leg is to do tonight: which inputs, in which order, on which program; and the command line
// of its hunt.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "harness/nights/hunt_file/hunt_file.h"
#include "harness/nights/night/legs.h"
#include "harness/nights/night/night_report.h"
#include "harness/nights/night/night_store.h"

namespace esox {

struct LegPlan {
  std::string program;           // of the server
  std::vector<LegInput> order;   // tonight's
  std::vector<NotDone> not_now;  // resting, or beyond the budget in executions
  uint64_t inputs = 0;           // all of the leg, times engines
  uint64_t executions_each = 0;
  uint64_t nights_until_all = 0;  // 0: not known yet
  uint64_t must_reach = 0;        // see turns.h
};

// `store` null: as for the first night. Throws ServerError, InputError, OutError, DatabaseError:
// why there is nothing to be done.
LegPlan plan_leg(const HuntFile& file, const Leg& leg, uint64_t night, NightStore* store);

// What the command line of a leg's hunt needs beside plan and file.
struct LegSitting {
  std::filesystem::path folder;      // OUT of the hunt
  std::filesystem::path order_file;  // written by the caller
  std::filesystem::path learn_from;  // empty: nothing
  uint64_t seed = 0;
  unsigned jobs = 0;             // 0: as esox hunt chooses
  std::optional<double> hunt_s;  // of all sittings of the hunt together; none: without a budget
  double diagnose_s = 0;
};

// "hunt", ...: to begin it.
std::vector<std::string> hunt_arguments(const HuntFile& file, const Leg& leg, const LegPlan& plan,
                                        const LegSitting& sitting);
// To go on with it.
std::vector<std::string> resume_arguments(const HuntFile& file, const LegSitting& sitting);

// The text of the order file.
std::string order_text(const LegPlan& plan);

}  // namespace esox
