// SPDX-License-Identifier: Apache-2.0
// What inputs pass on to others of where their clients conflict.
#include "analysis/conflict_pool.h"

#include <gtest/gtest.h>

namespace esox {
namespace {

ConflictSignature at(uint64_t offset, ThreadId client, uint64_t object = 0) {
  return {{7, offset}, object, client};
}

ConflictPool pool_of(std::initializer_list<ConflictTable> inputs) {
  ConflictPool pool;
  for (const ConflictTable& input : inputs) pool_conflicts(input, pool);
  return pool;
}

TEST(ConflictPool, CountsInputsAndNotClients) {
  const ConflictPool pool = pool_of({{at(1, 0), at(1, 1)}, {at(1, 1), at(2, 0)}});
  EXPECT_EQ(pool.at({{7, 1}, 0}), 2u);
  EXPECT_EQ(pool.at({{7, 2}, 0}), 1u);
}

TEST(ConflictPool, GivesEveryClientThePlacesThatSeveralInputsShowed) {
  const ConflictPool pool = pool_of({{at(1, 0), at(2, 0)}, {at(1, 1), at(3, 1)}});
  EXPECT_EQ(pooled_table(pool, 3), (ConflictTable{at(1, 0), at(1, 1), at(1, 2)}));
}

TEST(ConflictPool, KnowsFilesByTheirPaths) {
  const ConflictPool pool = pool_of({{at(1, 0, 11)}, {at(1, 0, 12)}, {at(1, 1, 12)}});
  EXPECT_EQ(pooled_table(pool, 1), ConflictTable{at(1, 0, 12)});
}

TEST(ConflictPool, PrefersWhatMostInputsShowedWhereThereIsTooMuch) {
  ConflictPool pool;
  for (uint64_t offset = 1; offset <= 2 * kMostConflicts; ++offset) {
    pool[{{7, offset}, 0}] = offset == 5'000 ? 3 : 2;
  }
  const ConflictTable table = pooled_table(pool, 4);
  EXPECT_EQ(table.size(), kMostConflicts / 2);
  EXPECT_TRUE(table.contains(at(5'000, 3)));
}

TEST(ConflictPool, CountsNoInputTwiceWhenPoolsAreMerged) {
  ConflictPool pool = pool_of({{at(1, 0)}, {at(1, 0)}, {at(2, 0)}});
  merge_pools(pool_of({{at(1, 0)}, {at(3, 0)}}), pool);
  EXPECT_EQ(pool.at({{7, 1}, 0}), 2u);
  EXPECT_EQ(pool.at({{7, 3}, 0}), 1u);
}

}  // namespace
}  // namespace esox
