// SPDX-License-Identifier: Apache-2.0
// A server that has answered all requests, and no question about its state: the execution ends all
// the same, is told as a hang, and the next one has a server that answers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/integration/keyvalue/executor.h"

namespace esox {
namespace {

using testing::Contains;
using testing::HasSubstr;

constexpr std::chrono::milliseconds kLimit{2'000};

TEST(StillServer, IsToldAsAHangAndHoldsNobodyUp) {
  KeyvalueExecutor executor({}, kLimit);
  const ConcreteInput still = keyvalue_input("still", {{"SET a 1", "HOLD"}, {"GET a"}});
  const ConcreteInput sound = keyvalue_input("sound", {{"SET a 1", "GET a"}, {"GET a"}});
  for (uint64_t seed = 1; seed <= 2; ++seed) {
    const ExecutionReport held = executor.run(still, seed);
    EXPECT_EQ(held.record.ending.kind, EndingKind::kHang);
    EXPECT_THAT(held.record.ending.detail,
                Contains(HasSubstr("no reply within 2 s when its state was read")));
    EXPECT_THAT(held.record.ending.detail, Contains(HasSubstr("Store::dump")));
    EXPECT_EQ(executor.run(sound, seed).record.ending.kind, EndingKind::kFinished);
  }
}

}  // namespace
}  // namespace esox
