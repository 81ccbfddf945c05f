// SPDX-License-Identifier: Apache-2.0
// Which schedules are kept as exemplars, and what is made of them.
#include "harness/search/variation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

namespace esox {
namespace {

constexpr uint32_t kLength = 100;  // points of each of two threads

// Threads 0 and 1 take turns after so many points each, to the end.
ExecutionRecord taking_turns(uint32_t each) {
  ExecutionRecord record;
  ThreadId thread = 0;
  for (uint32_t point = 0; point < 2 * kLength; point += each) {
    record.choices.push_back({point, thread, 0});
    thread = static_cast<ThreadId>(1 - thread);
  }
  record.values = {each};
  return record;
}

constexpr uint64_t kPoints = 2 * kLength + 1;

std::vector<Exemplar> one_exemplar(uint32_t each = 50) {
  std::vector<Exemplar> exemplars;
  note_exemplar(exemplars, 7, false, taking_turns(each), kPoints);
  return exemplars;
}

TEST(Exemplars, AreThePlainestSchedulesOfEachOutcome) {
  std::vector<Exemplar> exemplars = one_exemplar(20);
  note_exemplar(exemplars, 7, true, taking_turns(50), kPoints);
  note_exemplar(exemplars, 7, false, taking_turns(10), kPoints);
  note_exemplar(exemplars, 8, false, taking_turns(10), kPoints);
  ASSERT_EQ(exemplars.size(), 2u);
  EXPECT_EQ(exemplars[0].outcome, 7u);
  EXPECT_EQ(exemplars[0].met, 3u);
  EXPECT_TRUE(exemplars[0].violation);
  EXPECT_EQ(switch_count(exemplars[0].schedule), 3u);
  EXPECT_EQ(exemplars[0].values, std::vector<uint64_t>{50});
  EXPECT_EQ(exemplars[1].met, 1u);
  EXPECT_FALSE(exemplars[1].violation);
}

// A change may leave a schedule of one segment without any, and be followed by another change.
TEST(Variants, OfASingleSegmentGiveEveryThreadItsTurn) {
  ExecutionRecord record;
  record.choices = {{0, 1, 0}};
  std::vector<Exemplar> exemplars;
  note_exemplar(exemplars, 7, false, record, kLength);
  ASSERT_EQ(exemplars.size(), 1u);
  for (uint64_t seed = 0; seed < 20'000; ++seed) {
    const Schedule schedule = vary(exemplars, seed).schedule;
    ASSERT_FALSE(schedule.empty()) << seed;
    ASSERT_EQ(schedule.back().until, kToTheEnd) << seed;
  }
}

TEST(Exemplars, KnowHowLongTheirThreadsAre) {
  const std::vector<Exemplar> exemplars = one_exemplar();
  using Lengths = std::vector<std::pair<ThreadId, uint32_t>>;
  EXPECT_EQ(exemplars[0].lengths, (Lengths{{0, kLength}, {1, kLength}}));
}

TEST(Exemplars, AreFewAndTheLeastWorthGoesFirst) {
  std::vector<Exemplar> exemplars;
  note_exemplar(exemplars, 1'000, true, taking_turns(50), kPoints);
  for (int i = 0; i < 9; ++i) {
    note_exemplar(exemplars, 2'000, false, taking_turns(50), kPoints);
  }
  for (uint64_t outcome = 0; outcome < kMostExemplars; ++outcome) {
    note_exemplar(exemplars, outcome, false, taking_turns(50), kPoints);
  }
  EXPECT_EQ(exemplars.size(), kMostExemplars);
  const auto has = [&](uint64_t outcome) {
    return std::any_of(exemplars.begin(), exemplars.end(),
                       [&](const Exemplar& one) { return one.outcome == outcome; });
  };
  EXPECT_TRUE(has(1'000)) << "the violation stays";
  EXPECT_FALSE(has(2'000)) << "what is met all the time goes";
}

TEST(Exemplars, AreNotMadeOfSchedulesThatSwitchAllTheTime) {
  ExecutionRecord polling;
  for (uint32_t point = 0; point < 2 * kMostExemplarSwitches; ++point) {
    polling.choices.push_back({point, static_cast<ThreadId>(point % 2), 0});
  }
  std::vector<Exemplar> exemplars;
  note_exemplar(exemplars, 1, true, polling, kPoints);
  EXPECT_TRUE(exemplars.empty());
}

TEST(ExemplarShares, FavourWhatIsRareAndWhatIsWrong) {
  std::vector<Exemplar> exemplars = one_exemplar();
  for (int i = 0; i < 15; ++i) note_exemplar(exemplars, 7, false, taking_turns(50), kPoints);
  note_exemplar(exemplars, 8, false, taking_turns(50), kPoints);
  note_exemplar(exemplars, 9, true, taking_turns(50), kPoints);
  const std::vector<double> shares = exemplar_shares(exemplars);
  EXPECT_NEAR(std::accumulate(shares.begin(), shares.end(), 0.0), 1, 1e-9);
  EXPECT_NEAR(shares[1] / shares[0], 4, 1e-9) << "16 times against once";
  EXPECT_GT(shares[2], shares[1]);
}

TEST(Variants, AreTheSameForTheSameSeed) {
  const std::vector<Exemplar> exemplars = one_exemplar();
  for (uint64_t seed = 0; seed < 200; ++seed) {
    const Variant variant = vary(exemplars, seed);
    EXPECT_EQ(variant.schedule, vary(exemplars, seed).schedule);
    EXPECT_EQ(variant.values, exemplars[0].values);
  }
}

TEST(Variants, BringEveryThreadToItsEndAndNeverGoBack) {
  const std::vector<Exemplar> exemplars = one_exemplar(20);
  for (uint64_t seed = 0; seed < 5'000; ++seed) {
    std::map<ThreadId, uint32_t> passed;
    const Schedule schedule = vary(exemplars, seed).schedule;
    for (const Segment& segment : schedule) {
      ASSERT_LT(segment.thread, 2) << "only threads that there are";
      ASSERT_GT(segment.until, passed[segment.thread]) << "seed " << seed;
      passed[segment.thread] = segment.until;
    }
    ASSERT_EQ(passed.size(), 2u);
    for (const auto& [thread, until] : passed) ASSERT_EQ(until, kToTheEnd);
  }
}

// The first switch of A runs 50, B runs 50, ... comes to lie at every point of A, near ones more
// often than far ones.
TEST(Variants, MoveASwitchToEveryPlaceAndMostlyNotFar) {
  const std::vector<Exemplar> exemplars = one_exemplar();
  std::map<uint32_t, int> ends;
  for (uint64_t seed = 0; seed < 60'000; ++seed) {
    const Schedule schedule = vary(exemplars, seed).schedule;
    if (schedule.size() == 4 && schedule[0].thread == 0) ++ends[schedule[0].until];
  }
  for (uint32_t end = 1; end < kLength; ++end) EXPECT_GT(ends[end], 0) << end;
  EXPECT_GT(ends[49] + ends[51], 4 * (ends[20] + ends[80]));
}

TEST(Variants, DropAndAddSwitches) {
  const std::vector<Exemplar> exemplars = one_exemplar();
  std::set<size_t> switches;
  for (uint64_t seed = 0; seed < 1'000; ++seed) {
    switches.insert(switch_count(vary(exemplars, seed).schedule));
  }
  for (const size_t count : {1u, 2u, 3u, 5u, 7u}) EXPECT_TRUE(switches.contains(count)) << count;
}

// A schedule of one thread has no other to let in.
TEST(Variants, OfASingleThreadAreItself) {
  ExecutionRecord record;
  record.choices = {{0, 3, 0}};
  std::vector<Exemplar> exemplars;
  note_exemplar(exemplars, 1, false, record, 50);
  for (uint64_t seed = 0; seed < 100; ++seed) {
    const Schedule schedule = vary(exemplars, seed).schedule;
    for (const Segment& segment : schedule) EXPECT_EQ(segment.thread, 3);
  }
}

}  // namespace
}  // namespace esox
