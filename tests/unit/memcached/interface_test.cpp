// SPDX-License-Identifier: Apache-2.0
// The memcached summary on a scripted connection, and the naming of identities.
#include "targets/memcached/interface.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace esox {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

ResultSet values(const std::string& key, const std::string& value, const std::string& unique) {
  return ResultSet{
      {{"key", "text"}, {"flags", "number"}, {"value", "text"}, {"unique", kIdentityType}},
      {{key, "0", value, unique}}};
}

Output reply(ResultSet result) {
  Output output;
  output.answered = true;
  output.results.push_back(std::move(result));
  return output;
}

Outcome with_uniques(const std::string& first, const std::string& second) {
  Outcome outcome;
  outcome.outputs = {{reply(values("k", "1", first))}, {reply(values("k", "1", second))}};
  return outcome;
}

std::vector<std::string> named(Outcome outcome) {
  Identities identities;
  identities.name_outputs(outcome);
  return {*outcome.outputs[0][0].results[0].rows[0][3],
          *outcome.outputs[1][0].results[0].rows[0][3]};
}

TEST(Identities, AreEqualExactlyIfTheSameValuesAreEqual) {
  EXPECT_EQ(named(with_uniques("17", "17")), named(with_uniques("4", "4")));
  EXPECT_EQ(named(with_uniques("17", "18")), named(with_uniques("9", "3")));
  EXPECT_NE(named(with_uniques("17", "17")), named(with_uniques("17", "18")));
}

TEST(Identities, NameOnlyColumnsOfTheirType) {
  Outcome outcome = with_uniques("17", "17");
  Identities identities;
  identities.name_outputs(outcome);
  EXPECT_EQ(*outcome.outputs[0][0].results[0].rows[0][2], "1");
}

TEST(MemcachedInterface, SharesTheNamesOfUniqueNumbersWithTheOutputs) {
  Outcome outcome = with_uniques("17", "18");
  Identities identities;
  identities.name_outputs(outcome);
  std::vector<std::string> asked;
  MemcachedInterface source(
      [&](const std::string& text) {
        asked.push_back(text);
        return text == "stats" ? reply({{}, {{"curr_items", "1"}, {"pid", "77"}}})
                               : reply(values("k", "5", "18"));
      },
      {{"k", "k"}, false, {}}, identities);
  const StateSummary state = make_summary(source.take());
  EXPECT_THAT(asked, ElementsAre("gets k", "stats", "version"));
  const Component* items = state.find("items");
  ASSERT_NE(items, nullptr);
  EXPECT_THAT(items->elements, ElementsAre(Element{"k", "('0', '5'), unique #2"}));
  EXPECT_THAT(state.find("counters")->elements, ElementsAre(Element{"curr_items", "1"}));
}

TEST(MemcachedInterface, AServerThatIsGoneMakesEveryComponentUnavailable) {
  Identities identities;
  MemcachedInterface source([](const std::string&) { return Output{}; },
                            {{"k"}, true, {"stats items"}}, identities);
  const std::vector<Component> components = source.take();
  ASSERT_EQ(components.size(), memcached_components().size());
  for (const Component& component : components) {
    EXPECT_THAT(component.unavailable, HasSubstr("no reply")) << component.name;
  }
}

Output meta(std::vector<Column> columns, Row row) {
  return reply(ResultSet{std::move(columns), {std::move(row)}});
}

StateSummary state_with(const std::string& key, const Ask& ask) {
  Identities identities;
  return make_summary(MemcachedInterface(ask, {{key}, true, {}}, identities).take());
}

TEST(MemcachedInterface, TellsWhatLimitsAnItemsLife) {
  const auto limits = [](const Row& row) {
    const StateSummary state = state_with("k", [&](const std::string& text) {
      if (text == "mg k t u") return meta({{"code", ""}, {"expires", ""}, {"marks", ""}}, row);
      return reply({});
    });
    return state.find("lifetimes")->elements;
  };
  EXPECT_THAT(limits({"HD", "100", Cell{}}), ElementsAre(Element{"k", "expires in 100 s"}));
  EXPECT_THAT(limits({"HD", "-1", "XZ"}),
              ElementsAre(Element{"k", "stale, a client is to recache it"}));
  EXPECT_THAT(limits({"HD", "30", "W"}), ElementsAre(Element{"k", "expires in 30 s"}));
  EXPECT_THAT(limits({"HD", "-1", Cell{}}), ElementsAre());
  EXPECT_THAT(limits({"EN", Cell{}, Cell{}}), ElementsAre());
}

TEST(MemcachedInterface, OfAServerWithoutMetaCommandsSaysNothingOfLifetimes) {
  const StateSummary state = state_with("k", [](const std::string& text) {
    Output output = reply({});
    if (text.starts_with("mg")) output.error = 1;
    return output;
  });
  EXPECT_EQ(state.find("lifetimes"), nullptr);
  EXPECT_EQ(state.find("items")->unavailable, "");
}

TEST(MemcachedInterface, AsksForAKeyThatNoLineCanHoldInBase64) {
  const StateSummary state = state_with("a b", [](const std::string& text) {
    if (text == "mg YSBi b f v c") {
      return meta({{"code", ""}, {"value", ""}, {"flags", ""}, {"unique", kIdentityType}},
                  {"VA", "x", "5", "17"});
    }
    return reply({});
  });
  EXPECT_THAT(state.find("items")->elements,
              ElementsAre(Element{"base64 YSBi", "('5', 'x'), unique #1"}));
}

TEST(MemcachedSubject, HoldsAllKeysAndWhetherOneMayExpire) {
  Input input;
  input.setup = {"set k 0 0 1\n5"};
  input.clients = {{"A", {"gets l"}, {{"mg Zm9v b v", true}}}, {"B", {}, {{"incr k 1", true}}}};
  EXPECT_THAT(subject_of(input).keys, ElementsAre("k", "l", "foo", "k"));
  EXPECT_FALSE(subject_of(input).lifetimes);
  input.clients[1].requests[0].text = "touch k 30";
  EXPECT_TRUE(subject_of(input).lifetimes);
}

}  // namespace
}  // namespace esox
