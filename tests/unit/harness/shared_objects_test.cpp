// SPDX-License-Identifier: Apache-2.0
// Which objects of a trace count as shared.
#include "harness/engine/shared_objects.h"

#include <gtest/gtest.h>

namespace esox {
namespace {

TraceEvent event(ThreadId thread, OpKind kind, uint64_t object) {
  return {1, object, 0, 0, thread, kind, 0};
}

TEST(SharedObjects, AreThoseOnWhichTheOrderOfTwoThreadsMatters) {
  const std::vector<TraceEvent> trace = {
      event(0, OpKind::kMutexLock, 10), event(0, OpKind::kMutexUnlock, 10),
      event(1, OpKind::kMutexLock, 10), event(1, OpKind::kMutexLock, 10),
      event(0, OpKind::kMutexLock, 20),                                    // of one thread only
      event(0, OpKind::kFileRead, 30),  event(1, OpKind::kFileRead, 30),   // both read
      event(0, OpKind::kFileRead, 40),  event(1, OpKind::kFileWrite, 40),  // one writes
      event(0, OpKind::kYield, 0),      event(1, OpKind::kYield, 0)};
  const std::vector<ObjectPoints> shared = shared_objects_of(trace);
  ASSERT_EQ(shared.size(), 2u);
  EXPECT_EQ(shared[0].object, 10u);
  EXPECT_EQ(shared[0].of_thread[0], 1u) << "a release does not count";
  EXPECT_EQ(shared[0].of_thread[1], 2u);
  EXPECT_EQ(shared[1].object, 40u);
}

TEST(SharedObjects, CountALockUnderItsAddressAndAFileUnderItsWholeHash) {
  const uint64_t born = uint64_t{3} << 48;
  const std::vector<TraceEvent> trace = {
      event(0, OpKind::kMutexLock, 10 | born), event(1, OpKind::kMutexLock, 10),
      event(0, OpKind::kFileWrite, 11 | born), event(1, OpKind::kFileWrite, 11 | born)};
  const std::vector<ObjectPoints> shared = shared_objects_of(trace);
  ASSERT_EQ(shared.size(), 2u);
  EXPECT_EQ(shared[0].object, 10u);
  EXPECT_EQ(shared[1].object, 11 | born);
}

TEST(SharedObjects, AreNoMoreThanTheProtocolHolds) {
  std::vector<TraceEvent> trace;
  for (uint64_t object = 1; object <= 3 * kMaxSharedObjects; ++object) {
    trace.push_back(event(0, OpKind::kMutexLock, object));
    trace.push_back(event(1, OpKind::kMutexLock, object));
    trace.push_back(event(kMaxClients, OpKind::kMutexLock, object));
  }
  EXPECT_EQ(shared_objects_of(trace).size(), kMaxSharedObjects);
}

}  // namespace
}  // namespace esox
