// SPDX-License-Identifier: Apache-2.0
// Which executions teach, which are filtered, and that both follow from their numbers.
#include "harness/search/learning.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/records/exploration_memory.h"
#include "tests/unit/analysis/traces.h"

namespace esox {
namespace {

using test::TraceBuilder;
using testing::ElementsAre;
using testing::IsEmpty;

ExecutionRecord two_clients_meet() {
  return TraceBuilder().locks(0, 0x70, 0x10).locks(0, 0x78, 0x14).locks(1, 0x70, 0x20).finish();
}

TEST(Learning, IsFromTheFirstExecutionsAndThenFromEverFewer) {
  std::vector<uint64_t> numbers;
  for (uint64_t n = 0; n <= 1000; ++n) {
    if (is_learnt_from(n)) numbers.push_back(n);
  }
  ASSERT_GT(numbers.size(), kFirstLearnt);
  for (uint64_t i = 0; i < kFirstLearnt; ++i) EXPECT_EQ(numbers[i], i + 1);
  EXPECT_THAT(std::vector<uint64_t>(numbers.begin() + kFirstLearnt, numbers.end()),
              ElementsAre(64, 128, 256, 512));
}

TEST(Learning, FiltersItsShareOfTheExecutionsAndNoneThatTeaches) {
  Lessons lessons;
  learn(lessons, two_clients_meet(), 2, 1);
  uint64_t filtered = 0;
  for (uint64_t n = 1; n <= 10'000; ++n) {
    if (!is_filtered(lessons, n, n * 7919)) continue;
    EXPECT_FALSE(is_learnt_from(n)) << n;
    ++filtered;
  }
  EXPECT_NEAR(static_cast<double>(filtered), 10'000 * kFilteredPercent / 100.0, 200);
}

TEST(Learning, FiltersNothingWhileNothingIsKnown) {
  for (uint64_t n = 1; n <= 1000; ++n) EXPECT_FALSE(is_filtered({}, n, n));
}

TEST(Learning, KeepsTheShareOfPointsThatTheFilterLeaves) {
  Lessons lessons;
  learn(lessons, two_clients_meet(), 2, 1);
  EXPECT_EQ(lessons.conflicts.size(), 2u);
  EXPECT_THAT(lessons.shares, ElementsAre(0.5, 1));
  EXPECT_EQ(lessons.up_to, 1u);
}

TEST(Learning, GoesByThePoolInTheFirstExecutionsOnly) {
  Lessons lessons;
  learn(lessons, two_clients_meet(), 2, 0);
  uint64_t filtered = 0;
  for (uint64_t seed = 0; seed < 10'000; ++seed) {
    filtered += is_filtered_by_pool(lessons.conflicts, 1, seed);
    EXPECT_FALSE(is_filtered_by_pool({}, 1, seed)) << "nothing is pooled";
    EXPECT_FALSE(is_filtered_by_pool(lessons.conflicts, kFirstLearnt + 1, seed));
  }
  EXPECT_NEAR(static_cast<double>(filtered), 10'000 * kFilteredPercent / 100.0, 200);
}

TEST(Learning, TakesNothingFromAnExecutionThatWasNotUnderControl) {
  ExecutionRecord record = two_clients_meet();
  record.degraded_reasons = {"a thread blocked where control does not reach"};
  Lessons lessons;
  learn(lessons, record, 2, 5);
  EXPECT_THAT(lessons.conflicts, IsEmpty());
  EXPECT_EQ(lessons.up_to, 5u) << "it is not made again";
}

TEST(Learning, IsTheSameAfterItWasKept) {
  ExplorationMemory memory;
  learn(memory.lessons, two_clients_meet(), 2, 3);
  memory.coverage.add(behaviour_of(two_clients_meet(), 2, {}));
  const ExplorationMemory again = exploration_memory_of(to_bytes(memory));
  EXPECT_EQ(again.lessons.conflicts, memory.lessons.conflicts);
  EXPECT_EQ(again.lessons.shares, memory.lessons.shares);
  EXPECT_EQ(again.lessons.up_to, 3u);
  EXPECT_EQ(again.coverage.classes.known(), memory.coverage.classes.known());
  EXPECT_EQ(again.coverage.outcomes.total(), 1u);
  EXPECT_EQ(again.coverage.meetings, memory.coverage.meetings);
}

}  // namespace
}  // namespace esox
