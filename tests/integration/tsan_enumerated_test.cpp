// SPDX-License-Identifier: Apache-2.0
// What the exhaustive search says of generated small programs, held against an enumeration of all
// their interleavings that is none of esox's (tests/models/interleavings.h): every outcome that an
// execution shows is one of theirs, and where the search says "exhausted" it has seen them all. So
// of a correct program nothing is ever said to fail; and of one with a seeded bug the search finds
// it if any interleaving shows it, at the level of accesses at which it does.
//
// ESOX_PROGRAMS_FROM and ESOX_PROGRAMS_TO say which programs the long run takes.
#include <map>

#include "harness/programs/program_schedules.h"
#include "harness/search/exhaustive/search.h"
#include "tests/integration/tsan_fixture.h"
#include "tests/models/interleavings.h"
#include "tests/models/whole_search.h"

namespace esox {
namespace {

using exhaustive::Bound;
using exhaustive::SearchResult;

constexpr uint64_t kMostStates = 200'000;
constexpr uint64_t kMostSearched = 3'000;    // executions
constexpr uint64_t kMostStatesForAll = 100;  // of which all schedules are searched, too

struct Searched {
  SearchResult result;
  std::set<std::string> outcomes;
  std::map<std::string, uint64_t> doubts;
};

struct Level {
  const char* name;
  AccessLevel level;
  bool tells_accesses;
  bool start_order;  // creations are points
};

void PrintTo(const Level& level, std::ostream* out) {
  *out << level.name;
}

struct Tally {
  uint64_t programs = 0;
  uint64_t correct = 0;
  uint64_t exhausted = 0;
  uint64_t executions = 0;
};

class EnumeratedPrograms : public testing::TestWithParam<Level> {
 protected:
  void compare(uint64_t seed, small::Bug bug) {
    const small::Program program = small::generated(seed, bug, GetParam().tells_accesses);
    const model::Grain grain{GetParam().tells_accesses, GetParam().start_order};
    const model::Outcomes all = model::outcomes_of(program, grain, kMostStates);
    if (!all.complete) return;
    ++tally_.programs;
    tally_.correct += all.holds_failure() ? 0 : 1;
    ProgramServer server(target(seed, bug), stop_);
    if (GetParam().level == AccessLevel::kConflicting) learn_access_sites(server, 1, 50, kLimit);
    bool exhausted = hold_against(all, searched(server, Bound::kNone));
    // What a deadlock of some threads cut short is not known without a bound.
    if (!exhausted && !HasFailure() && all.states < kMostStatesForAll) {
      exhausted = hold_against(all, searched(server, Bound::kPreemptions));
    }
    tally_.exhausted += exhausted ? 1 : 0;
    if (HasFailure()) {
      FAIL() << "program " << seed << " with bug " << static_cast<int>(bug) << ", level "
             << GetParam().name;
    }
  }

  void compare_all(uint64_t first, uint64_t last) {
    for (uint64_t seed = first; seed <= last; ++seed) {
      for (int bug = 0; bug < static_cast<int>(small::Bug::kCount); ++bug) {
        if (bug == static_cast<int>(small::Bug::kSectionDropped) && !GetParam().tells_accesses) {
          continue;
        }
        ASSERT_NO_FATAL_FAILURE(compare(seed, static_cast<small::Bug>(bug)));
      }
    }
    std::cout << tally_.programs << " programs, " << tally_.correct << " of them correct; of "
              << tally_.exhausted << " all was searched, in " << tally_.executions
              << " executions\n";
    EXPECT_GT(tally_.correct * 7, tally_.programs);
    EXPECT_GT(tally_.exhausted * 2, tally_.programs);
  }

 private:
  static constexpr std::chrono::minutes kLimit{2};  // no test is to fail by the clock

  ProgramTarget target(uint64_t seed, small::Bug bug) const {
    ProgramTarget target;
    target.program = GetParam().tells_accesses
                         ? std::filesystem::path(ESOX_LOCK_FREE) / "lock_free_small_program"
                         : program_path("small_program");
    target.arguments = {std::to_string(seed), std::to_string(static_cast<int>(bug))};
    target.folder = folder_.path();
    target.preload_library = ESOX_PRELOAD;
    target.control = program_control();
    target.control.data_choices = {};
    if (GetParam().start_order) target.control.data_choices.start_order = DataChoiceMode::kOn;
    target.accesses.level = GetParam().level;
    return target;
  }

  Searched searched(ProgramServer& server, Bound bound) {
    Searched searched;
    ProgramSchedules schedules(server, 1, kLimit, false, [&](const ProgramEnd& end) {
      for (const std::string& doubt : doubts_about(end)) ++searched.doubts[doubt];
      if (!doubts_about(end).empty()) return;
      const bool deadlock = end.ending == ControlEnding::kDeadlock;
      const bool ended = end.ending == ControlEnding::kNone && end.status.signal == 0;
      searched.outcomes.insert(deadlock ? "deadlock" : ended ? server.output() : text_of(end));
    });
    exhaustive::SearchOptions options;
    options.bound = bound;
    options.most = 100;
    searched.result = exhaustive::search(schedules, options, {.executions = kMostSearched});
    tally_.executions += searched.result.executions;
    return searched;
  }

  // True: all was searched.
  static bool hold_against(const model::Outcomes& all, const Searched& searched) {
    for (const std::string& outcome : searched.outcomes) {
      EXPECT_TRUE(all.texts.contains(outcome)) << "no interleaving gives: " << outcome;
    }
    for (const auto& [doubt, count] : searched.doubts) {
      ADD_FAILURE() << count << " executions not judged: " << doubt;
    }
    // A failure that there is, is found, though it may cut short what else there is.
    const bool ended = searched.result.executions < kMostSearched;
    EXPECT_TRUE(!ended || (searched.result.violating > 0) == all.holds_failure());
    if (!searched.result.exhausted) return false;
    for (const std::string& outcome : all.texts) {
      EXPECT_TRUE(searched.outcomes.contains(outcome)) << "was not found: " << outcome;
    }
    return true;
  }

  PrivateDirectory folder_{temporary_base()};
  std::atomic<bool> stop_{false};
  Tally tally_;
};

TEST_P(EnumeratedPrograms, ComeToWhatTheSearchSays) {
  compare_all(1, 3);
}

TEST_P(EnumeratedPrograms, ComeToWhatTheSearchSaysSoak) {
  compare_all(count_asked_for("ESOX_PROGRAMS_FROM", 1), count_asked_for("ESOX_PROGRAMS_TO", 300));
}

INSTANTIATE_TEST_SUITE_P(Levels, EnumeratedPrograms,
                         testing::Values(Level{"plain", AccessLevel::kNone, false, false},
                                         Level{"creations", AccessLevel::kNone, false, true},
                                         Level{"conflicting", AccessLevel::kConflicting, true,
                                               false}),
                         [](const auto& level) { return std::string(level.param.name); });

}  // namespace
}  // namespace esox
