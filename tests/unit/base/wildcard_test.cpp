// SPDX-License-Identifier: Apache-2.0
#include "base/text/wildcard.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

namespace esox {
namespace {

TEST(Wildcard, AStarStandsForAnyNumberOfCharacters) {
  EXPECT_TRUE(matches("rows:*", "rows:test/t1"));
  EXPECT_TRUE(matches("rows:*", "rows:"));
  EXPECT_TRUE(matches("*:*/t1", "index:test/t1"));
  EXPECT_TRUE(matches("", ""));
  EXPECT_TRUE(matches("**", ""));
  EXPECT_FALSE(matches("", "a"));
  EXPECT_FALSE(matches("rows:*", "rows"));
  EXPECT_FALSE(matches("a*b*c", "acb"));
}

// A name without stars has itself alone in common with anything.
TEST(Wildcard, MatchesWhatItHasInCommonWithAName) {
  std::mt19937 random(1);
  const auto text = [&](const char* letters, size_t count) {
    std::string made;
    for (size_t length = random() % 9; made.size() < length;) made += letters[random() % count];
    return made;
  };
  size_t matched = 0;
  for (int i = 0; i < 20'000; ++i) {
    const std::string wildcard = text("ab*", 3);
    const std::string name = text("ab", 2);
    EXPECT_EQ(matches(wildcard, name), overlap(wildcard, name)) << wildcard << " and " << name;
    matched += matches(wildcard, name) ? 1 : 0;
  }
  EXPECT_GT(matched, 1'000u);
}

}  // namespace
}  // namespace esox
