// SPDX-License-Identifier: Apache-2.0
// A server that sleeps for a moment after it has begun to listen: the snapshot is taken when it has
// woken up, for in what is forked its sleep would be put off for seconds.
#include <gtest/gtest.h>

#include "tests/integration/keyvalue/executor.h"

namespace esox {
namespace {

TEST(Start, IsOverBeforeTheSnapshotIsTaken) {
  KeyvalueExecutor executor({"--late"});
  const ConcreteInput input = keyvalue_input("start", {{"GET started"}, {"GET nothing"}});
  const ExecutionRecord record = executor.run(input, 1).record;
  ASSERT_EQ(record.ending.kind, EndingKind::kFinished);
  const auto reply = [&](size_t client) { return record.outcome.outputs.at(client).at(0).info; };
  EXPECT_NE(reply(0), reply(1));
}

}  // namespace
}  // namespace esox
