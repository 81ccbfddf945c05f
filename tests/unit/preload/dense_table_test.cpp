// SPDX-License-Identifier: Apache-2.0
// A table that is emptied in constant time against a map.
#include "preload/core/dense_table.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <random>

namespace esox {
namespace {

struct Entry {
  uint64_t object;
  int value;
};
using Table = DenseTable<Entry, 64>;

TEST(DenseTableTest, IsEmptyAtFirstAndAfterClear) {
  auto table = std::make_unique<Table>();
  EXPECT_EQ(table->find(0), nullptr);
  table->find_or_add(8)->value = 1;
  table->clear();
  EXPECT_EQ(table->find(8), nullptr);
  EXPECT_EQ(table->find_or_add(8)->value, 0) << "a new entry is zero";
}

TEST(DenseTableTest, KeepsEntriesInTheOrderOfTheirAddition) {
  auto table = std::make_unique<Table>();
  for (uint64_t object : {40, 8, 24}) table->find_or_add(object);
  table->find_or_add(8);
  ASSERT_EQ(table->size(), 3u);
  EXPECT_EQ((*table)[0].object, 40u);
  EXPECT_EQ((*table)[1].object, 8u);
  EXPECT_EQ((*table)[2].object, 24u);
}

TEST(DenseTableTest, SaysSoWhenItIsFull) {
  auto table = std::make_unique<Table>();
  for (uint64_t i = 0; i < Table::kMost; ++i) ASSERT_NE(table->find_or_add(i), nullptr);
  EXPECT_EQ(table->find_or_add(1000), nullptr);
  EXPECT_NE(table->find_or_add(5), nullptr) << "what is in it is found";
}

TEST(DenseTableTest, AgreesWithAMapOverManyLives) {
  auto table = std::make_unique<Table>();
  std::mt19937_64 random(11);
  for (int life = 0; life < 500; ++life) {
    std::map<uint64_t, int> model;
    table->clear();
    for (int step = 0; step < 60; ++step) {
      const uint64_t object = random() % 80 * 8;
      const bool there = model.contains(object);
      ASSERT_EQ(table->find(object) != nullptr, there);
      if (!there && model.size() == Table::kMost) continue;
      table->find_or_add(object)->value += step;
      model[object] += step;
      ASSERT_EQ(table->find(object)->value, model[object]);
    }
    ASSERT_EQ(table->size(), model.size());
  }
}

}  // namespace
}  // namespace esox
