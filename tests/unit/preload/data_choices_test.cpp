// SPDX-License-Identifier: Apache-2.0
// Data choices: drawn with the stated probabilities from the seed alone, and followed to the
// letter.
#include "preload/scheduler/data_choices.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace esox {
namespace {

using testing::ElementsAre;

constexpr DataChoiceKind kTaken[] = {DataChoiceKind::kSpuriousWake, DataChoiceKind::kEarlyTimeout,
                                     DataChoiceKind::kTryFails,     DataChoiceKind::kShortStream,
                                     DataChoiceKind::kShortFile,    DataChoiceKind::kInterrupted,
                                     DataChoiceKind::kStartPoint};

DataChoiceModes all(DataChoiceMode mode) {
  return {mode, mode, mode, mode, mode, mode, mode, mode};
}

// Which of the first `count` opportunities of the thread were taken, as recorded values.
std::vector<uint64_t> taken(DataChoices& choices, DataChoiceKind kind, ThreadId thread,
                            uint32_t count) {
  std::vector<uint64_t> values;
  for (uint32_t i = 0; i < count; ++i) {
    DataChoice choice;
    if (choices.take(kind, thread, &choice)) values.push_back(value_of(choice));
  }
  return values;
}

std::vector<uint64_t> drawn(const DataChoiceModes& modes, uint64_t seed, DataChoiceKind kind,
                            ThreadId thread, uint32_t count) {
  DataChoices choices;
  choices.begin(modes, seed, {});
  return taken(choices, kind, thread, count);
}

// Four standard deviations.
void expect_share(uint64_t hits, uint64_t of, double share) {
  const double deviation = std::sqrt(share * (1 - share) / static_cast<double>(of));
  EXPECT_NEAR(static_cast<double>(hits) / static_cast<double>(of), share, 4 * deviation);
}

TEST(DataChoices, ComeAsOftenAsTheirModeSays) {
  constexpr uint32_t kCount = 200'000;
  for (const DataChoiceKind kind : kTaken) {
    expect_share(drawn(all(DataChoiceMode::kOn), 1, kind, 0, kCount).size(), kCount, 1.0 / kOnOdds);
    const double rare = kind == DataChoiceKind::kShortFile ? 0 : 1.0 / kRareOdds;
    expect_share(drawn(all(DataChoiceMode::kRare), 1, kind, 0, kCount).size(), kCount, rare);
    EXPECT_TRUE(drawn(all(DataChoiceMode::kOff), 1, kind, 0, 1000).empty());
  }
}

TEST(DataChoices, ComeAsOftenOverManySeedsAtOneOpportunity) {
  uint64_t hits = 0;
  for (uint64_t seed = 0; seed < 100'000; ++seed) {
    hits += drawn(all(DataChoiceMode::kRare), seed, DataChoiceKind::kSpuriousWake, 2, 1).size();
  }
  expect_share(hits, 100'000, 1.0 / kRareOdds);
}

TEST(DataChoices, ChooseAmongTheWaitersAsTheModeSays) {
  DataChoices choices;
  const auto chosen = [&choices](DataChoiceMode mode) {
    DataChoiceModes modes;
    modes.signal = mode;
    choices.begin(modes, 5, {});
    uint64_t count = 0;
    for (int i = 0; i < 100'000; ++i) count += choices.chooses_waiter(1);
    return count;
  };
  EXPECT_EQ(chosen(DataChoiceMode::kOn), 100'000u);
  EXPECT_EQ(chosen(DataChoiceMode::kOff), 0u);
  expect_share(chosen(DataChoiceMode::kRare), 100'000, 1.0 / kRareOdds);
}

TEST(DataChoices, AreTheSameForTheSameSeedWhateverElseIsAsked) {
  DataChoiceModes one;
  one.trylock = DataChoiceMode::kRare;
  DataChoices alone;
  alone.begin(one, 9, {});
  DataChoices among;
  among.begin(all(DataChoiceMode::kRare), 9, {});
  std::vector<uint64_t> wanted = taken(alone, DataChoiceKind::kTryFails, 3, 500);
  ASSERT_FALSE(wanted.empty());
  std::vector<uint64_t> got;
  for (uint32_t i = 0; i < 500; ++i) {
    taken(among, DataChoiceKind::kSpuriousWake, 3, 2);
    taken(among, DataChoiceKind::kTryFails, 1, 1);
    for (const uint64_t value : taken(among, DataChoiceKind::kTryFails, 3, 1)) got.push_back(value);
  }
  EXPECT_EQ(got, wanted);
  EXPECT_NE(drawn(one, 10, DataChoiceKind::kTryFails, 3, 500), wanted);
}

TEST(DataChoices, MoveOneByteHalfOrAllButOneEquallyOften) {
  constexpr uint32_t kCount = 60'000;
  uint64_t variants[kShortTransfers] = {};
  uint64_t whole = 0;
  for (const uint64_t value :
       drawn(all(DataChoiceMode::kOn), 3, DataChoiceKind::kShortStream, 0, kCount)) {
    ++variants[choice_of_value(value).variant];
    ++whole;
  }
  for (const uint64_t variant : variants) expect_share(variant, whole, 1.0 / kShortTransfers);
}

TEST(DataChoices, AreFollowedToTheLetterWithoutAnyMode) {
  std::vector<uint64_t> record =
      drawn(all(DataChoiceMode::kOn), 7, DataChoiceKind::kShortStream, 2, 100);
  for (const uint64_t value :
       drawn(all(DataChoiceMode::kRare), 7, DataChoiceKind::kEarlyTimeout, 5, 300)) {
    record.push_back(value);
  }
  std::vector<uint64_t> tape = record;
  DataChoices replay;
  EXPECT_EQ(replay.begin({}, 99, tape), 0u);
  EXPECT_EQ(replay.unreached(), record.size());
  std::vector<uint64_t> got = taken(replay, DataChoiceKind::kShortStream, 2, 100);
  EXPECT_TRUE(taken(replay, DataChoiceKind::kShortStream, 1, 100).empty());
  for (const uint64_t value : taken(replay, DataChoiceKind::kEarlyTimeout, 5, 300)) {
    got.push_back(value);
  }
  EXPECT_EQ(got, record);
  EXPECT_EQ(replay.unreached(), 0u);
  EXPECT_FALSE(replay.active(DataChoiceKind::kSpuriousWake));
}

TEST(DataChoices, ThatWereRecordedAmongChoicesOfWaitersAreSetApart) {
  const uint64_t wake = value_of({DataChoiceKind::kSpuriousWake, 0, 1, 0});
  const uint64_t again = value_of({DataChoiceKind::kSpuriousWake, 0, 1, 4});
  std::vector<uint64_t> tape = {3, wake, 0, 2, again, 1};
  DataChoices replay;
  EXPECT_EQ(replay.begin({}, 1, tape), 4u);
  EXPECT_THAT(tape, ElementsAre(3, 0, 2, 1, wake, again));
  EXPECT_EQ(replay.begin({}, 1, tape), 4u) << "a second execution of the same tape";
  EXPECT_THAT(tape, ElementsAre(3, 0, 2, 1, wake, again));
  EXPECT_EQ(taken(replay, DataChoiceKind::kSpuriousWake, 1, 3).size(), 1u);
  EXPECT_EQ(replay.unreached(), 1u) << "its opportunity has not come";
}

TEST(DataChoices, ReadAnyValuesWithoutHarm) {
  std::vector<uint64_t> tape = {UINT64_MAX, uint64_t{200} << 56,
                                uint64_t{3} << 56 | 0xffffull << 32};
  DataChoices replay;
  EXPECT_EQ(replay.begin({}, 1, tape), 0u);
  EXPECT_TRUE(taken(replay, DataChoiceKind::kTryFails, 0, 10).empty());
  DataChoice choice;
  EXPECT_FALSE(replay.take(DataChoiceKind::kTryFails, kNoThread, &choice));
  EXPECT_EQ(replay.unreached(), 3u);
}

TEST(DataChoices, SurviveBeingWrittenDown) {
  const DataChoice choice{DataChoiceKind::kShortFile, 2, 127, UINT32_MAX};
  const DataChoice read = choice_of_value(value_of(choice));
  EXPECT_EQ(read.kind, choice.kind);
  EXPECT_EQ(read.variant, choice.variant);
  EXPECT_EQ(read.thread, choice.thread);
  EXPECT_EQ(read.ordinal, choice.ordinal);
  EXPECT_TRUE(is_taken_choice(value_of(choice)));
  EXPECT_FALSE(is_taken_choice(kMaxSlots)) << "a choice among waiters";
}

}  // namespace
}  // namespace esox
