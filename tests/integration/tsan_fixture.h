// SPDX-License-Identifier: Apache-2.0
// What every test needs that runs a lock-free program (tests/programs/lock_free) whose memory
// accesses are scheduling points. Each test runs with the programs of both compilers.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "harness/programs/access_learning.h"
#include "tests/integration/program_fixture.h"

namespace esox {

inline const std::vector<std::string> kLockFreePrograms = {
    "aba_stack",    "bounded_queue",  "reorder",      "seqlock",
    "shared_queue", "stopped_driver", "work_stealing"};

enum class Variant { kSeeded, kCorrect };

// How much a long run is to do, if whoever started it says so.
inline uint64_t count_asked_for(const char* variable, uint64_t otherwise) {
  const char* const wanted = std::getenv(variable);
  return wanted != nullptr ? std::strtoull(wanted, nullptr, 10) : otherwise;
}

// One program, ready to be executed.
class LockFree {
 public:
  LockFree(const std::filesystem::path& folder, const std::string& compiler,
           const std::string& program, Variant variant, AccessLevel level) {
    const std::string prefix = compiler == "clang" ? "clang_lock_free_" : "lock_free_";
    ProgramTarget target;
    target.program = std::filesystem::path(ESOX_LOCK_FREE) / (prefix + program);
    target.arguments = {variant == Variant::kSeeded ? "seeded" : "correct"};
    target.folder = folder;
    target.preload_library = ESOX_PRELOAD;
    target.control = program_control();
    target.accesses.level = level;
    server_ = std::make_unique<ProgramServer>(target, stop_);
    if (level == AccessLevel::kConflicting) sites_ = learn_access_sites(*server_, 1, 10, kLimit);
  }

  ProgramEnd run(const std::string& strategy, uint64_t seed) {
    ProgramSpec spec;
    spec.strategy = strategy_from_text(strategy);
    spec.seed = seed;
    spec.expected_points = 40;
    spec.limit = kLimit;
    return server_->run(spec);
  }

  // Again until nothing went by the clock: a joined thread that does not come to its end within
  // 20 ms, on a machine that is very busy, makes its joiner try again, which is in the trace.
  ExecutionRecord run_undisturbed(const std::string& strategy, uint64_t seed) {
    do {
      run(strategy, seed);
    } while (disturbed());
    return server_->record();
  }

  ProgramEnd replay_undisturbed(const ExecutionRecord& record) {
    ProgramSpec spec;
    spec.strategy = strategy_from_text("replay");
    spec.choices = record.choices;
    spec.values = record.values;
    spec.limit = kLimit;
    ProgramEnd end;
    do {
      end = server_->run(spec);
    } while (disturbed());
    return end;
  }

  ProgramServer& server() { return *server_; }
  const std::vector<uint64_t>& sites() const { return sites_; }

 private:
  bool disturbed() const {
    const std::vector<TraceEvent> trace = server_->record().trace;
    return std::any_of(trace.begin(), trace.end(),
                       [](const TraceEvent& e) { return (e.flags & kTraceExternal) != 0; });
  }

  static constexpr std::chrono::minutes kLimit{2};  // no test is to fail by the clock

  std::atomic<bool> stop_{false};
  std::unique_ptr<ProgramServer> server_;
  std::vector<uint64_t> sites_;
};

// Skips where there is no such compiler.
#define SKIP_WITHOUT(compiler)                                               \
  if (std::string(compiler) == "clang" && std::string(ESOX_CLANG).empty()) { \
    GTEST_SKIP() << "there is no clang++ here: install Debian's clang";      \
  }

}  // namespace esox
