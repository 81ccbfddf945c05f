// SPDX-License-Identifier: Apache-2.0
// Correct programs in which threads wait for each other in all the ways there are, spinning among
// them, come to their end under every strategy and search, and under control
// (preload/scheduler/fairness.h): as they are, and at every level of accesses, where they spin in
// memory and where the C library copies memory under locks of its own (localtime, pthread_exit).
// Each seed is a program of its own: tests/programs/generated_correct.cpp.
//
// ESOX_EXECUTIONS says how many executions each has under each strategy, ESOX_PROGRAMS_FROM and
// ESOX_PROGRAMS_TO which they are.
#include "harness/engine/shared_objects.h"
#include "harness/programs/program_schedules.h"
#include "harness/search/exhaustive/search.h"
#include "preload/strategy/registry.h"
#include "tests/integration/tsan_fixture.h"
#include "tests/models/whole_search.h"

namespace esox {
namespace {

std::vector<std::string> strategies_that_explore() {
  std::vector<std::string> texts = {"random:p=1", "pct:d=1"};
  for (const StrategyFacts& one : known_strategies()) {
    if (explores(one.kind)) texts.push_back(strategy_text({.kind = one.kind}));
  }
  return texts;
}

struct Built {
  const char* name;
  bool tells_accesses;
  AccessLevel level;
};

class GeneratedPrograms : public testing::TestWithParam<Built> {
 protected:
  void expect_correct(uint64_t number, uint64_t executions) {
    ProgramServer server(target(number), stop_);
    if (GetParam().level == AccessLevel::kConflicting) learn_access_sites(server, 1, 10, kLimit);
    ProgramSpec spec = measured(server);
    for (const std::string& strategy : strategies_that_explore()) {
      spec.strategy = strategy_from_text(strategy);
      for (uint64_t i = 1; i <= executions; ++i) {
        spec.seed = 1000 * number + i;
        expect_clean(server, server.run(spec), number, strategy);
        if (HasFatalFailure()) return;
      }
    }
    search(server, number, executions);
  }

 private:
  static constexpr std::chrono::minutes kLimit{2};  // no test is to fail by the clock

  ProgramTarget target(uint64_t number) const {
    ProgramTarget target;
    target.program = GetParam().tells_accesses
                         ? std::filesystem::path(ESOX_LOCK_FREE) / "lock_free_generated_correct"
                         : program_path("generated_correct");
    target.arguments = {std::to_string(number)};
    if (GetParam().tells_accesses && GetParam().level != AccessLevel::kNone) {
      target.arguments.emplace_back("spins in memory");
    }
    target.folder = folder_.path();
    target.preload_library = ESOX_PRELOAD;
    target.control = program_control();
    target.accesses.level = GetParam().level;
    return target;
  }

  // What exec tells the strategies.
  static ProgramSpec measured(ProgramServer& server) {
    ProgramSpec spec;
    spec.strategy = strategy_from_text("random");
    spec.limit = kLimit;
    const ProgramEnd end = server.run(spec);
    spec.expected_points = end.offered;
    spec.expected_points_of.assign(end.offered_of.begin(), end.offered_of.end());
    spec.expected_threads = end.threads;
    spec.shared_objects = shared_objects_of(server.record().trace);
    return spec;
  }

  // As many schedules with one preemption.
  void search(ProgramServer& server, uint64_t number, uint64_t executions) {
    ProgramSchedules schedules(server, 1, kLimit, false, [&](const ProgramEnd& end) {
      expect_clean(server, end, number, "exhaustive:preemptions=1");
    });
    exhaustive::SearchOptions options;
    options.bound = exhaustive::Bound::kPreemptions;
    options.most = 1;
    exhaustive::search(schedules, options, {.executions = executions, .violations = 1});
  }

  static void expect_clean(const ProgramServer& server, const ProgramEnd& end, uint64_t number,
                           const std::string& strategy) {
    ASSERT_TRUE(clean(end)) << "program " << number << ", " << strategy << ": " << text_of(end)
                            << "\n"
                            << server.output();
    ASSERT_EQ(end.degraded, 0u) << "program " << number << ", " << strategy;
  }

  PrivateDirectory folder_{temporary_base()};
  std::atomic<bool> stop_{false};
};

TEST_P(GeneratedPrograms, NeverFailUnderAnyStrategy) {
  for (uint64_t number = 1; number <= 8; ++number) expect_correct(number, 2);
}

// Two of its threads poll the clock for seconds beside waits that time out again and again: time
// must pass faster than by what these let it.
TEST_P(GeneratedPrograms, TimeThatIsPolledForComesBesideTimedWaits) {
  if (GetParam().level == AccessLevel::kNone) expect_correct(70, 1);
}

// One of its threads waits for a signal that is there already, while another polls: on a busy
// machine it was not let go on before the limit of points (1 of 1,000 executions).
TEST_P(GeneratedPrograms, AThreadComesBackFromItsCallWhileOthersPoll) {
  if (GetParam().level == AccessLevel::kNone) expect_correct(229, 50);
}

TEST_P(GeneratedPrograms, NeverFailInHundredsOfThousandsOfExecutionsSoak) {
  const uint64_t last = count_asked_for("ESOX_PROGRAMS_TO", 300);
  for (uint64_t number = count_asked_for("ESOX_PROGRAMS_FROM", 1); number <= last; ++number) {
    expect_correct(number, count_asked_for("ESOX_EXECUTIONS", 100));
  }
}

INSTANTIATE_TEST_SUITE_P(Levels, GeneratedPrograms,
                         testing::Values(Built{"plain", false, AccessLevel::kNone},
                                         Built{"none", true, AccessLevel::kNone},
                                         Built{"atomics", true, AccessLevel::kAtomics},
                                         Built{"conflicting", true, AccessLevel::kConflicting},
                                         Built{"all", true, AccessLevel::kAll}),
                         [](const auto& level) { return std::string(level.param.name); });

}  // namespace
}  // namespace esox
