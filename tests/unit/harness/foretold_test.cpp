// SPDX-License-Identifier: Apache-2.0
// Which executions try what was foretold.
#include "harness/search/foretold.h"

#include <gtest/gtest.h>

namespace esox {
namespace {

Foretold with_schedules(size_t count, ThreadId thread) {
  Foretold foretold;
  for (size_t i = 0; i < count; ++i) {
    foretold.schedules.push_back({{thread, static_cast<uint32_t>(i + 1)}});
  }
  return foretold;
}

TEST(ForetoldTest, TheExecutionsAfterTheWatchedOnesHaveTheSchedulesInTurn) {
  const std::vector<Foretold> foretold = {with_schedules(2, 0), with_schedules(1, 1)};
  EXPECT_EQ(foretold_schedule(foretold, 1), nullptr);
  EXPECT_EQ(foretold_schedule(foretold, kWatched), nullptr);
  EXPECT_EQ(foretold_schedule(foretold, kWatched + 1), foretold[0].schedules.data());
  EXPECT_EQ(foretold_schedule(foretold, kWatched + 2), &foretold[0].schedules[1]);
  EXPECT_EQ(foretold_schedule(foretold, kWatched + 3), foretold[1].schedules.data());
  EXPECT_EQ(foretold_schedule(foretold, kWatched + 4), nullptr);
}

TEST(ForetoldTest, WhatBecameOfAScheduleIsCountedWithItsTrouble) {
  std::vector<Foretold> foretold = {with_schedules(2, 0), with_schedules(1, 1)};
  note_tried(foretold, kWatched, true);
  note_tried(foretold, kWatched + 2, false);
  note_tried(foretold, kWatched + 3, true);
  note_tried(foretold, kWatched + 4, true);
  EXPECT_EQ(foretold[0].tried, 1u);
  EXPECT_EQ(foretold[0].hits, 0u);
  EXPECT_EQ(foretold[1].tried, 1u);
  EXPECT_EQ(foretold[1].hits, 1u);
}

TEST(ForetoldTest, OppositeLockOrdersOfTwoExecutionsGiveATroubleAndAScheduleForEachFirstClient) {
  TroubleCollector collector(2);
  ExecutionRecord record;
  for (const ThreadId thread : {ThreadId{0}, ThreadId{1}}) {
    record.trace.clear();
    record.choices = {{0, thread, 0}};
    uint32_t point = 0;
    const uint64_t first = thread == 0 ? 0x100 : 0x200;
    const uint64_t second = thread == 0 ? 0x200 : 0x100;
    for (const auto& [kind, object] :
         {std::pair{OpKind::kMutexLock, first}, std::pair{OpKind::kMutexLock, second},
          std::pair{OpKind::kMutexUnlock, second}, std::pair{OpKind::kMutexUnlock, first}}) {
      ++point;
      record.trace.push_back({0x1000u + thread * 16u + point, object, 0, point, thread, kind, 0});
    }
    collector.add(record);
  }
  const std::vector<Foretold> foretold = foretell(collector, record, {"A", "B"});
  ASSERT_EQ(foretold.size(), 1u);
  EXPECT_EQ(foretold[0].schedules.size(), 2u);
  ASSERT_EQ(foretold[0].lines.size(), 3u);
  EXPECT_NE(foretold[0].lines[0].find("lock order"), std::string::npos);
}

}  // namespace
}  // namespace esox
