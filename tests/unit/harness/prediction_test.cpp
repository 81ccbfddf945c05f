// SPDX-License-Identifier: Apache-2.0
// Which executions try what was predictions.
#include "harness/search/prediction.h"

#include <gtest/gtest.h>

namespace esox {
namespace {

Prediction with_schedules(size_t count, ThreadId thread) {
  Prediction predictions;
  for (size_t i = 0; i < count; ++i) {
    predictions.schedules.push_back({{thread, static_cast<uint32_t>(i + 1)}});
  }
  return predictions;
}

TEST(PredictionTest, TheExecutionsAfterTheWatchedOnesHaveTheSchedulesInTurn) {
  const std::vector<Prediction> predictions = {with_schedules(2, 0), with_schedules(1, 1)};
  EXPECT_EQ(predicted_schedule(predictions, 1), nullptr);
  EXPECT_EQ(predicted_schedule(predictions, kWatched), nullptr);
  EXPECT_EQ(predicted_schedule(predictions, kWatched + 1), predictions[0].schedules.data());
  EXPECT_EQ(predicted_schedule(predictions, kWatched + 2), &predictions[0].schedules[1]);
  EXPECT_EQ(predicted_schedule(predictions, kWatched + 3), predictions[1].schedules.data());
  EXPECT_EQ(predicted_schedule(predictions, kWatched + 4), nullptr);
}

TEST(PredictionTest, WhatBecameOfAScheduleIsCountedWithItsTrouble) {
  std::vector<Prediction> predictions = {with_schedules(2, 0), with_schedules(1, 1)};
  note_tried(predictions, kWatched, true);
  note_tried(predictions, kWatched + 2, false);
  note_tried(predictions, kWatched + 3, true);
  note_tried(predictions, kWatched + 4, true);
  EXPECT_EQ(predictions[0].tried, 1u);
  EXPECT_EQ(predictions[0].hits, 0u);
  EXPECT_EQ(predictions[1].tried, 1u);
  EXPECT_EQ(predictions[1].hits, 1u);
}

TEST(PredictionTest, OppositeLockOrdersOfTwoExecutionsGiveATroubleAndAScheduleForEachFirstClient) {
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
  const std::vector<Prediction> predictions = predict(collector, record, {"A", "B"});
  ASSERT_EQ(predictions.size(), 1u);
  EXPECT_EQ(predictions[0].schedules.size(), 2u);
  ASSERT_EQ(predictions[0].lines.size(), 3u);
  EXPECT_NE(predictions[0].lines[0].find("lock order"), std::string::npos);
}

}  // namespace
}  // namespace esox
