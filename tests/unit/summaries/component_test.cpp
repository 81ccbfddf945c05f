// SPDX-License-Identifier: Apache-2.0
// What makes two components the same, kind by kind.
#include "summaries/component.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace esox {
namespace {

Component of(ComponentKind kind, const std::vector<std::string>& values) {
  std::vector<Element> elements;
  for (const std::string& value : values) elements.push_back(Element{"", value});
  return make_component("c", kind, elements);
}

TEST(Component, SetsForgetOrderAndRepetition) {
  const auto kind = ComponentKind::kSet;
  EXPECT_TRUE(same(of(kind, {"a", "b"}), of(kind, {"b", "a", "b"})));
  EXPECT_FALSE(same(of(kind, {"a", "b"}), of(kind, {"a"})));
  EXPECT_EQ(of(kind, {"a", "a"}).count, 1U);
}

TEST(Component, MultisetsForgetOrderButCountRepetition) {
  const auto kind = ComponentKind::kMultiset;
  EXPECT_TRUE(same(of(kind, {"a", "b", "b"}), of(kind, {"b", "a", "b"})));
  EXPECT_FALSE(same(of(kind, {"a", "b", "b"}), of(kind, {"a", "b"})));
  EXPECT_FALSE(same(of(kind, {"a", "a", "b"}), of(kind, {"a", "b", "b"})));
}

TEST(Component, SequencesCountOrder) {
  const auto kind = ComponentKind::kSequence;
  EXPECT_TRUE(same(of(kind, {"a", "b"}), of(kind, {"a", "b"})));
  EXPECT_FALSE(same(of(kind, {"a", "b"}), of(kind, {"b", "a"})));
}

TEST(Component, MapsCompareKeyByKey) {
  const auto kind = ComponentKind::kMap;
  const Component ab = make_component("m", kind, {{"a", "1"}, {"b", "2"}});
  EXPECT_TRUE(same(ab, make_component("m", kind, {{"b", "2"}, {"a", "1"}})));
  EXPECT_FALSE(same(ab, make_component("m", kind, {{"a", "2"}, {"b", "1"}})));
  EXPECT_FALSE(
      same(make_component("m", kind, {{"ab", "c"}}), make_component("m", kind, {{"a", "bc"}})));
}

TEST(Component, AMapWithAKeyTwiceIsUnavailable) {
  const Component twice = make_component("m", ComponentKind::kMap, {{"a", "1"}, {"a", "2"}});
  EXPECT_EQ(twice.unavailable, "the key 'a' came twice");
}

TEST(Component, KindsWithTheSameElementsDiffer) {
  EXPECT_FALSE(same(of(ComponentKind::kSet, {}), of(ComponentKind::kMultiset, {})));
  EXPECT_NE(of(ComponentKind::kSet, {"a"}).digest, of(ComponentKind::kMultiset, {"a"}).digest);
}

TEST(Component, AnUnavailableOneIsLikeNothingNotEvenItself) {
  const Component gone = unavailable_component("c", ComponentKind::kSet, "connection lost");
  EXPECT_FALSE(same(gone, gone));
  EXPECT_FALSE(same(gone, of(ComponentKind::kSet, {})));
  EXPECT_EQ(gone.unavailable, "connection lost");
}

TEST(ComponentBuilder, ListsTheSmallestWhateverTheOrderAndDigestsAll) {
  std::vector<std::string> values;
  for (int i = 0; i < 5000; ++i) values.push_back("row " + std::to_string(10000 + i));
  std::mt19937_64 random(5);
  std::vector<Component> built;
  for (int round = 0; round < 3; ++round) {
    std::shuffle(values.begin(), values.end(), random);
    ComponentBuilder builder("rows", ComponentKind::kMultiset);
    for (const std::string& value : values) builder.add(value);
    built.push_back(std::move(builder).build());
  }
  EXPECT_EQ(built[0].elements.size(), kListedElements);
  EXPECT_EQ(built[0].count, 5000U);
  EXPECT_EQ(built[0].elements.front().value, "row 10000");
  EXPECT_EQ(built[0].elements.back().value, "row 10999");
  EXPECT_EQ(built[0].elements, built[1].elements);
  EXPECT_TRUE(same(built[0], built[2]));

  values.back() = "another";  // beyond what is listed, the digest still tells
  std::sort(values.begin(), values.end());
  ComponentBuilder changed("rows", ComponentKind::kMultiset);
  for (const std::string& value : values) changed.add(value);
  EXPECT_FALSE(same(built[0], std::move(changed).build()));
}

TEST(ComponentBuilder, ListsTheFirstOfALongSequence) {
  ComponentBuilder builder("log", ComponentKind::kSequence, 2);
  for (const char* value : {"c", "b", "a"}) builder.add(value);
  const Component log = std::move(builder).build();
  EXPECT_EQ(log.count, 3U);
  ASSERT_EQ(log.elements.size(), 2U);
  EXPECT_EQ(log.elements[0].value, "c");
}

TEST(ComponentBuilder, GivesTheSameDigestAsTheSameElementsListed) {
  ComponentBuilder builder("rows", ComponentKind::kMultiset, 1);
  builder.add("b");
  builder.add("a");
  EXPECT_TRUE(same(std::move(builder).build(), of(ComponentKind::kMultiset, {"a", "b"})));
}

TEST(StateSummary, IsSortedAndNamesAreMadeUnique) {
  std::vector<Component> components;
  for (const char* name : {"b", "a", "b"}) {
    components.push_back(make_component(name, ComponentKind::kSet, {}));
  }
  const StateSummary summary = make_summary(std::move(components));
  ASSERT_EQ(summary.components.size(), 3U);
  EXPECT_EQ(summary.components[0].name, "a");
  EXPECT_EQ(summary.components[2].name, "b #2");
  EXPECT_NE(summary.find("b"), nullptr);
  EXPECT_EQ(summary.find("c"), nullptr);
}

TEST(ComponentFacts, TellTheMeaningByTheFirstNameThatMatches) {
  const std::vector<ComponentFacts> known = {
      {.name = "rows:*"},
      {.name = "check:*", .meaning = ComponentMeaning::kDamage},
      {.name = "log", .meaning = ComponentMeaning::kDerived}};
  EXPECT_EQ(meaning_of("rows:t", known), ComponentMeaning::kContent);
  EXPECT_EQ(meaning_of("check:t", known), ComponentMeaning::kDamage);
  EXPECT_EQ(meaning_of("log", known), ComponentMeaning::kDerived);
  EXPECT_EQ(meaning_of("logs", known), ComponentMeaning::kContent) << "nothing is known of it";
  std::vector<Component> components = {make_component("check:t", ComponentKind::kSet, {})};
  set_meanings(components, known);
  EXPECT_EQ(components[0].meaning, ComponentMeaning::kDamage);
  EXPECT_EQ(remade(components[0], ComponentKind::kSet, {}).meaning, ComponentMeaning::kDamage);
}

}  // namespace
}  // namespace esox
