// SPDX-License-Identifier: Apache-2.0
// One execution of a small pthread program with every thread under control.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "harness/engine/control.h"
#include "base/process/process.h"

namespace esox {

struct ProgramPlan {
  std::filesystem::path program;
  std::vector<std::string> arguments;
  std::filesystem::path folder;  // where it runs and its log is written
  std::filesystem::path preload_library;
  StrategySpec strategy;
  uint64_t seed = 0;
  uint64_t expected_points = 0;
  uint32_t expected_threads = 0;
  std::vector<uint64_t> expected_points_of;  // by thread, the first kMaxClients; may be empty
  std::vector<ObjectPoints> shared_objects;  // shared_objects.h; may be empty
  std::vector<Choice> choices;               // for strategy replay
  std::vector<uint64_t> values;
  ControlSettings settings;
  std::chrono::milliseconds limit{20'000};
};

struct ProgramResult {
  ControlEnding ending = ControlEnding::kNone;  // kNone: the program ended by itself, see status
  ExitStatus status;
  std::string output;  // what it wrote, both streams
  uint32_t degraded = 0;
  uint64_t points = 0;
  uint64_t offered = 0;
  std::vector<uint64_t> offered_of;  // by thread, of the first kMaxClients
  uint64_t switches = 0;
  bool timed_out = false;
  std::vector<Choice> choices;
  std::vector<uint64_t> values;
  std::vector<TraceEvent> trace;
  std::vector<CycleEntry> cycle;
};

// Throws ServerError if the program cannot be started or did not load the preload.
ProgramResult execute_program(ControlMemory& control, const ProgramPlan& plan);

}  // namespace esox
