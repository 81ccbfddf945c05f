// SPDX-License-Identifier: Apache-2.0
// How often each lock-free program (tests/programs/lock_free) shows its bug, by the level at which
// memory accesses are scheduling points and by strategy; the table of docs/lock-free.md.
//
//   soak_lock_free [--executions N] [--strategy S]... [--compiler gcc|clang] [PROGRAM...]
//
// For each program three lines: with the seeded bug at the level of library calls ("none": no hit
// is expected), with it at each finer level, and the correct one at the finest ("correct": any hit,
// any degraded execution is a fault of the tool). Exit status 1 if one of these expectations fails.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <array>
#include <chrono>
#include <string>
#include <vector>

#include "base/process/private_directory.h"
#include "harness/programs/access_learning.h"
#include "harness/search/strategy_text.h"

namespace esox {
namespace {

constexpr int kBugShown = 42;
constexpr uint32_t kLearning = 20;  // executions, before level "conflicting"
constexpr uint32_t kMeasuring = 8;  // executions, to know their length

struct Settings {
  uint32_t executions = 2'000;
  std::vector<std::string> strategies = {"pct:d=3", "random:p=0.1", "random:p=0.5"};
  std::string compiler = "gcc";
  std::vector<std::string> programs = {"bounded_queue",  "shared_queue", "work_stealing", "seqlock",
                                       "stopped_driver", "reorder",      "aba_stack"};
};

struct Counts {
  uint32_t hits = 0;
  uint32_t first = 0;   // execution that showed it
  uint32_t faults = 0;  // degraded, or ended in another way than the program may
  uint64_t points = 0;
};

StrategySpec strategy_of(const std::string& text) {
  try {
    return strategy_from_text(text);
  } catch (const std::invalid_argument& error) {
    throw CLI::ValidationError("--strategy", error.what());
  }
}

class Measurement {
 public:
  Measurement(const Settings& settings, const std::string& program)
      : settings_(settings), folder_(temporary_base()) {
    const std::string prefix = settings.compiler == "clang" ? "clang_lock_free_" : "lock_free_";
    target_.program = std::filesystem::path(ESOX_LOCK_FREE) / (prefix + program);
    target_.folder = folder_.path();
    target_.preload_library = ESOX_PRELOAD;
    target_.control = program_control();
  }

  Counts run(const char* variant, AccessLevel level, const std::string& strategy) {
    target_.arguments = {variant};
    target_.accesses.level = level;
    ProgramServer server(target_, stop_);
    if (level == AccessLevel::kConflicting) learn_access_sites(server, 1, kLearning, kLimit);
    ProgramSpec spec;
    spec.strategy = strategy_of("random:p=0.5");
    spec.limit = kLimit;
    spec.expected_points = usual_length(server, spec);
    spec.strategy = strategy_of(strategy);
    return count(server, spec);
  }

 private:
  static uint64_t usual_length(ProgramServer& server, ProgramSpec spec) {
    uint64_t longest = 1;
    for (uint32_t i = 0; i < kMeasuring; ++i) {
      spec.seed = 1'000'000 + i;
      longest = std::max(longest, server.run(spec).offered);
    }
    return longest;
  }

  Counts count(ProgramServer& server, ProgramSpec spec) const {
    Counts counts;
    for (uint32_t i = 1; i <= settings_.executions; ++i) {
      spec.seed = i;
      const ProgramEnd end = server.run(spec);
      const bool ended = end.ending == ControlEnding::kNone && end.status.signal == 0;
      const bool hit = ended && end.status.code == kBugShown;
      if (hit && counts.hits++ == 0) counts.first = i;
      const bool in_order = ended && (hit || end.status.code == 0) && end.degraded == 0;
      counts.faults += in_order ? 0 : 1;
      counts.points += end.offered;
    }
    return counts;
  }

  static constexpr std::chrono::minutes kLimit{1};

  const Settings& settings_;
  const std::atomic<bool> stop_{false};
  PrivateDirectory folder_;
  ProgramTarget target_;
};

struct Line {
  const char* variant;
  const char* level_name;
  AccessLevel level;
  bool may_hit;
};

constexpr Line kLines[] = {{"seeded", "none", AccessLevel::kNone, false},
                           {"seeded", "atomics", AccessLevel::kAtomics, true},
                           {"seeded", "conflicting", AccessLevel::kConflicting, true},
                           {"seeded", "all", AccessLevel::kAll, true},
                           {"correct", "all", AccessLevel::kAll, false}};

// True if all is as expected.
bool measure(const Settings& settings) {
  bool right = true;
  fmt::print(
      "{} executions each, built by {}\n{:<15} {:<8} {:<12} {:<13} {:>6} {:>6} {:>7} {:>7}\n",
      settings.executions, settings.compiler, "program", "", "level", "strategy", "hits", "first",
      "points", "faults");
  for (const std::string& program : settings.programs) {
    Measurement measurement(settings, program);
    for (const Line& line : kLines) {
      for (const std::string& strategy : settings.strategies) {
        const Counts counts = measurement.run(line.variant, line.level, strategy);
        fmt::print("{:<15} {:<8} {:<12} {:<13} {:>6} {:>6} {:>7.1f} {:>7}\n", program, line.variant,
                   line.level_name, strategy, counts.hits, counts.first,
                   static_cast<double>(counts.points) / settings.executions, counts.faults);
        std::fflush(stdout);
        right = right && counts.faults == 0 && (line.may_hit || counts.hits == 0);
      }
    }
  }
  return right;
}

}  // namespace
}  // namespace esox

int main(int argc, char** argv) try {
  esox::Settings settings;
  CLI::App app("how often lock-free programs show their seeded bugs");
  app.add_option("--executions", settings.executions, "of each program, level and strategy")
      ->check(CLI::Range(1, 10'000'000))
      ->capture_default_str();
  app.add_option("--strategy", settings.strategies, "to be compared")->capture_default_str();
  app.add_option("--compiler", settings.compiler, "that built the programs")
      ->check(CLI::IsMember({"gcc", "clang"}))
      ->capture_default_str();
  app.add_option("programs", settings.programs, "which of them")->capture_default_str();
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  return esox::measure(settings) ? 0 : 1;
} catch (const std::exception& error) {
  fmt::print(stderr, "soak_lock_free: {}\n", error.what());
  return 3;
}
