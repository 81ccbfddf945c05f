// SPDX-License-Identifier: Apache-2.0
#include "analysis/report/standstill_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace esox {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class StandstillText : public ::testing::Test {
 protected:
  void add(ThreadId thread, OpKind kind, uint64_t site, uint8_t flags = 0) {
    record_.trace.push_back(
        {site, site, 0, static_cast<uint32_t>(record_.trace.size()), thread, kind, flags});
  }

  std::vector<std::string> lines() {
    Symbols symbols({{0x1000, 0x2000, 0, "/usr/sbin/server"}});
    return standstill_lines(record_, {"A", "B"}, symbols);
  }

  ExecutionRecord record_;
};

TEST_F(StandstillText, NamesWhoWaitsAndWhoseWaitsTimeOut) {
  add(0, OpKind::kMutexLock, 0x1001);
  add(0, OpKind::kCondWait, 0x1002);
  add(1, OpKind::kMutexLock, 0x1003);
  for (int i = 0; i < 100; ++i) {
    add(1, OpKind::kCondWait, 0x1004);
    add(1, OpKind::kMutexLock, 0x1004, kTraceTimedOut);
  }
  EXPECT_THAT(lines(),
              ElementsAre("nothing new happened after point 4:",
                          "  client A stands since point 1, at 'wait cond' in server+0x1002",
                          "  client B has repeated the same 2 operations; 99 of its waits timed "
                          "out, the last in server+0x1004"));
  std::vector<std::string> all = lines();
  all.emplace_back("thread 7 (client A):");
  EXPECT_THAT(standstill_places(all), ElementsAre("server+0x1002", "server+0x1004"));
}

TEST_F(StandstillText, SaysNothingOfOneThatHasEnded) {
  add(0, OpKind::kRequestEnd, 0x1001);
  add(2, OpKind::kThreadExit, 0);
  for (int i = 0; i < 100; ++i) add(1, OpKind::kYield, 0x1004);
  EXPECT_THAT(lines(), ElementsAre("nothing new happened after point 2:",
                                   "  client B has repeated the same 1 operations"));
}

TEST_F(StandstillText, IsEmptyOfAnExecutionThatWasMerelyLong) {
  for (uint64_t i = 0; i < 100; ++i) add(0, OpKind::kMutexLock, 0x1000 + i);
  EXPECT_THAT(lines(), IsEmpty());
  record_.trace.clear();
  EXPECT_THAT(lines(), IsEmpty());
}

}  // namespace
}  // namespace esox
