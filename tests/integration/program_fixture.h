// SPDX-License-Identifier: Apache-2.0
// What every test needs that runs a small program (tests/programs) with all its threads under
// control, as esox exec does: started once, and forked for each execution.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

#include "base/process/private_directory.h"
#include "harness/programs/program_server.h"
#include "harness/search/strategy_text.h"

namespace esox {

inline constexpr int kBugShown = 42;  // exit status of a program whose bug showed

inline std::filesystem::path program_path(const std::string& name) {
  return std::filesystem::path(ESOX_PROGRAMS) / ("program_" + name);
}

struct ProgramPlan {
  ProgramTarget target;
  ProgramSpec spec;
};

struct ProgramResult {
  ProgramEnd end;
  ExecutionRecord record;
  std::vector<CycleEntry> waiting;
  std::string output;
};

// The bug showed, in its own words or as a deadlock.
inline bool hit(const ProgramEnd& end) {
  return end.ending == ControlEnding::kDeadlock || end.status.code == kBugShown;
}

// The program came to its end by itself and found everything in order.
inline bool clean(const ProgramEnd& end) {
  return end.ending == ControlEnding::kNone && !end.out_of_time && end.status.signal == 0 &&
         end.status.code == 0;
}

inline std::string text_of(const ProgramEnd& end) {
  return "ending " + std::to_string(static_cast<int>(end.ending)) + ", " + text_of(end.status) +
         ", degraded " + std::to_string(end.degraded) + (end.out_of_time ? ", out of time" : "") +
         ", points " + std::to_string(end.points);
}

inline std::string text_of(const ProgramResult& result) {
  return text_of(result.end) + "\n" + result.output;
}

// All of an event.
inline auto fields_of(const TraceEvent& e) {
  return std::tuple(e.site, e.object, e.aux, e.point, e.thread, e.kind, e.flags);
}

inline bool same_trace(const std::vector<TraceEvent>& a, const std::vector<TraceEvent>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& one, const auto& other) {
    return fields_of(one) == fields_of(other);
  });
}

inline bool same_trace(const ProgramResult& a, const ProgramResult& b) {
  return same_trace(a.record.trace, b.record.trace);
}

inline bool same_choices(const ProgramResult& a, const ProgramResult& b) {
  const auto& other = b.record.choices;
  return a.record.values == b.record.values &&
         std::equal(a.record.choices.begin(), a.record.choices.end(), other.begin(), other.end(),
                    [](const Choice& one, const Choice& two) {
                      return one.point == two.point && one.thread == two.thread;
                    });
}

inline bool same_end(const ProgramResult& a, const ProgramResult& b) {
  return a.end.ending == b.end.ending && a.end.status.signal == b.end.status.signal &&
         a.end.status.code == b.end.status.code && a.output == b.output;
}

class ProgramTest : public testing::Test {
 protected:
  // Every release is a scheduling point here: small programs have few points, and their exact
  // probabilities are computed for this rule.
  ProgramPlan plan_for(const std::string& program, const std::string& strategy, uint64_t seed) {
    ProgramPlan plan;
    plan.target.program = program_path(program);
    plan.target.folder = folder_.path();
    plan.target.preload_library = ESOX_PRELOAD;
    plan.target.control = program_control();
    plan.spec.strategy = strategy_from_text(strategy);
    plan.spec.seed = seed;
    plan.spec.limit = std::chrono::minutes(2);  // no test is to fail by the clock
    return plan;
  }

  ProgramResult run(const ProgramPlan& plan) {
    ProgramServer& server = server_of(plan.target);
    ProgramResult result;
    result.end = server.run(plan.spec);
    result.record = server.record();
    result.waiting = server.waiting();
    result.output = server.output();
    return result;
  }

  ProgramResult run(const std::string& program, const std::string& strategy, uint64_t seed) {
    return run(plan_for(program, strategy, seed));
  }

  // The same schedule again, from the record of `result`.
  ProgramResult replay(ProgramPlan plan, const ProgramResult& result) {
    plan.spec.strategy = strategy_from_text("replay");
    plan.spec.choices = result.record.choices;
    plan.spec.values = result.record.values;
    return run(plan);
  }

  PrivateDirectory folder_{temporary_base()};

 private:
  using ServerKey = std::tuple<std::filesystem::path, std::vector<std::string>, bool, uint64_t,
                               uint32_t, uint32_t>;

  // That of the last execution, if it was of the same program under the same settings.
  ProgramServer& server_of(const ProgramTarget& target) {
    const ControlSettings& control = target.control;
    const ServerKey key{target.program,     target.arguments,           target.fork_at_start,
                        control.step_limit, control.release_point_odds, control.deadlock_grace_ms};
    if (server_ == nullptr || key != server_is_) {
      server_.reset();
      server_ = std::make_unique<ProgramServer>(target, stop_);
      server_is_ = key;
    }
    return *server_;
  }

  std::atomic<bool> stop_{false};
  std::unique_ptr<ProgramServer> server_;
  ServerKey server_is_;
};

}  // namespace esox
