// SPDX-License-Identifier: Apache-2.0
// The preload is a guest: programs that do unusual things - fork, call before its constructor,
// bring their own malloc that locks - work under it as without it.
#include <algorithm>
#include <sstream>

#include "base/process/server_error.h"
#include "tests/integration/program_fixture.h"

namespace esox {
namespace {

class ProgramAsGuest : public ProgramTest {
 protected:
  void expect_clean(const std::string& program, const std::string& strategy, uint64_t seeds) {
    for (uint64_t seed = 1; seed <= seeds; ++seed) {
      const ProgramResult result = run(program, strategy, seed);
      ASSERT_TRUE(clean(result.end)) << strategy << ", seed " << seed << ": " << text_of(result);
      ASSERT_EQ(result.end.degraded, 0u) << strategy << ", seed " << seed;
    }
  }

  // Of a program that makes no thread: from its start.
  ProgramResult run_from_start(const std::string& program) {
    ProgramPlan plan = plan_for(program, "random:p=1", 1);
    plan.target.fork_at_start = true;
    return run(plan);
  }
};

TEST_F(ProgramAsGuest, LeavesForkedAndStartedChildrenAlone) {
  for (const char* strategy : {"pct:d=3", "random:p=1"}) {
    expect_clean("children", strategy, 20);
  }
}

// A child's operations would stand in the trace, thousands of them.
TEST_F(ProgramAsGuest, RecordsNothingOfAForkedChild) {
  const ProgramResult result = run("children", "random:p=1", 1);
  ASSERT_TRUE(clean(result.end)) << text_of(result);
  EXPECT_LT(result.record.trace.size(), 1'000u);
}

TEST_F(ProgramAsGuest, TakesCallsFromBeforeItsConstructorAndAfterMain) {
  for (const char* strategy : {"pct:d=3", "random:p=1"}) {
    expect_clean("early_calls", strategy, 20);
  }
}

TEST_F(ProgramAsGuest, StandsAMallocThatLocks) {
  for (const char* strategy : {"pct:d=3", "random:p=1"}) {
    expect_clean("locking_malloc", strategy, 20);
  }
}

// A few executions only: a child process takes its real time.
TEST_F(ProgramAsGuest, WaitsForLocksOnFilesWithoutBlockingInThem) {
  for (const char* strategy : {"pct:d=3", "random:p=1", "random:p=0.1"}) {
    expect_clean("file_locks_correct", strategy, 10);
  }
}

// The program says how many calls it made; each is one operation of the trace.
TEST_F(ProgramAsGuest, SeesEachFileCallOnce) {
  const ProgramResult result = run_from_start("file_calls");
  ASSERT_TRUE(clean(result.end)) << text_of(result);
  const auto calls = std::count_if(
      result.record.trace.begin(), result.record.trace.end(),
      [](const auto& event) { return event.kind >= OpKind::kFileOpen && event.object != 0; });
  EXPECT_EQ(std::to_string(calls) + " calls\n", result.output);
}

TEST_F(ProgramAsGuest, LetsAnInitialisationThatThrewBeTriedAgain) {
  for (const char* strategy : {"pct:d=3", "random:p=1"}) {
    expect_clean("once_that_throws", strategy, 30);
  }
}

// How often a handler ran is the machine's to say: enough that some interrupt the scheduler itself.
TEST_F(ProgramAsGuest, StandsSignalHandlersThatInterruptItsHooks) {
  for (const char* strategy : {"pct:d=3", "random:p=1"}) {
    for (uint64_t seed = 1; seed <= 10; ++seed) {
      const ProgramResult result = run("signal_storm", strategy, seed);
      ASSERT_TRUE(clean(result.end)) << strategy << ", seed " << seed << ": " << text_of(result);
    }
  }
}

TEST_F(ProgramAsGuest, FollowsThreadsThatOutliveMainToTheirLastDestructor) {
  for (const char* strategy : {"pct:d=3", "random:p=1"}) {
    expect_clean("main_leaves_first", strategy, 20);
  }
}

TEST_F(ProgramAsGuest, SaysSoWhenAThreadIsCancelledWhichItCannotControl) {
  const ProgramResult result = run("cancelled_waiter", "random:p=1", 1);
  EXPECT_NE(result.end.degraded & kDegradedUnsupported, 0u) << text_of(result);
}

TEST_F(ProgramAsGuest, LeavesAProgramAloneThatNobodyControls) {
  for (const char* name :
       {"early_calls", "locking_malloc", "main_leaves_first", "sleepers_correct"}) {
    ProcessPlan plan;
    plan.program = program_path(name);
    plan.folder = folder_.path();
    plan.log = folder_.path() / "output";
    plan.environment = {std::string("LD_PRELOAD=") + ESOX_PRELOAD};
    Process process(plan);
    const auto status = process.wait(std::chrono::seconds(20));
    ASSERT_TRUE(status.has_value()) << name;
    EXPECT_EQ(status->code, 0) << name;
    EXPECT_EQ(status->signal, 0) << name;
  }
}

TEST_F(ProgramAsGuest, ListsFoldersInTheOrderOfTheNamesWhateverTheFileSystem) {
  ProcessPlan plan;
  plan.program = program_path("directory_calls");
  plan.arguments = {"sorted"};
  plan.folder = folder_.path();
  plan.log = folder_.path() / "output";
  plan.environment = {std::string("LD_PRELOAD=") + ESOX_PRELOAD};
  Process process(plan);
  const auto status = process.wait(std::chrono::seconds(60));
  ASSERT_TRUE(status.has_value());
  EXPECT_EQ(status->code, 0);
  EXPECT_EQ(status->signal, 0);
}

TEST_F(ProgramAsGuest, SaysSoWhenMoreFoldersAreListedThanItCanOrder) {
  const ProgramResult result = run_from_start("directory_calls");
  EXPECT_TRUE(clean(result.end)) << text_of(result);
  EXPECT_EQ(result.end.degraded, static_cast<uint32_t>(kDegradedListing));
}

// But for what tells its process from another.
TEST_F(ProgramAsGuest, WhatItIsToldOfTheMachineIsTheSameInEqualExecutions) {
  const auto told = [&](uint64_t seed) {
    const ProgramResult result = run("machine", "random:p=0.3", seed);
    EXPECT_TRUE(clean(result.end)) << text_of(result);
    std::vector<std::string> lines;
    std::istringstream output(result.output);
    for (std::string line; std::getline(output, line);) {
      const std::string name = line.substr(0, line.find(' '));
      if (!name.starts_with("get") || !name.ends_with("id")) lines.push_back(line);
    }
    return lines;
  };
  for (uint64_t seed = 1; seed <= 5; ++seed) {
    const std::vector<std::string> first = told(seed);
    const std::vector<std::string> again = told(seed);
    EXPECT_GT(first.size(), 100u);
    ASSERT_EQ(again.size(), first.size());
    for (size_t i = 0; i < first.size(); ++i) EXPECT_EQ(again[i], first[i]) << seed;
  }
}

TEST_F(ProgramAsGuest, SaysSoWhenAProgramCannotBeControlled) {
  EXPECT_THAT([&] { run("linked_statically", "random:p=1", 1); },
              testing::ThrowsMessage<ServerError>(testing::HasSubstr("linked statically")));
}

}  // namespace
}  // namespace esox
