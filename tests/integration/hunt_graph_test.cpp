// SPDX-License-Identifier: Apache-2.0
// Inputs with many serial orders, on a real server: judged by the graph of serial states.
#include <fmt/format.h>

#include "tests/integration/hunt_fixture.h"

namespace esox {
namespace {

class GraphTest : public HuntTest {
 protected:
  ExplorationSettings exploration() const { return settings().exploration; }

  ServerExecutor executor() { return ServerExecutor(server_, options()); }

  // Both clients append three rows each and read in between.
  static ConcreteInput sessions(const std::string& first_of_b = "INSERT INTO t1 VALUES (4)") {
    return inputs(fmt::format(R"(
id: sessions
setup: [CREATE TABLE t1 (a INT) ENGINE=MyISAM]
clients:
  - {{name: A, requests: [INSERT INTO t1 VALUES (1), SELECT COUNT(*) FROM t1, INSERT INTO t1 VALUES (2)]}}
  - {{name: B, requests: ["{}", SELECT COUNT(*) FROM t1, INSERT INTO t1 VALUES (5)]}}
)",
                              first_of_b))[0];
  }
};

TEST_F(GraphTest, SessionsCostStatesNotOrders) {
  ServerExecutor worker = executor();
  Exploration sessions_exploration(sessions(), exploration());
  std::set<Order> explained;
  for (uint64_t n = 1; n <= 6; ++n) {
    const Judged judged = sessions_exploration.explore(worker, n);
    EXPECT_EQ(judged.verdict.verdict, VerdictClass::kNone);
    for (size_t i : judged.verdict.matched) explained.insert(judged.verdict.table[i].order);
  }
  EXPECT_FALSE(explained.empty());
  // 20 orders, but 4 x 4 states and 24 steps between them.
  EXPECT_LE(sessions_exploration.serial_counts().steps, 24u);
  EXPECT_LE(sessions_exploration.serial_counts().states, 16u);
}

TEST_F(GraphTest, WhatSessionsKeepForThemselvesIsNotMerged) {
  const ConcreteInput input = sessions("INSERT INTO t1 VALUES (LAST_INSERT_ID())");
  EXPECT_EQ(session_state(input.input, {0, 1}).text, "A1 B1 ");
  EXPECT_EQ(session_state(sessions().input, {0, 1}).text, "");
}

}  // namespace
}  // namespace esox
