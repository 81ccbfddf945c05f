// SPDX-License-Identifier: Apache-2.0
// What a stage is to do tonight: which inputs, in which order, on which program; and the command
// line of its hunt.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "harness/nights/hunt_file/hunt_file.h"
#include "harness/nights/night/night_report.h"
#include "harness/nights/night/night_store.h"
#include "harness/nights/night/stages.h"

namespace esox {

struct StagePlan {
  std::string program;              // of the server
  std::vector<StageInput> ranking;  // tonight's
  std::vector<NotDone> not_now;     // resting, or beyond the budget in executions
  uint64_t inputs = 0;              // all of the stage, times engines
  uint64_t executions_each = 0;
  uint64_t nights_until_all = 0;  // 0: not known yet
  uint64_t must_reach = 0;        // see turns.h
};

// `store` null: as for the first night. Throws ServerError, InputError, OutError, DatabaseError:
// why there is nothing to be done.
StagePlan plan_stage(const HuntFile& file, const Stage& stage, uint64_t night, NightStore* store);

// What the command line of a stage's hunt needs beside plan and file.
struct StageLaunch {
  std::filesystem::path folder;        // OUT of the hunt
  std::filesystem::path ranking_file;  // written by the caller
  std::filesystem::path learn_from;    // empty: nothing
  uint64_t seed = 0;
  unsigned jobs = 0;             // 0: as esox hunt chooses
  std::optional<double> hunt_s;  // of all launches of the hunt together; none: without a budget
  double diagnose_s = 0;
};

// "hunt", ...: to begin it.
std::vector<std::string> hunt_arguments(const HuntFile& file, const Stage& stage,
                                        const StagePlan& plan, const StageLaunch& launch);
// To go on with it.
std::vector<std::string> resume_arguments(const HuntFile& file, const StageLaunch& launch);

// "generate", ...: to begin a stage whose inputs are made, and to go on with it.
std::vector<std::string> generate_arguments(const HuntFile& file, const Stage& stage,
                                            const StagePlan& plan, const StageLaunch& launch);

// The text of the ranking file.
std::string ranking_text(const StagePlan& plan);

}  // namespace esox
