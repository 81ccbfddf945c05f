// SPDX-License-Identifier: Apache-2.0
// Which accesses conflict: against the definition, and within bounds.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <set>
#include <vector>

#include "preload/accesses/shadow.h"

namespace esox {
namespace {

using testing::IsEmpty;
using testing::UnorderedElementsAre;

constexpr uint64_t kWord = 0x7f0000001000;

struct Access {
  ThreadId thread;
  uint64_t address;
  uint64_t bytes;
  bool writes;
  uint64_t site;
};

class AccessShadowTest : public testing::Test {
 protected:
  void SetUp() override { shadow_->begin(); }

  void note(const Access& one) {
    shadow_->note(one.thread, one.address, one.bytes, one.writes, one.site,
                  [&](uint64_t site) { found_.insert(site); });
  }

  std::unique_ptr<AccessShadow> shadow_ = std::make_unique<AccessShadow>();
  std::set<uint64_t> found_;
};

TEST_F(AccessShadowTest, FindsBothSitesOfAWriteAndAReadByTwoThreads) {
  note({0, kWord, 4, true, 100});
  EXPECT_THAT(found_, IsEmpty());
  note({1, kWord, 4, false, 200});
  EXPECT_THAT(found_, UnorderedElementsAre(100, 200));
}

TEST_F(AccessShadowTest, FindsThemInTheOtherOrderToo) {
  note({1, kWord, 4, false, 200});
  note({0, kWord, 4, true, 100});
  EXPECT_THAT(found_, UnorderedElementsAre(100, 200));
}

TEST_F(AccessShadowTest, IsSilentAboutReadsOnly) {
  note({0, kWord, 8, false, 100});
  note({1, kWord, 8, false, 200});
  EXPECT_THAT(found_, IsEmpty());
}

TEST_F(AccessShadowTest, IsSilentAboutOneThread) {
  note({0, kWord, 8, true, 100});
  note({0, kWord, 8, true, 200});
  EXPECT_THAT(found_, IsEmpty());
}

TEST_F(AccessShadowTest, IsSilentAboutNeighboursWithinAWord) {
  note({0, kWord, 4, true, 100});
  note({1, kWord + 4, 4, true, 200});
  EXPECT_THAT(found_, IsEmpty());
}

TEST_F(AccessShadowTest, FindsWhatOverlapsAcrossWords) {
  note({0, kWord + 6, 4, true, 100});
  note({1, kWord + 9, 1, false, 200});
  EXPECT_THAT(found_, UnorderedElementsAre(100, 200));
}

TEST_F(AccessShadowTest, RemembersSeveralSitesOfOneThread) {
  note({0, kWord, 8, true, 100});
  note({0, kWord, 8, false, 101});
  note({0, kWord, 8, true, 102});
  note({1, kWord, 8, false, 200});
  EXPECT_THAT(found_, UnorderedElementsAre(100, 102, 200));
}

TEST_F(AccessShadowTest, LooksAtTheFirstWordsOfALargeAccessOnly) {
  const uint64_t seen = AccessShadow::kMostWords * 8;
  note({0, kWord, uint64_t{1} << 40, true, 100});
  note({1, kWord + seen, 8, true, 200});
  EXPECT_THAT(found_, IsEmpty());
  note({1, kWord + seen - 8, 8, true, 300});
  EXPECT_THAT(found_, UnorderedElementsAre(100, 300));
}

TEST_F(AccessShadowTest, ForgetsEverythingAtANewExecution) {
  note({0, kWord, 8, true, 100});
  shadow_->begin();
  note({1, kWord, 8, true, 200});
  EXPECT_THAT(found_, IsEmpty());
}

TEST_F(AccessShadowTest, CountsWhatItForgetsForWantOfRoom) {
  for (uint64_t word = 0; word < 3 * AccessShadow::kLines; ++word) {
    note({0, kWord + 8 * word, 8, true, 100});
  }
  EXPECT_GE(shadow_->forgotten(), 2 * AccessShadow::kLines);
  shadow_->begin();
  EXPECT_EQ(shadow_->forgotten(), 0u);
}

bool conflict(const Access& a, const Access& b) {
  return a.thread != b.thread && (a.writes || b.writes) && a.address < b.address + b.bytes &&
         b.address < a.address + a.bytes;
}

// While no word has more accesses than fit, the sites are exactly those of the definition.
TEST_F(AccessShadowTest, AgreesWithTheDefinition) {
  std::mt19937_64 random(7);
  for (int round = 0; round < 300; ++round) {
    shadow_->begin();
    found_.clear();
    std::vector<Access> accesses;
    std::set<uint64_t> expected;
    for (uint64_t i = 0; i < AccessShadow::kCells; ++i) {
      const Access one{static_cast<ThreadId>(random() % 3), kWord + random() % 24,
                       uint64_t{1} << (random() % 5), random() % 2 == 0, 100 + i};
      note(one);
      for (const Access& other : accesses) {
        if (!conflict(one, other)) continue;
        expected.insert(one.site);
        expected.insert(other.site);
      }
      accesses.push_back(one);
    }
    ASSERT_EQ(found_, expected) << "round " << round;
  }
}

}  // namespace
}  // namespace esox
