// SPDX-License-Identifier: Apache-2.0
#include "analysis/trace_equality.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace esox {
namespace {

using ::testing::HasSubstr;

const std::vector<Module> kFirst = {{0x1000, 0x9000, 0x1000, "/usr/sbin/mariadbd"}};
const std::vector<Module> kMoved = {{0x5000, 0xd000, 0x5000, "/usr/sbin/mariadbd"}};

TraceEvent event(ThreadId thread, uint64_t object, uint64_t site, uint8_t flags = kTraceOffered) {
  return {site, object, 0, 1, thread, OpKind::kMutexLock, flags};
}

std::vector<TraceEvent> base() {
  return {event(0, 0xaa, 0x1100), event(1, 0xbb, 0x1200), event(0, 0xaa, 0x1300),
          event(1, 0, 0x1300)};
}

TEST(TraceEquality, EqualTracesAreEqual) {
  const auto result = compare_traces(base(), kFirst, base(), kFirst);
  EXPECT_TRUE(result.equal);
  EXPECT_TRUE(result.text.empty());
  EXPECT_TRUE(compare_traces({}, {}, {}, {}).equal);
}

TEST(TraceEquality, RenamedObjectsAndMovedModulesAreEqual) {
  auto moved = base();
  for (TraceEvent& e : moved) {
    e.site += 0x4000;
    if (e.object != 0) e.object = 0x777000 - e.object;
  }
  EXPECT_TRUE(compare_traces(base(), kFirst, moved, kMoved).equal);
  EXPECT_FALSE(compare_traces(base(), kFirst, moved, kFirst).equal);  // not moved: other sites
}

TEST(TraceEquality, TwoObjectsThatBecomeOneDiffer) {
  auto merged = base();
  merged[1].object = 0xaa;
  EXPECT_EQ(compare_traces(base(), kFirst, merged, kFirst).index, 1u);
  EXPECT_FALSE(compare_traces(merged, kFirst, base(), kFirst).equal);
}

TEST(TraceEquality, SwappedObjectsDiffer) {
  auto swapped = base();
  swapped[2].object = 0xbb;
  EXPECT_EQ(compare_traces(base(), kFirst, swapped, kFirst).index, 2u);
}

TEST(TraceEquality, AnotherThreadKindSiteFlagOrObjectPresenceDiffers) {
  for (size_t i = 0; i < base().size(); ++i) {
    std::vector<std::vector<TraceEvent>> changed(5, base());
    changed[0][i].thread ^= 1;
    changed[1][i].kind = OpKind::kMutexTrylock;
    changed[2][i].site += 4;
    changed[3][i].flags ^= kTraceSwitchedAway;
    changed[4][i].object = changed[4][i].object == 0 ? 0xcc : 0;
    for (const auto& other : changed) {
      const auto result = compare_traces(base(), kFirst, other, kFirst);
      EXPECT_FALSE(result.equal);
      EXPECT_EQ(result.index, i);
    }
  }
}

TEST(TraceEquality, SaysInOneLineWhereTracesPart) {
  auto other = base();
  other[2].site = 0x1304;
  const auto result = compare_traces(base(), kFirst, other, kFirst);
  EXPECT_EQ(result.text,
            "event 3 of 4 and 4 differs: thread 0 lock mutex object 1 at mariadbd+0x300 flags 0x20 "
            "| thread 0 lock mutex object 1 at mariadbd+0x304 flags 0x20");
}

TEST(TraceEquality, APrefixIsNotEqual) {
  auto shorter = base();
  shorter.pop_back();
  EXPECT_THAT(compare_traces(base(), kFirst, shorter, kFirst).text,
              HasSubstr("the first 3 events are equal, then the first trace goes on: thread 1"));
  EXPECT_THAT(compare_traces(shorter, kFirst, base(), kFirst).text,
              HasSubstr("then the second trace goes on"));
}

}  // namespace
}  // namespace esox
