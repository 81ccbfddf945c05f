// SPDX-License-Identifier: Apache-2.0
// Whose turn it is to be tried again.
#include "harness/nights/night/recheck.h"

#include <gmock/gmock.h>

#include <map>

namespace esox {
namespace {

TEST(RecheckTurns, ThoseThatWereGoneAndMetLatelyComeFirstAndNobodyWaitsForEver) {
  std::vector<RecheckCandidate> candidates;
  for (size_t i = 0; i < 30; ++i) {
    candidates.push_back({i < 10   ? RecheckKind::kOther
                          : i < 20 ? RecheckKind::kMetLately
                                   : RecheckKind::kGone,
                          "", i});
  }
  std::map<size_t, unsigned> last;
  for (unsigned night = 1; night <= 30; ++night) {
    for (RecheckCandidate& one : candidates) {
      one.last_tried = last.contains(one.number) ? std::to_string(100 + last[one.number]) : "";
    }
    const std::vector<RecheckCandidate> order = in_turn(candidates);
    ASSERT_EQ(order.size(), candidates.size());
    EXPECT_EQ(order[0].kind, RecheckKind::kGone);
    EXPECT_EQ(order[1].kind, RecheckKind::kMetLately);
    for (size_t i = 0; i < 5; ++i) last[order[i].number] = night;  // as many as the budget allows
  }
  for (const RecheckCandidate& one : candidates) {
    ASSERT_TRUE(last.contains(one.number));
    const unsigned longest = one.kind == RecheckKind::kOther ? 10 : 5;
    EXPECT_GT(last[one.number] + longest, 30u) << one.number;
  }
}

TEST(RecheckTurns, AKindThatIsAloneHasAllTurns) {
  std::vector<RecheckCandidate> candidates(7);
  EXPECT_EQ(in_turn(candidates).size(), 7u);
  EXPECT_TRUE(in_turn({}).empty());
}

TEST(RecheckResults, OnlyWhatWasTriedTells) {
  EXPECT_TRUE(came(recheck_name(RecheckResult::kRealigned)));
  EXPECT_TRUE(came(recheck_name(RecheckResult::kToTheLetter)));
  EXPECT_FALSE(came(recheck_name(RecheckResult::kNotReproduced)));
  EXPECT_TRUE(has_told(recheck_name(RecheckResult::kNotReproduced)));
  EXPECT_FALSE(has_told(recheck_name(RecheckResult::kCannotTell)));
}

}  // namespace
}  // namespace esox
