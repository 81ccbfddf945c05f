// SPDX-License-Identifier: Apache-2.0
// What a difference in each component of MariaDB's state means.
#include "targets/mysqld/state/components.h"

#include <gtest/gtest.h>

namespace esox {
namespace {

ComponentMeaning meaning(const char* name) {
  return meaning_of(name, mysqld_components());
}

TEST(MariadbComponents, AreDamageWhereTwoStructuresDisagreeAndNotWhereOrdersLeaveDifferentThings) {
  for (const char* name :
       {"check:test.t1", "index:test.t1.k", "query-cache:SELECT 1", "query-cache-entries",
        "replayed-binlog", "replayed-binlog:test.t1", "open-tables", "transactions", "key-blocks",
        "metadata-locks", "files", "reloaded-grants", "dictionary"}) {
    EXPECT_TRUE(is_damage(meaning(name))) << name;
  }
  for (const char* name :
       {"rows:test.t1", "definition:test.t1", "tables", "triggers", "accounts", "grants"}) {
    EXPECT_EQ(meaning(name), ComponentMeaning::kContent) << name;
  }
  for (const char* name : {"binlog", "answer:SELECT 1", "observation:x"}) {
    EXPECT_EQ(meaning(name), ComponentMeaning::kDerived) << name;
  }
  // What somebody who waits may make another session let go of, and nothing else.
  EXPECT_EQ(meaning("open-tables"), ComponentMeaning::kHeld);
  EXPECT_EQ(meaning("metadata-locks"), ComponentMeaning::kHeld);
  EXPECT_EQ(meaning("transactions"), ComponentMeaning::kDamage);
  EXPECT_EQ(meaning("check:test.t1"), ComponentMeaning::kDamage);
}

}  // namespace
}  // namespace esox
