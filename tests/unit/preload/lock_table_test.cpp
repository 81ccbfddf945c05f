// SPDX-License-Identifier: Apache-2.0
// The scheduler's model of who holds what.
#include "preload/scheduler/lock_table.h"

#include <gtest/gtest.h>

#include <memory>

namespace esox {
namespace {

class LockTableTest : public testing::Test {
 protected:
  LockTableTest() { table_->clear(); }

  LockState& with_readers(uint64_t object, std::initializer_list<ThreadId> readers) {
    LockState& lock = *table_->find_or_add(object);
    for (const ThreadId reader : readers) {
      ++lock.readers;
      ++lock.reader_depth[reader];
    }
    return lock;
  }

  std::unique_ptr<LockTable> table_ = std::make_unique<LockTable>();
};

TEST_F(LockTableTest, KnowsNothingUntilALockIsAdded) {
  EXPECT_EQ(table_->find(0x1000), nullptr);
  ASSERT_NE(table_->find_or_add(0x1000), nullptr);
  ASSERT_NE(table_->find(0x1000), nullptr);
  EXPECT_TRUE(table_->find(0x1000)->free());
}

TEST_F(LockTableTest, DropsAllThatOneThreadHoldsAndNothingOfAnother) {
  LockState& lock = with_readers(0x1000, {1, 1, 2});
  lock.drop(1);
  EXPECT_FALSE(lock.free());
  lock.drop(1);
  lock.drop(2);
  EXPECT_TRUE(lock.free());

  LockState& other = *table_->find_or_add(0x2000);
  other.owner = 3;
  other.depth = 2;
  other.drop(1);
  EXPECT_EQ(other.owner, 3);
  other.drop(3);
  EXPECT_TRUE(other.free());
  EXPECT_EQ(other.depth, 0);
}

TEST_F(LockTableTest, ForgetsAThreadEverywhere) {
  LockState& shared = with_readers(0x1000, {1, 2});
  LockState& exclusive = *table_->find_or_add(0x2000);
  exclusive.owner = 1;
  exclusive.depth = 1;
  table_->leave_by(1);
  EXPECT_EQ(shared.readers, 1);
  EXPECT_TRUE(exclusive.free());
}

TEST_F(LockTableTest, IsEmptyAgainInTheNextExecution) {
  table_->find_or_add(0x1000)->owner = 1;
  table_->clear();
  EXPECT_EQ(table_->find(0x1000), nullptr);
}

TEST_F(LockTableTest, SaysSoWhenItIsFull) {
  uint64_t added = 0;
  while (added <= LockTable::kMost && table_->find_or_add(0x1000 + 8 * added) != nullptr) ++added;
  EXPECT_EQ(added, LockTable::kMost);
  EXPECT_NE(table_->find(0x1000), nullptr) << "what is in it stays";
}

}  // namespace
}  // namespace esox
