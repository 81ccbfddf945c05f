// SPDX-License-Identifier: Apache-2.0
// Delta debugging on sets whose answer is known.
#include "harness/findings/minimise/smallest_subset.h"

#include <gmock/gmock.h>

#include <algorithm>

namespace esox {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

StillDoes needs(const std::vector<size_t>& needed) {
  return [needed](const std::vector<size_t>& kept) {
    return std::includes(kept.begin(), kept.end(), needed.begin(), needed.end());
  };
}

TEST(SmallestSubset, KeepsWhatIsNeededAndNothingElse) {
  EXPECT_THAT(smallest_subset(100, needs({3, 57, 99})), ElementsAre(3, 57, 99));
  EXPECT_THAT(smallest_subset(3, needs({0, 1, 2})), ElementsAre(0, 1, 2));
  EXPECT_THAT(smallest_subset(7, needs({})), IsEmpty());
  EXPECT_THAT(smallest_subset(0, needs({})), IsEmpty());
  EXPECT_THAT(smallest_subset(1, needs({})), IsEmpty());
}

TEST(SmallestSubset, OneStaysWhereNoneIsNotAllowed) {
  size_t fewest = 10;
  const auto holds = [&](const std::vector<size_t>& kept) {
    fewest = std::min(fewest, kept.size());
    return true;
  };
  EXPECT_EQ(smallest_subset(10, holds, false).size(), 1u);
  EXPECT_EQ(fewest, 1u);
}

// Each needs the one before it: only the last may go.
TEST(SmallestSubset, TakesLaterOnesAwayFirst) {
  const auto chain = [](const std::vector<size_t>& kept) {
    for (size_t i = 0; i < kept.size(); ++i) {
      if (kept[i] != i) return false;
    }
    return kept.size() >= 2;
  };
  EXPECT_THAT(smallest_subset(9, chain), ElementsAre(0, 1));
}

TEST(SmallestSubset, AsksFewTimesWhereMostCanGo) {
  unsigned asked = 0;
  const StillDoes holds = needs({500});
  smallest_subset(1000, [&](const std::vector<size_t>& kept) {
    ++asked;
    return holds(kept);
  });
  EXPECT_LT(asked, 60u);
}

TEST(SmallestSubset, NothingSingleCanBeTakenFromTheResult) {
  // At least two of the even ones, and 5.
  const auto holds = [](const std::vector<size_t>& kept) {
    const auto even = std::count_if(kept.begin(), kept.end(), [](size_t i) { return i % 2 == 0; });
    return even >= 2 && std::find(kept.begin(), kept.end(), 5u) != kept.end();
  };
  const std::vector<size_t> result = smallest_subset(20, holds);
  EXPECT_TRUE(holds(result));
  for (const size_t one : result) {
    std::vector<size_t> fewer = result;
    std::erase(fewer, one);
    EXPECT_FALSE(holds(fewer));
  }
}

}  // namespace
}  // namespace esox
