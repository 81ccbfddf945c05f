// SPDX-License-Identifier: Apache-2.0
// The search for places, on models of a plain server that say at which holds it violates.
#include "harness/findings/reproduce/places.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace esox {
namespace {

using testing::ElementsAre;
using testing::SizeIs;
using At = HoldPlace::At;
using Until = HeldSegment::Until;

HeldSegment at_offset(ThreadId client, uint64_t offset, unsigned hit) {
  return {.client = client,
          .until = Until::kPlace,
          .place = HoldPlace{"", At::kCall, "mariadbd", offset},
          .hit = hit,
          .point = 7};
}

HeldSegment at_end(ThreadId client) {
  return {.client = client};
}

const Holds kStart = {at_offset(1, 0x20, 4), at_end(0), at_end(1)};
// Innermost first.
const StackFunctions kFunctions = {{7, {"my_rename", "mysql_rename_table", "dispatch_command"}}};

bool is_at(const HeldSegment& segment, const std::string& function, At at, unsigned hit) {
  return segment.place && segment.place->function == function && segment.place->at == at &&
         segment.hit == hit;
}

class Server {
 public:
  explicit Server(std::function<bool(const Holds&)> violates) : violates_(std::move(violates)) {}

  TryHolds within(unsigned most) {
    return
        [this, most](const Holds& holds, const RoundsWanted& wanted) -> std::optional<HoldRounds> {
          if (++trials == most) return std::nullopt;
          const unsigned violated = violates_(holds) ? wanted.rounds : 0;
          return HoldRounds{.rounds = wanted.rounds,
                            .violated = violated,
                            .held = violated == 0 ? wanted.rounds : 0,
                            .counts = std::vector<unsigned>(wanted.counted.functions.size(), 2)};
        };
  }

  unsigned trials = 0;

 private:
  std::function<bool(const Holds&)> violates_;
};

constexpr unsigned kMany = 10'000;

TEST(Places, AreHoistedToTheOutermostFunctionThatViolates) {
  Server server([](const Holds& holds) {
    return (holds[0].place->offset == 0x20 && holds[0].hit == 4) ||
           is_at(holds[0], "my_rename", At::kEntry, 2) ||
           is_at(holds[0], "mysql_rename_table", At::kReturn, 2);
  });
  const auto found = find_holds({kStart}, kFunctions, kSurely, server.within(kMany));
  ASSERT_TRUE(found);
  EXPECT_TRUE(is_at(found->holds[0], "mysql_rename_table", At::kReturn, 2));
  ASSERT_TRUE(found->control);
  EXPECT_TRUE(is_at((*found->control)[0], "mysql_rename_table", At::kReturn, 1));
}

TEST(Places, AreLookedForAtTheNextHitsAndStayWithoutANameThatViolates) {
  Server server(
      [](const Holds& holds) { return holds[0].place->offset == 0x20 && holds[0].hit == 6; });
  const auto found = find_holds({kStart}, kFunctions, kSurely, server.within(kMany));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->holds[0].hit, 6u);
  EXPECT_EQ(found->holds[0].place->offset, 0x20u);
}

TEST(Places, ByNameAloneAreFoundWhereTheRecordedOneIsNeverReached) {
  Server server([](const Holds& holds) { return is_at(holds[0], "my_rename", At::kEntry, 3); });
  const auto found = find_holds({kStart}, kFunctions, kSurely, server.within(kMany));
  ASSERT_TRUE(found);
  EXPECT_TRUE(is_at(found->holds[0], "my_rename", At::kEntry, 3));
}

TEST(Places, OfTwoHoldsAreTriedTogether) {
  const Holds start = {at_offset(1, 0x20, 2), at_offset(0, 0x20, 2), at_end(1), at_end(0)};
  Server server([](const Holds& holds) { return holds[0].hit == 1 && holds[1].hit == 3; });
  const auto found = find_holds({start}, {}, kSurely, server.within(kMany));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->holds[0].hit, 1u);
  EXPECT_EQ(found->holds[1].hit, 3u);
}

TEST(Places, WithinALaterRequestAreLeftOutWhereSendingItLaterDoes) {
  Holds start = {at_offset(0, 0x20, 1), at_end(1), at_end(0)};
  start[0].request = start[2].request = 2;
  const auto after_the_first = [](const Holds& holds) {
    return holds[0].client == 0 && (holds[0].place ? holds[0].hit == 1 : holds[0].request == 1);
  };
  const auto found = find_holds({start}, {}, kSurely, Server(after_the_first).within(kMany));
  ASSERT_TRUE(found);
  EXPECT_FALSE(found->holds[0].place);
  EXPECT_EQ(found->holds[0].request, 1u);
  EXPECT_EQ(found->holds[0].until, Until::kEnd);
  const auto within = [](const Holds& holds) { return holds[0].place && holds[0].hit == 1; };
  const auto held = find_holds({start}, {}, kSurely, Server(within).within(kMany));
  ASSERT_TRUE(held);
  EXPECT_TRUE(held->holds[0].place);
}

TEST(Places, WhereAWaitEndsAreLeftOutUnlessTheyAreNeeded) {
  Holds start = {at_offset(0, 0x30, 1), at_offset(1, 0x20, 1), at_end(0), at_end(1)};
  start[0].until = Until::kBlocked;
  const auto needs_the_other = [](const Holds& holds) {
    return std::any_of(holds.begin(), holds.end(),
                       [](const HeldSegment& held) { return held.client == 1 && held.place; });
  };
  const auto found = find_holds({start}, {}, kSurely, Server(needs_the_other).within(kMany));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->holds[0].until, Until::kBlocked);
  EXPECT_FALSE(found->holds[0].place);
  const auto needs_both = [&](const Holds& holds) {
    return needs_the_other(holds) && holds[0].client == 0 && holds[0].place;
  };
  const auto kept = find_holds({start}, {}, kSurely, Server(needs_both).within(kMany));
  ASSERT_TRUE(kept);
  EXPECT_TRUE(kept->holds[0].place);
}

TEST(Places, ThatAreNotNeededAreLeftOut) {
  const Holds start = {at_offset(1, 0x30, 1), at_offset(0, 0x20, 2), at_end(1), at_end(0)};
  Server server([](const Holds& holds) {
    return std::any_of(holds.begin(), holds.end(), [](const HeldSegment& held) {
      return held.place && held.place->offset == 0x20 && held.hit == 2;
    });
  });
  const auto found = find_holds({start}, {}, kSurely, server.within(kMany));
  ASSERT_TRUE(found);
  ASSERT_THAT(found->holds, SizeIs(3));
  EXPECT_EQ(found->holds[0].client, 0);
  EXPECT_EQ(found->holds[1].client, 1);
}

TEST(Places, ThatViolateInSomeRoundsOnlyAreNone) {
  Server server([](const Holds&) { return false; });
  const TryHolds never = server.within(kMany);
  const auto sometimes = [&](const Holds& holds, const RoundsWanted& wanted) {
    std::optional<HoldRounds> tried = never(holds, wanted);
    tried->violated = wanted.rounds - 1;
    return tried;
  };
  EXPECT_FALSE(find_holds({kStart}, kFunctions, kSurely, sometimes));
}

TEST(Places, ASpentBudgetEndsTheSearchWhereverItIs) {
  for (unsigned most = 1; most < 20; ++most) {
    Server server([](const Holds&) { return false; });
    EXPECT_FALSE(find_holds({kStart}, kFunctions, kSurely, server.within(most)));
  }
}

TEST(Places, FunctionsOfAStackAreThoseWithNamesEachOnce) {
  EXPECT_THAT(functions_on({"mariadbd+0x81c20", "my_rename+0x2f (my_rename.c:37)", "A::b+0x1",
                            "A::b+0x9", "0x7f00deadbeef"},
                           {"mariadbd", "libc.so.6"}),
              ElementsAre("my_rename", "A::b"));
  EXPECT_THAT(functions_on(std::vector<std::string>(3, "f+0x1"), {}), SizeIs(1));
}

}  // namespace
}  // namespace esox
