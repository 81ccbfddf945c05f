// SPDX-License-Identifier: Apache-2.0
#include "preload/scheduler/repeat_count.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace esox {
namespace {

constexpr uint32_t kMost = 200;

using Loop = std::vector<uint64_t>;

Loop some_operations(std::mt19937_64& random, size_t count) {
  Loop operations;
  for (size_t i = 0; i < count; ++i) operations.push_back(random());
  return operations;
}

// Turns of the loop until all of it was done so often; 0: not within `most`.
uint32_t turns_of(RepeatCount& counts, const Loop& loop, uint32_t most) {
  for (uint32_t turn = 1; turn <= most; ++turn) {
    bool all = true;
    for (const uint64_t one : loop) all &= counts.count(one, kMost) == kMost;
    if (all) return turn;
  }
  return 0;
}

TEST(RepeatCount, NoticesEveryLoopAtTheLimit) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 20'000; ++i) {
    RepeatCount counts;
    const Loop loop = some_operations(random, 1 + random() % RepeatCount::kEntries);
    ASSERT_EQ(turns_of(counts, loop, kMost), kMost) << loop.size() << " operations, loop " << i;
  }
}

TEST(RepeatCount, NoticesALoopThatFollowsOnALongWay) {
  std::mt19937_64 random(2);
  for (int i = 0; i < 200; ++i) {
    RepeatCount counts;
    for (const uint64_t one : some_operations(random, 5'000))
      ASSERT_LT(counts.count(one, kMost), 2u);
    ASSERT_GT(turns_of(counts, some_operations(random, 3), 2 * kMost), 0u);
  }
}

TEST(RepeatCount, NeverCountsMoreOftenThanItCame) {
  std::mt19937_64 random(3);
  RepeatCount counts;
  const Loop operations = some_operations(random, 40);
  for (uint32_t turn = 1; turn < kMost; ++turn) {
    for (const uint64_t one : operations) ASSERT_LE(counts.count(one, kMost), turn);
  }
}

TEST(RepeatCount, StaysAtTheMostAndForgetsWhenItIsTold) {
  RepeatCount counts;
  for (uint32_t i = 1; i <= kMost; ++i) ASSERT_EQ(counts.count(7, kMost), i);
  EXPECT_EQ(counts.count(7, kMost), kMost);
  counts.clear();
  EXPECT_EQ(counts.count(7, kMost), 1u);
}

}  // namespace
}  // namespace esox
