// SPDX-License-Identifier: Apache-2.0
// What every test needs that runs a small program (tests/programs) with all its threads under
// control.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <tuple>

#include "harness/engine/program_execution.h"
#include "base/process/private_directory.h"
#include "preload/strategy/registry.h"

namespace esox {

inline constexpr int kBugShown = 42;  // exit status of a program whose bug showed

inline std::filesystem::path program_path(const std::string& name) {
  return std::filesystem::path(ESOX_PROGRAMS) / ("program_" + name);
}

inline StrategySpec strategy_of(const std::string& text) {
  StrategySpec spec;
  std::array<char, kStrategyErrorBytes> error;
  if (!parse_strategy(text, &spec, error.data(), error.size())) {
    throw std::invalid_argument(error.data());
  }
  return spec;
}

// The bug showed, in its own words or as a deadlock.
inline bool hit(const ProgramResult& result) {
  return result.ending == ControlEnding::kDeadlock || result.status.code == kBugShown;
}

// The program came to its end by itself and found everything in order.
inline bool clean(const ProgramResult& result) {
  return result.ending == ControlEnding::kNone && !result.timed_out && result.status.signal == 0 &&
         result.status.code == 0;
}

inline std::string text_of(const ProgramResult& result) {
  return "ending " + std::to_string(static_cast<int>(result.ending)) + ", " +
         text_of(result.status) + ", degraded " + std::to_string(result.degraded) +
         (result.timed_out ? ", timed out" : "") + ", points " + std::to_string(result.points) +
         "\n" + result.output;
}

// All of an event.
inline auto fields_of(const TraceEvent& e) {
  return std::tuple(e.site, e.object, e.aux, e.point, e.thread, e.kind, e.flags);
}

inline bool same_trace(const ProgramResult& a, const ProgramResult& b) {
  if (a.trace.size() != b.trace.size()) return false;
  for (size_t i = 0; i < a.trace.size(); ++i) {
    if (fields_of(a.trace[i]) != fields_of(b.trace[i])) return false;
  }
  return true;
}

inline bool same_choices(const ProgramResult& a, const ProgramResult& b) {
  if (a.choices.size() != b.choices.size() || a.values != b.values) return false;
  for (size_t i = 0; i < a.choices.size(); ++i) {
    if (a.choices[i].point != b.choices[i].point) return false;
    if (a.choices[i].thread != b.choices[i].thread) return false;
  }
  return true;
}

inline bool same_end(const ProgramResult& a, const ProgramResult& b) {
  return a.ending == b.ending && a.status.signal == b.status.signal &&
         a.status.code == b.status.code && a.output == b.output;
}

class ProgramTest : public testing::Test {
 protected:
  // Every release is a scheduling point here: small programs have few points, and their exact
  // probabilities are computed for this rule.
  ProgramPlan plan_for(const std::string& program, const std::string& strategy, uint64_t seed) {
    ProgramPlan plan;
    plan.program = program_path(program);
    plan.folder = folder_.path();
    plan.preload_library = ESOX_PRELOAD;
    plan.strategy = strategy_of(strategy);
    plan.seed = seed;
    plan.settings.release_point_odds = 1;
    return plan;
  }

  ProgramResult run(const ProgramPlan& plan) { return execute_program(control_, plan); }

  ProgramResult run(const std::string& program, const std::string& strategy, uint64_t seed) {
    return run(plan_for(program, strategy, seed));
  }

  // The same schedule again, from the record of `result`.
  ProgramResult replay(ProgramPlan plan, const ProgramResult& result) {
    plan.strategy = strategy_of("replay");
    plan.choices = result.choices;
    plan.values = result.values;
    return run(plan);
  }

  PrivateDirectory folder_{temporary_base()};
  ControlMemory control_;
};

}  // namespace esox
