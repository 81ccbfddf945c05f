// SPDX-License-Identifier: Apache-2.0
// Equal histories must give equal events, different ones different events.
#include "targets/mysqld/state/binary_log.h"

#include <gtest/gtest.h>

namespace esox {
namespace {

TEST(NormalisedEvent, ForgetsNumbersThatDifferBetweenEqualHistories) {
  EXPECT_EQ(normalised_event("Gtid", "BEGIN GTID 0-1-5"),
            normalised_event("Gtid", "BEGIN GTID 0-1-17"));
  EXPECT_EQ(normalised_event("Gtid", "BEGIN GTID 0-1-5 cid=7"),
            normalised_event("Gtid", "BEGIN GTID 0-1-6"));
  EXPECT_EQ(normalised_event("Xid", "COMMIT /* xid=12 */"),
            normalised_event("Xid", "COMMIT /* xid=9 */"));
  EXPECT_EQ(normalised_event("Table_map", "table_id: 21 (test.t1)"),
            "Table_map: table_id: # (test.t1)");
  EXPECT_EQ(normalised_event("Format_desc", "Server ver: 10.11.19"), std::nullopt);
  EXPECT_EQ(normalised_event("Binlog_checkpoint", "b.000001"), std::nullopt);
}

TEST(NormalisedEvent, KeepsWhatTheHistorySays) {
  EXPECT_EQ(normalised_event("Query", "use `test`; INSERT INTO t1 VALUES (1)"),
            "Query: use `test`; INSERT INTO t1 VALUES (1)");
  EXPECT_NE(normalised_event("Intvar", "INSERT_ID=3"), normalised_event("Intvar", "INSERT_ID=4"));
  EXPECT_NE(normalised_event("Table_map", "table_id: 21 (test.t1)"),
            normalised_event("Table_map", "table_id: 21 (test.t2)"));
  EXPECT_NE(normalised_event("Gtid", "BEGIN GTID 0-1-5"), normalised_event("Gtid", "GTID 0-1-5"));
  EXPECT_EQ(normalised_event("Query", "use `test`; SELECT 'GTID 0-1-5'"),
            "Query: use `test`; SELECT 'GTID 0-1-5'");
}

}  // namespace
}  // namespace esox
