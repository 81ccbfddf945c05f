// SPDX-License-Identifier: Apache-2.0
#include "harness/engine/program_execution.h"

#include <fmt/format.h>

#include <fstream>
#include <sstream>

#include "base/process/server_error.h"

namespace esox {
namespace {

constexpr std::chrono::milliseconds kSlice{2};

std::string read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace

ProgramResult execute_program(ControlMemory& control, const ProgramPlan& plan) {
  control.reset(ControlMode::kProgram, plan.settings, 0, plan.folder.string());
  ControlPlan arm;
  arm.strategy = plan.strategy;
  arm.seed = plan.seed;
  arm.expected_points = plan.expected_points;
  arm.expected_points_of = plan.expected_points_of;
  arm.shared_objects = plan.shared_objects;
  arm.choices = plan.choices;
  arm.values = plan.values;
  control.arm(arm);
  ControlBlock& b = control.block();
  b.clients = plan.expected_threads;

  ProcessPlan start;
  start.program = plan.program;
  start.arguments = plan.arguments;
  start.folder = plan.folder;
  start.log = plan.folder / "output";
  start.environment = control.environment(plan.preload_library.string());
  Process process(start);

  ProgramResult result;
  const auto until = std::chrono::steady_clock::now() + plan.limit;
  while (true) {
    if (const auto status = process.wait(kSlice)) {
      result.status = *status;
      break;
    }
    const Phase phase = b.phase.load();
    if (phase == Phase::kEnded) {  // deadlock or hang: it will not end by itself
      result.ending = b.ending;
      process.kill();
      break;
    }
    if (b.crash.state.load() == 2) b.crash.state.store(3);
    if (std::chrono::steady_clock::now() >= until) {
      result.timed_out = true;
      process.kill();
      break;
    }
  }
  if (b.loaded.load() == 0) {
    throw ServerError(
        fmt::format("{} did not load {}: it is linked statically, or made for another "
                    "architecture; give a dynamically linked program",
                    plan.program.string(), plan.preload_library.string()));
  }
  result.output = read_file(start.log);
  result.degraded = b.degraded.load();
  result.points = b.points;
  result.offered = b.offered;
  result.offered_of.assign(b.offered_of, b.offered_of + kMaxClients);
  result.switches = b.switches;
  result.choices.assign(b.choices, b.choices + b.choice_count);
  result.values.assign(b.values, b.values + b.value_count);
  result.trace.assign(b.trace, b.trace + b.trace_count);
  result.cycle.assign(b.cycle, b.cycle + b.cycle_length);
  control.disarm();
  return result;
}

}  // namespace esox
