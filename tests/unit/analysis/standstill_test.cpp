// SPDX-License-Identifier: Apache-2.0
#include "analysis/standstill.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "preload/protocol/data_choice.h"

namespace esox {
namespace {

using ::testing::ElementsAre;

class Standstill : public ::testing::Test {
 protected:
  void add(ThreadId thread, uint64_t site, uint8_t flags = 0) {
    record_.trace.push_back({site, site, 0, static_cast<uint32_t>(record_.trace.size()), thread,
                             OpKind::kCondWait, flags});
  }
  static uint64_t woken(ThreadId thread, uint32_t ordinal) {
    return value_of({DataChoiceKind::kSpuriousWake, 0, thread, ordinal});
  }
  // Goes round in a circle from here on; every tenth of its waits ends though nobody signalled.
  void circle(ThreadId thread) {
    for (int i = 0; i < 100; ++i) {
      add(thread, 0x1004, i % 10 == 5 ? kTraceUnsignalled : 0);
    }
  }

  ExecutionRecord record_;
};

TEST_F(Standstill, LeavesTheValuesThatCameBeforeIt) {
  add(0, 0x1001, kTraceUnsignalled);
  add(1, 0x1002, kTraceUnsignalled);
  add(1, 0x1004);
  circle(1);
  const uint64_t waiter = 2;  // a choice among those that wait for one signal
  const uint64_t failed = value_of({DataChoiceKind::kTryFails, 0, 1, 9});
  record_.values = {woken(0, 4), waiter, woken(1, 7)};
  for (uint32_t i = 0; i < 10; ++i) record_.values.push_back(woken(1, 20 + i));
  record_.values.push_back(failed);
  EXPECT_EQ(standstill_of(record_), 2u);
  EXPECT_THAT(values_before_standstill(record_),
              ElementsAre(woken(0, 4), waiter, woken(1, 7), failed));
}

TEST_F(Standstill, LeavesAllValuesOfOneThatWasMerelyLong) {
  circle(1);
  add(0, 0x1001, kTraceUnsignalled);
  record_.values = {woken(1, 1), woken(0, 1)};
  EXPECT_FALSE(standstill_of(record_));
  EXPECT_EQ(values_before_standstill(record_), record_.values);
}

TEST_F(Standstill, OfAnEmptyTraceIsNone) {
  EXPECT_FALSE(standstill_of(record_));
}

}  // namespace
}  // namespace esox
