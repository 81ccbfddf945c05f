// SPDX-License-Identifier: Apache-2.0
#include "harness/records/triage/grouping.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

namespace esox {
namespace {

using testing::ElementsAre;
using Names = std::set<std::string>;

GroupMember member(const std::string& id, const std::vector<std::string>& keys,
                   const std::string& hunt = "h", const std::string& started = "1") {
  return {hunt, started, {hunt, id}, keys};
}

// The findings as sets of ids, each with the name it has first.
std::vector<std::pair<std::string, Names>> findings(const Grouping& grouping) {
  std::vector<std::pair<std::string, Names>> all;
  for (const Group& group : grouping.groups) {
    Names names;
    for (const size_t place : group.members) names.insert(grouping.order[place].key.id);
    all.emplace_back(grouping.order[group.leads].key.id, names);
  }
  return all;
}

TEST(Grouping, WhatSharesAKeyIsOneThroughOthersToo) {
  const auto grouping = group({member("a", {"p"}), member("b", {"p", "c"}), member("c", {"q", "c"}),
                               member("d", {"r"}), member("e", {})},
                              {});
  EXPECT_THAT(findings(grouping),
              ElementsAre(std::pair("a", Names{"a", "b", "c"}), std::pair("d", Names{"d"}),
                          std::pair("e", Names{"e"})));
}

TEST(Grouping, TheHuntThatBeganFirstGivesTheName) {
  const auto grouping =
      group({member("a", {"p"}, "late", "2"), member("z", {"p"}, "early", "1")}, {});
  EXPECT_THAT(findings(grouping), ElementsAre(std::pair("z", Names{"a", "z"})));
}

TEST(Grouping, ShardsOfACampaignAreOneHunt) {
  std::vector<GroupMember> members = {member("b", {"p"}, "first", "1"),
                                      member("a", {"p"}, "second", "2")};
  for (GroupMember& one : members) one.campaign = "campaign";
  EXPECT_THAT(findings(group(members, {})), ElementsAre(std::pair("a", Names{"a", "b"})));
}

TEST(Grouping, WhatPeopleBroughtTogetherIsOneAndHasTheNameTheyChose) {
  const std::vector<GroupMember> members = {member("a", {"p"}), member("b", {"q"}),
                                            member("c", {"p"}, "h2", "2")};
  const Bond bond{{"h", "a"}, {"h", "b"}, "5"};
  EXPECT_THAT(findings(group(members, {bond})), ElementsAre(std::pair("b", Names{"a", "b", "c"})));
  const Bond back{{"h", "b"}, {"h", "a"}, "6"};
  EXPECT_THAT(findings(group(members, {bond, back})),
              ElementsAre(std::pair("a", Names{"a", "b", "c"})))
      << "in a circle, the first";
  const Bond nowhere{{"h", "a"}, {"other", "b"}, "5"};
  EXPECT_EQ(group(members, {nowhere}).groups.size(), 2u);
}

TEST(Grouping, ABondBringsTogetherWhatTheirLookAlikesOpened) {
  const std::vector<GroupMember> members = {member("a", {"p"}), member("b", {"q"}),
                                            member("c", {"p"}), member("d", {"q"})};
  const Bond bond{{"h", "c"}, {"h", "d"}, "5"};
  EXPECT_THAT(findings(group(members, {bond})),
              ElementsAre(std::pair("d", Names{"a", "b", "c", "d"})));
}

TEST(Grouping, DoesNotDependOnTheOrderInWhichThingsBecameKnown) {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    std::vector<GroupMember> members;
    for (int i = 0; i < 24; ++i) {
      const auto pick = [&](int of) {
        return std::to_string(random() % static_cast<unsigned>(of));
      };
      GroupMember one = member(std::to_string(i), {"p" + pick(20)}, "h" + pick(5), pick(3));
      if (random() % 2 == 0) one.keys.push_back("c" + pick(20));
      one.campaign = random() % 2 == 0 ? one.key.hunt : "campaign";
      members.push_back(one);
    }
    std::vector<Bond> bonds;
    for (int i = 0; i < 3; ++i) {
      bonds.push_back({members[random() % 24].key, members[random() % 24].key, std::to_string(i)});
    }
    const auto expected = findings(group(members, bonds));
    std::shuffle(members.begin(), members.end(), random);
    std::shuffle(bonds.begin(), bonds.end(), random);
    EXPECT_EQ(findings(group(members, bonds)), expected);
  }
}

}  // namespace
}  // namespace esox
