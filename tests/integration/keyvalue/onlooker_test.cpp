// SPDX-License-Identifier: Apache-2.0
// A thread outside control that every request wakes, and whose doings later requests can see: it
// acts when no client can run, so equal seeds give equal executions.
#include <gtest/gtest.h>

#include "analysis/nondeterminism.h"
#include "analysis/trace_equality.h"
#include "tests/integration/keyvalue/executor.h"

namespace esox {
namespace {

constexpr uint64_t kPairs = 60;

TEST(Onlooker, IsKeptOutOfTheSchedule) {
  KeyvalueExecutor executor({"--onlooker"});
  // Long enough that a thread woken at once would be there before the last of them.
  const std::vector<std::string> requests = {"SET a 1", "GET a", "ADD b 2", "STATS",
                                             "GET a",   "SUM",   "SCAN",    "STATS"};
  const ConcreteInput input = keyvalue_input("onlooker", {requests, requests});
  for (uint64_t seed = 1; seed <= kPairs; ++seed) {
    const ExecutionReport first = executor.run(input, seed);
    const ExecutionReport again = executor.run(input, seed);
    ASSERT_EQ(first.record.ending.kind, EndingKind::kFinished);
    const TraceDifference traces = compare_traces(first.record.trace, first.record.modules,
                                                  again.record.trace, again.record.modules);
    EXPECT_TRUE(traces.equal) << seed << ": " << traces.text;
    EXPECT_TRUE(differing_places(first.record.outcome, again.record.outcome).outputs.empty())
        << seed;
  }
}

}  // namespace
}  // namespace esox
