// SPDX-License-Identifier: Apache-2.0
#include "harness/records/shard.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <functional>
#include <set>

#include "base/process/private_directory.h"

namespace esox {
namespace {

ConcreteInput input(const std::string& id, const std::string& engine = "",
                    const std::string& setting = "") {
  ConcreteInput one;
  one.input.id = id;
  one.input.clients = {{"A", {}, {{"SELECT 1", false}}}};
  one.engine = engine;
  one.setting = setting;
  return one;
}

TEST(Shards, AreReadFromTheirNumberAndHowManyThereAre) {
  EXPECT_EQ(shard_from_text("1/1"), (Shard{1, 1}));
  EXPECT_EQ(shard_from_text("3/20"), (Shard{3, 20}));
  EXPECT_EQ(shard_from_text("10000/10000"), (Shard{10'000, 10'000}));
  EXPECT_EQ(shard_text({3, 20}), "3/20");
  for (const char* wrong :
       {"", "/", "3", "3/", "/3", "0/3", "4/3", "1/0", "-1/3", "+1/3", " 1/3", "1/3 ", "01/3",
        "1/10001", "1/3/5", "1.5/3", "99999999999/99999999999"}) {
    EXPECT_FALSE(shard_from_text(wrong)) << wrong;
  }
}

// On every machine and in every later version: these numbers never change.
TEST(Shards, AnInputIsAlwaysInTheSameShard) {
  EXPECT_EQ(shard_of(input("pike-table-5-2/04-insert-select", "Aria"), 20), 2u);
  EXPECT_EQ(shard_of(input("pike-table-5-2/04-insert-select", "InnoDB"), 20), 12u);
  EXPECT_EQ(shard_of(input("pairs/a--b", "MyISAM", "row-log"), 10'000), 3355u);
  EXPECT_EQ(shard_of(input("", "", ""), 7), 1u);
  EXPECT_EQ(shard_of(input("x"), 1), 1u);
}

TEST(Shards, EachInputIsInExactlyOneAndTheyAreAboutEvenlyFull) {
  std::vector<ConcreteInput> all;
  for (int i = 0; i < 4000; ++i) all.push_back(input("in-" + std::to_string(i), "Aria"));
  constexpr unsigned kShards = 20;
  std::multiset<std::string> met;
  for (unsigned number = 1; number <= kShards; ++number) {
    const auto part = part_of(all, {number, kShards});
    EXPECT_GT(part.size(), 140u) << number;  // 200 each; 13.8 is the standard deviation
    EXPECT_LT(part.size(), 260u) << number;
    for (const ConcreteInput& one : part) met.insert(one.input.id);
  }
  EXPECT_EQ(met.size(), all.size());
  EXPECT_EQ(std::set<std::string>(met.begin(), met.end()).size(), all.size());
}

TEST(Shards, EngineAndSettingCountAndCannotBeMixedUp) {
  std::set<unsigned> met;
  for (const auto& one : {input("ab", "c", ""), input("a", "bc", ""), input("a", "b", "c"),
                          input("abc"), input("", "abc", "")}) {
    met.insert(shard_of(one, 10'000));
  }
  EXPECT_EQ(met.size(), 5u);
}

TEST(Campaigns, AreToldApartByWhatDecidesTheExecutions) {
  CampaignFacts facts;
  facts.server_version = "10.11";
  facts.strategy = "portfolio";
  facts.seed = 7;
  facts.inputs_digest = inputs_digest({input("a"), input("b")});
  facts.shards = 20;
  std::set<std::string> ids = {campaign_of(facts)};
  EXPECT_EQ(campaign_of(facts), *ids.begin());
  const auto other = [&](const std::function<void(CampaignFacts&)>& change) {
    CampaignFacts changed = facts;
    change(changed);
    EXPECT_TRUE(ids.insert(campaign_of(changed)).second);
  };
  other([](CampaignFacts& it) { it.name = "tonight"; });
  other([](CampaignFacts& it) { it.seed = 8; });
  other([](CampaignFacts& it) { it.shards = 21; });
  other([](CampaignFacts& it) { it.server_version = "10.12"; });
  other([](CampaignFacts& it) { it.server_digest = "another build"; });
  other([](CampaignFacts& it) { it.server_options = {"--a", "--b"}; });
  other([](CampaignFacts& it) { it.server_options = {"--a--b"}; });
  other([](CampaignFacts& it) { it.learn = true; });
  other([](CampaignFacts& it) { it.background = Background::kOn; });
  other([](CampaignFacts& it) { it.filter_texts = {"rules"}; });
  other([](CampaignFacts& it) { it.inputs_digest = inputs_digest({input("a"), input("c")}); });
}

TEST(Campaigns, DoNotDependOnTheOrderOfTheInputs) {
  EXPECT_EQ(inputs_digest({input("a"), input("b")}), inputs_digest({input("b"), input("a")}));
  ConcreteInput changed = input("a");
  changed.input.setup = {"CREATE TABLE t (a INT)"};
  EXPECT_NE(inputs_digest({input("a")}), inputs_digest({changed}));
}

TEST(Campaigns, AShardsHuntHasItsIdFromBoth) {
  EXPECT_EQ(shard_hunt_id("c", {3, 20}), shard_hunt_id("c", {3, 20}));
  EXPECT_NE(shard_hunt_id("c", {3, 20}), shard_hunt_id("c", {4, 20}));
  EXPECT_NE(shard_hunt_id("c", {3, 20}), shard_hunt_id("d", {3, 20}));
  EXPECT_EQ(shard_hunt_id("c", {3, 20}).size(), 16u);
}

TEST(Campaigns, AServerIsKnownByItsBytes) {
  const PrivateDirectory folder(temporary_base());
  std::ofstream(folder.path() / "one") << "a program";
  std::ofstream(folder.path() / "same") << "a program";
  std::ofstream(folder.path() / "other") << "another";
  EXPECT_EQ(file_digest(folder.path() / "one"), file_digest(folder.path() / "same"));
  EXPECT_NE(file_digest(folder.path() / "one"), file_digest(folder.path() / "other"));
  EXPECT_EQ(file_digest(folder.path() / "none"), "?");
}

}  // namespace
}  // namespace esox
