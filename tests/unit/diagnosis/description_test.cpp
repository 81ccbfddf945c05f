// SPDX-License-Identifier: Apache-2.0
// The sentence that a developer needs, from an execution made by hand.
#include "harness/findings/diagnosis/description.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/records/ending_stacks.h"

namespace esox {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TraceEvent event(uint32_t point, ThreadId thread, OpKind kind, uint64_t object, uint8_t flags = 0) {
  return {0x1000 + point, object, 0, point, thread, kind, flags};
}

Input two_clients() {
  Input input;
  input.clients = {{"A", {}, {{"SELECT a FROM t1", false}}},
                   {"B", {}, {{"INSERT INTO t1 VALUES (2)", false}}}};
  return input;
}

// A locks L and M, releases M and is switched out before it locks N; B then runs to its end.
ExecutionRecord record() {
  ExecutionRecord record;
  record.choices = {{0, 0, 0}, {4, 1, 0}, {6, 0, 0}};
  record.stamps = {{{0, 8}}, {{0, 6}}};
  record.trace = {event(1, 0, OpKind::kMutexLock, 0xa0),
                  event(2, 0, OpKind::kMutexLock, 0xb0),
                  event(3, 0, OpKind::kMutexUnlock, 0xb0),
                  event(4, 0, OpKind::kMutexLock, 0xc0, kTraceSwitchedAway),
                  event(5, 1, OpKind::kMutexLock, 0xb0),
                  event(6, 1, OpKind::kRequestEnd, 0),
                  event(7, 0, OpKind::kMutexUnlock, 0xc0),
                  event(8, 0, OpKind::kRequestEnd, 0)};
  return record;
}

TEST(Description, SaysWhoWasSwitchedOutBetweenWhichLocksAndWhatThenRan) {
  const ExecutionRecord told = record();
  const Input input = two_clients();
  Symbols symbols({});
  const SwitchDescription description = Teller(told, 9, input, symbols).at_switch(0);
  EXPECT_TRUE(description.could_go_on);
  EXPECT_EQ(sentence(description),
            "Client A was switched out at 0x1004, at 'lock mutex#3', after releasing mutex#2, "
            "before acquiring mutex#3; client B then ran B1 to its end.");
  ASSERT_EQ(description.held.size(), 1u);
  EXPECT_EQ(description.held[0].name, "mutex#1");
}

TEST(Description, TellsAThreadThatHadEndedAndOneThatHadToWait) {
  ExecutionRecord told = record();
  told.trace[3].flags = kTraceBlocked;
  const Input input = two_clients();
  Symbols symbols({});
  const std::vector<SwitchDescription> descriptions =
      Teller(told, 9, input, symbols).all_switches();
  ASSERT_EQ(descriptions.size(), 2u);
  EXPECT_THAT(sentence(descriptions[0]), HasSubstr("Client A had to wait"));
  EXPECT_THAT(sentence(descriptions[1]), HasSubstr("Client B had ended; client A then ran A1"));
}

TEST(Stacks, BeginAtTheServersOwnCall) {
  const std::vector<std::string> detail = {
      "all stacks:",   "thread 7 (client A):", "  #0 esox::wait+0x1", "  #1 f+0x10",
      "  #2 main+0x1", "thread 8 (client B):", "  #0 g+0x1"};
  EXPECT_THAT(stack_from(detail, "A", "f+0x10"), ElementsAre("f+0x10", "main+0x1"));
  EXPECT_THAT(stack_from(detail, "B", "f+0x10"), ElementsAre("g+0x1"));
  EXPECT_TRUE(stack_from(detail, "C", "").empty());
}

TEST(Stacks, NameTheNearestCallerThatHasAName) {
  const std::vector<Module> modules = {{0x1000, 0x2000, 0x1000, "/usr/sbin/server"}};
  EXPECT_EQ(nearest_name({"server+0x10", "server+0x20", "f+0x10 (f.c:3)"}, modules), "f");
  EXPECT_EQ(nearest_name({"server+0x10"}, modules), "");
}

}  // namespace
}  // namespace esox
