// SPDX-License-Identifier: Apache-2.0
#include "preload/scheduler/starvation.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace esox {
namespace {

constexpr uint32_t kLimit = 200;

struct Operation {
  uint64_t site;
  uint64_t object;
};

std::vector<Operation> some_operations(std::mt19937_64& random, size_t count) {
  std::vector<Operation> operations;
  for (size_t i = 0; i < count; ++i) {
    operations.push_back({0x555555554000u + random() % 0x1000000, random() % 1000});
  }
  return operations;
}

// Turns of the loop until it is noticed; 0: it is not.
uint32_t turns_of(StarvationGuard& guard, const std::vector<Operation>& loop, uint32_t most) {
  for (uint32_t turn = 1; turn <= most; ++turn) {
    for (const Operation& one : loop) {
      if (guard.repeats(one.site, one.object, kLimit)) return turn;
    }
  }
  return 0;
}

TEST(StarvationGuard, NoticesEveryLoopAtTheLimit) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 20'000; ++i) {
    StarvationGuard guard;
    const auto loop = some_operations(random, 1 + random() % StarvationGuard::kEntries);
    const uint32_t turns = turns_of(guard, loop, kLimit);
    ASSERT_GT(turns, 0u) << loop.size() << " operations, loop " << i;
  }
}

TEST(StarvationGuard, NoticesALoopThatFollowsOnALongWay) {
  std::mt19937_64 random(2);
  for (int i = 0; i < 200; ++i) {
    StarvationGuard guard;
    for (const Operation& one : some_operations(random, 5'000)) {
      ASSERT_FALSE(guard.repeats(one.site, one.object, kLimit));
    }
    ASSERT_GT(turns_of(guard, some_operations(random, 3), 2 * kLimit), 0u);
  }
}

TEST(StarvationGuard, LeavesAloneWhoeverRepeatsLessThanTheLimit) {
  std::mt19937_64 random(3);
  StarvationGuard guard;
  auto operations = some_operations(random, 40);
  for (uint32_t turn = 1; turn < kLimit; ++turn) {
    for (const Operation& one : operations) {
      ASSERT_FALSE(guard.repeats(one.site, one.object, kLimit));
    }
  }
}

TEST(StarvationGuard, ForgetsAllAtASwitch) {
  StarvationGuard guard;
  for (uint32_t i = 1; i < kLimit; ++i) ASSERT_FALSE(guard.repeats(1, 2, kLimit));
  guard.reset();
  for (uint32_t i = 1; i < kLimit; ++i) ASSERT_FALSE(guard.repeats(1, 2, kLimit));
  EXPECT_TRUE(guard.repeats(1, 2, kLimit));
}

}  // namespace
}  // namespace esox
