// SPDX-License-Identifier: Apache-2.0
// Where a debugger stops, and what it is told.
#include "harness/findings/replay/debugger.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/findings/replay/critical_place.h"
#include "harness/findings/replay/family.h"

namespace esox {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

Input two_clients() {
  Input input;
  input.clients = {{"A", {}, {{"a", false}}}, {"B", {}, {{"b", false}}}};
  return input;
}

// A -> B at 3 (it could go on), B -> A at 5 (it waits), A -> B at 8 (it has ended).
ExecutionRecord three_switches() {
  ExecutionRecord record;
  record.choices = {{0, 0, 0}, {3, 1, 0}, {5, 0, 0}, {8, 1, 0}};
  record.trace = {{0x30, 1, 0, 3, 0, OpKind::kMutexLock, kTraceSwitchedAway},
                  {0x50, 1, 0, 5, 1, OpKind::kMutexLock, kTraceBlocked},
                  {0x80, 0, 0, 8, 0, OpKind::kRequestEnd, 0}};
  return record;
}

TEST(CriticalPlace, IsReadFromADiagnosis) {
  const auto place = critical_place(
      R"({"critical": {"sentence": "Client A ...", "switch": {"from": "A", "to": "B",
          "at": {"site": "f+0x1", "function": "f"}}}})");
  ASSERT_TRUE(place);
  EXPECT_EQ(place->from, "A");
  EXPECT_EQ(place->site, "f+0x1");
  for (const char* text : {"", "{}", "[1]", R"({"critical": null})", R"({"critical": {}})",
                           R"({"critical": {"switch": 7}})", "nonsense"}) {
    EXPECT_FALSE(critical_place(text)) << text;
  }
}

TEST(CriticalPlace, IsTheSwitchOfTheDiagnosisWhereItIsInTheExecution) {
  const ExecutionRecord record = three_switches();
  Symbols symbols({});
  const CriticalPlace wanted{"B", "A", "0x50", "0x50", "..."};
  const auto found = deciding_switch(record, two_clients(), symbols, wanted);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->point, 5u);
  EXPECT_TRUE(found->critical);
}

TEST(CriticalPlace, IsElseTheLastOneThatNobodyForced) {
  const ExecutionRecord record = three_switches();
  Symbols symbols({});
  const auto found = deciding_switch(record, two_clients(), symbols, std::nullopt);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->point, 3u);
  EXPECT_FALSE(found->critical);
  EXPECT_FALSE(deciding_switch(ExecutionRecord{}, two_clients(), symbols, std::nullopt));
}

TEST(Debugger, IsToldTheThreadsNamesAndWhoStandsThere) {
  const std::string script =
      debugger_script({100, {101, 102}}, {{"A", "B"}, 1, {"client \"A\"\nstands"}});
  EXPECT_THAT(script, HasSubstr("names[101] = \"client A\""));
  EXPECT_THAT(script, HasSubstr("thread.ptid[1] == 102: thread.switch()"));
  EXPECT_THAT(script, HasSubstr("echo client 'A''stands\\n\n"));
}

TEST(Debugger, RunsCommandsOfItsOwnAndEnds) {
  EXPECT_THAT(debugger_line(7, "s", {"bt"}),
              ElementsAre("gdb", "--batch", "--quiet", "-p", "7", "-x", "s", "-ex", "bt"));
  EXPECT_THAT(debugger_line(7, "s", {}), Not(testing::Contains("--batch")));
}

TEST(Replayer, CausesAreComparedWithoutOffsets) {
  EXPECT_EQ(cause_across_builds("class crash\nframe f\nwaits: lock at g+0x1c (a.cc:12)\n"),
            "class crash\nframe f\nwaits: lock at g");
  EXPECT_NE(cause_across_builds("class crash\nframe f\n"),
            cause_across_builds("class crash\nframe h\n"));
}

}  // namespace
}  // namespace esox
