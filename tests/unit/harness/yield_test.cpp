// SPDX-License-Identifier: Apache-2.0
// When an input is worth more time, and when none.
#include "harness/search/yield.h"

#include <gtest/gtest.h>

namespace esox {
namespace {

// So many executions; of every `period` one shows an outcome and a schedule that are new.
Coverage seen(uint64_t executions, uint64_t period) {
  Coverage coverage;
  for (uint64_t i = 1; i <= executions; ++i) {
    const uint64_t thing = i % period == 0 ? i : 0;
    coverage.add({.trace_class = thing, .outcome = thing, .meetings = {}});
  }
  return coverage;
}

TEST(Yield, IsNoneWhereNothingNewIsToBeExpected) {
  EXPECT_EQ(yield_of(seen(500, 1000), 500, 0), Yield::kNothing);
}

TEST(Yield, IsNotJudgedByAFewExecutions) {
  EXPECT_EQ(yield_of(seen(kYieldWindow - 1, 1000), kYieldWindow - 1, 0), Yield::kSome);
}

TEST(Yield, IsMuchWhereNewOutcomesKeepComing) {
  EXPECT_EQ(yield_of(seen(500, 10), 500, 0), Yield::kMuch);
}

TEST(Yield, IsMuchForAWhileAfterAFinding) {
  EXPECT_EQ(yield_of(seen(500, 1000), 500, 450), Yield::kMuch);
  EXPECT_EQ(yield_of(seen(500, 1000), 500, 300), Yield::kNothing);
}

TEST(Yield, IsSomeInBetween) {
  EXPECT_EQ(yield_of(seen(500, 33), 500, 0), Yield::kSome);
}

}  // namespace
}  // namespace esox
