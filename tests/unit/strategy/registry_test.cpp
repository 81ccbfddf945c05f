// SPDX-License-Identifier: Apache-2.0
// Strategies are made in the memory given, or not at all.
#include "preload/strategy/registry.h"

#include <gtest/gtest.h>

#include <array>

namespace esox {
namespace {

class MakeStrategy : public testing::Test {
 protected:
  alignas(kStrategyMemoryAlignment) std::array<std::byte, kStrategyMemoryBytes + 1> memory_;
  std::span<std::byte> whole() { return std::span(memory_).first<kStrategyMemoryBytes>(); }
};

TEST_F(MakeStrategy, PlacesEachKindIntoTheMemoryGiven) {
  for (const StrategyFacts& one : known_strategies()) {
    Strategy* strategy = make_strategy({.kind = one.kind}, {}, whole());
    ASSERT_NE(strategy, nullptr) << one.name;
    EXPECT_EQ(static_cast<void*>(strategy), static_cast<void*>(memory_.data()));
    strategy->begin({.seed = 1, .threads = 1, .expected_points = 1});
    const Pending only{4, OpKind::kMutexLock, 1, 1};
    EXPECT_EQ(strategy->choose({&only, 1}, 4), 4);
  }
}

TEST_F(MakeStrategy, RefusesMemoryThatDoesNotSuffice) {
  EXPECT_EQ(make_strategy({}, {}, whole().first(kStrategyMemoryBytes - 1)), nullptr);
  EXPECT_EQ(make_strategy({}, {}, std::span(memory_).subspan(1)), nullptr) << "not aligned";
}

TEST_F(MakeStrategy, RefusesSpecsThatAreNotValid) {
  EXPECT_EQ(make_strategy({static_cast<StrategyKind>(99), 3, 0.5}, {}, whole()), nullptr);
  EXPECT_EQ(make_strategy({StrategyKind::kPct, 33, 0.5}, {}, whole()), nullptr);
  EXPECT_EQ(make_strategy({StrategyKind::kRandom, 3, 0}, {}, whole()), nullptr);
}

}  // namespace
}  // namespace esox
