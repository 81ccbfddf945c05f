// SPDX-License-Identifier: Apache-2.0
// What was recorded is found again where operations were added, taken away or changed.
#include "harness/findings/replay/alignment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace esox {
namespace {

// One letter is one operation: lower case locks in a function of that name, upper case the same
// lock at another place of that function, a digit the same kind in a function without a like.
std::vector<uint32_t> add(Operations& to, const std::string& letters) {
  std::vector<uint32_t> list;
  for (const char letter : letters) {
    const char lower = static_cast<char>(letter | 0x20);
    OperationName name;
    name.kind = lower == 'w' ? OpKind::kFileWrite : OpKind::kMutexLock;
    name.function = std::string(1, lower);
    name.site = name.function + (letter == lower ? "+0x10" : "+0x20");
    list.push_back(static_cast<uint32_t>(to.names.size()));
    to.names.push_back(name);
  }
  return list;
}

Alignment aligned(const std::string& recorded, const std::string& now) {
  Operations before;
  Operations after;
  const std::vector<uint32_t> a = add(before, recorded);
  const std::vector<uint32_t> b = add(after, now);
  return align(a, b, LikenessTable(before, after));
}

TEST(Alignment, TheSameIsFoundAtItsOwnPlaceWhateverFollows) {
  const Alignment same = aligned("abcab", "abcabcabwww");
  EXPECT_TRUE(same.found);
  EXPECT_EQ(same.length, 5u);
  EXPECT_EQ(same.places, 0u);
}

TEST(Alignment, AddedOperationsMoveThePlace) {
  const Alignment moved = aligned("abcd", "awwbcwdxx");
  EXPECT_TRUE(moved.found);
  EXPECT_EQ(moved.length, 7u);
  EXPECT_EQ(moved.added, 3u);
  EXPECT_EQ(moved.places, 2u);
  EXPECT_EQ(moved.missing, 0u);
}

TEST(Alignment, OperationsThatAreGoneAreLeftOut) {
  const Alignment moved = aligned("awwbcd", "abcdxx");
  EXPECT_TRUE(moved.found);
  EXPECT_EQ(moved.length, 4u);
  EXPECT_EQ(moved.missing, 2u);
}

TEST(Alignment, AnotherPlaceInTheSameFunctionIsTheSameOperation) {
  const Alignment moved = aligned("abc", "wABC");
  EXPECT_TRUE(moved.found);
  EXPECT_EQ(moved.length, 4u);
  EXPECT_EQ(moved.added, 1u);
}

TEST(Alignment, ALastOperationThatIsGoneLeavesItsPlace) {
  const Alignment moved = aligned("abw", "abcd");
  EXPECT_FALSE(moved.found);
  EXPECT_EQ(moved.length, 2u);
  EXPECT_EQ(moved.missing, 1u);
}

TEST(Alignment, ARepeatedOperationIsFoundByWhatStandsBeforeIt) {
  const Alignment moved = aligned("aabaab", "aawbaawbaab");
  EXPECT_TRUE(moved.found);
  EXPECT_EQ(moved.length, 8u);
}

TEST(Alignment, NothingIsNowhere) {
  EXPECT_EQ(aligned("", "abc").length, 0u);
  EXPECT_FALSE(aligned("abc", "").found);
  EXPECT_EQ(aligned("abc", "").missing, 3u);
}

TEST(Alignment, LongListsAreAlignedInWindows) {
  std::string recorded;
  std::string now;
  for (int i = 0; i < 12'000; ++i) {
    const char letter = static_cast<char>('a' + i * i % 19);
    recorded += letter;
    if (i % 100 == 50) now += 'w';
    now += letter;
  }
  // The table grows with the square of the names: give each letter its number once.
  Operations names;
  std::vector<uint32_t> a;
  std::vector<uint32_t> b;
  const std::string letters = "abcdefghijklmnopqrstw";
  add(names, letters);
  for (const char letter : recorded) a.push_back(static_cast<uint32_t>(letters.find(letter)));
  for (const char letter : now) b.push_back(static_cast<uint32_t>(letters.find(letter)));
  const Alignment moved = align(a, b, LikenessTable(names, names));
  EXPECT_TRUE(moved.found);
  EXPECT_EQ(moved.length, now.size());
  EXPECT_EQ(moved.added, 120u);
  EXPECT_EQ(moved.missing, 0u);
}

}  // namespace
}  // namespace esox
