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
      {"k", "k"}, {}, identities);
  const StateSummary state = make_summary(source.take());
  EXPECT_THAT(asked, ElementsAre("gets k", "stats", "version"));
  const Component* items = state.find("items");
  ASSERT_NE(items, nullptr);
  EXPECT_THAT(items->elements, ElementsAre(Element{"k", "('0', '5'), unique #2"}));
  EXPECT_THAT(state.find("counters")->elements, ElementsAre(Element{"curr_items", "1"}));
}

TEST(MemcachedInterface, AServerThatIsGoneMakesEveryComponentUnavailable) {
  Identities identities;
  MemcachedInterface source([](const std::string&) { return Output{}; }, {"k"}, {"stats items"},
                            identities);
  const std::vector<Component> components = source.take();
  ASSERT_EQ(components.size(), memcached_components().size());
  for (const Component& component : components) {
    EXPECT_THAT(component.unavailable, HasSubstr("no reply")) << component.name;
  }
}

}  // namespace
}  // namespace esox
