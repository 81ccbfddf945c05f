// SPDX-License-Identifier: Apache-2.0
// Patterns, wildcards, scopes, and what rules do to elements.
#include "filters/rewrite.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text/wildcard.h"
#include "filters/rules_in_force.h"
#include "targets/mariadb/language.h"

namespace esox {
namespace {

Component of(ComponentKind kind, const std::vector<std::string>& values) {
  std::vector<Element> elements;
  for (const std::string& value : values) elements.push_back({"", value});
  return make_component("c", kind, std::move(elements));
}

Rule rule_of(RuleKind kind) {
  Rule rule;
  rule.name = "r";
  rule.kind = kind;
  rule.component = "c";
  rule.servers = {"mariadb"};
  return rule;
}

bool made_equal(const Rule& rule, Component a, Component b) {
  rewrite_component(rule, a, b);
  return same(a, b);
}

TEST(Pattern, ReplacesEachMatchAndTakesThePlaceholderLiterally) {
  EXPECT_EQ(Pattern("[0-9]+").replaced("a 1 b 22", "$0"), "a $0 b $0");
  EXPECT_EQ(Pattern("(?<=x=)[0-9]+").replaced("x=1,y=2", "<n>"), "x=<n>,y=2");
}

TEST(Pattern, GivesUpOnATextThatTakesTooManyStepsOrIsTooLong) {
  EXPECT_EQ(Pattern("(a+)+$").replaced(std::string(40, 'a') + "b", "x"), std::nullopt);
  EXPECT_EQ(Pattern("b").replaced(std::string(kMaxPatternText + 1, 'a'), "x"), std::nullopt);
  EXPECT_THROW(Pattern("("), PatternError);
}

TEST(Wildcard, MatchesNamesAndFindsWhatTwoHaveInCommon) {
  EXPECT_TRUE(matches("rows:*", "rows:test.t1"));
  EXPECT_FALSE(matches("rows:*", "row:test.t1"));
  EXPECT_TRUE(overlap("*t1", "rows:*"));
  EXPECT_FALSE(overlap("tabels", "tables"));
}

TEST(Included, ForgivesInItsDirectionOnly) {
  const Component less = of(ComponentKind::kMultiset, {"a"});
  const Component more = of(ComponentKind::kMultiset, {"a", "a", "b"});
  const Component other = of(ComponentKind::kMultiset, {"a", "c"});
  Rule rule = rule_of(RuleKind::kIncluded);
  rule.direction = Direction::kInSerial;
  EXPECT_TRUE(made_equal(rule, less, more));
  EXPECT_FALSE(made_equal(rule, more, less));
  rule.direction = Direction::kHoldsSerial;
  EXPECT_FALSE(made_equal(rule, less, more));
  EXPECT_TRUE(made_equal(rule, more, less));
  rule.direction = Direction::kEither;
  EXPECT_FALSE(made_equal(rule, other, more));  // neither holds the other: nothing is forgiven
  rule.unless.emplace("^b$");
  EXPECT_FALSE(made_equal(rule, less, more));
}

TEST(Included, KeepsTheOrderOfASequence) {
  Rule rule = rule_of(RuleKind::kIncluded);
  const Component whole = of(ComponentKind::kSequence, {"a", "b", "c"});
  EXPECT_TRUE(made_equal(rule, of(ComponentKind::kSequence, {"a", "c"}), whole));
  EXPECT_FALSE(made_equal(rule, of(ComponentKind::kSequence, {"c", "a"}), whole));
}

TEST(Ignore, LeavesOutTheKeysItNames) {
  const auto map = [](const std::string& x, const std::string& y) {
    return make_component("c", ComponentKind::kMap, {{"x", x}, {"y", y}});
  };
  Rule rule = rule_of(RuleKind::kIgnore);
  rule.key = "x*";
  EXPECT_TRUE(made_equal(rule, map("1", "2"), map("9", "2")));
  EXPECT_FALSE(made_equal(rule, map("1", "2"), map("1", "9")));
}

TEST(Normalise, MakesEqualOnlyWhatThePatternMatches) {
  Rule rule = rule_of(RuleKind::kNormalise);
  rule.pattern.emplace("id [0-9]+");
  rule.placeholder = "id";
  const auto set = [](const std::string& value) { return of(ComponentKind::kSet, {value}); };
  EXPECT_TRUE(made_equal(rule, set("id 7 ok"), set("id 8 ok")));
  EXPECT_FALSE(made_equal(rule, set("id 7 ok"), set("id 8 bad")));
}

TEST(Unordered, MakesASequenceABag) {
  const Rule rule = rule_of(RuleKind::kUnordered);
  const auto list = [](const std::vector<std::string>& values) {
    return of(ComponentKind::kSequence, values);
  };
  EXPECT_TRUE(made_equal(rule, list({"a", "b"}), list({"b", "a"})));
  EXPECT_FALSE(made_equal(rule, list({"a", "b"}), list({"a", "a"})));
}

TEST(Rewriting, IsUndecidedWhereElementsAreNotAllListed) {
  Component part = of(ComponentKind::kMultiset, {"a", "b"});
  part.elements.pop_back();
  Component whole = of(ComponentKind::kMultiset, {"a", "c"});
  EXPECT_EQ(rewrite_component(rule_of(RuleKind::kIncluded), part, whole), Rewriting::kUndecided);
}

// --- scopes

class Scopes : public testing::Test {
 protected:
  // Whether a rule of this scope is for the reply to A1, beside B1.
  bool applies(const Scope& scope, bool overlap = true) {
    auto set = std::make_shared<RuleSet>();
    set->rules.push_back(rule_of(RuleKind::kIgnore));
    set->rules[0].component.clear();
    set->rules[0].reply = ReplyPart::kInfo;
    set->rules[0].scope = scope;
    ConcreteInput input;
    input.input.language = &mariadb_language();
    input.engine = "Aria";
    input.input.server_options = {"--log_bin=b", "--old", "--skip-old"};
    input.input.clients = {{"A", {}, {{"INSERT INTO db.`T 1` VALUES (1)", false}}},
                           {"B", {}, {{"DROP TABLE t2", false}}}};
    const RulesInForce rules(set, circumstances_of(input, {"10.11.14-MariaDB-0+deb12u2", {}}));
    return !rules.for_reply(0, 0, [&](size_t, size_t, size_t, size_t) { return overlap; }).empty();
  }
};

TEST_F(Scopes, AreMetByWhatTheSameClientSentBefore) {
  auto set = std::make_shared<RuleSet>();
  set->rules.push_back(rule_of(RuleKind::kTolerate));
  set->rules[0].component.clear();
  set->rules[0].errors = {1213};
  set->rules[0].scope = {.statements = {"SELECT"}, .after = {"LOCK TABLE", "BACKUP"}};
  ConcreteInput input;
  input.input.language = &mariadb_language();
  input.input.clients = {
      {"A", {}, {{"SELECT 1", false}, {"BACKUP LOCK t", false}, {"SELECT 2", false}}},
      {"B", {}, {{"LOCK TABLES t READ", false}}}};
  const RulesInForce rules(set, circumstances_of(input, {"10.11.14", {}}));
  const auto tolerates = [&](size_t request) {
    Output output;
    output.error = 1213;
    return !rules.tolerating(0, request, output, [](auto...) { return true; }).empty();
  };
  EXPECT_FALSE(tolerates(0));
  EXPECT_TRUE(tolerates(2));
}

TEST_F(Scopes, AreMetByStatementObjectNeighbourEngineVersionAndOptions) {
  EXPECT_TRUE(applies({}));
  EXPECT_TRUE(applies({.statements = {"INSERT"}}));
  EXPECT_FALSE(applies({.statements = {"DELETE"}}));
  EXPECT_TRUE(applies({.object = "DB.t *"}));
  EXPECT_FALSE(applies({.object = "t2"}));
  EXPECT_TRUE(applies({.beside = {"DROP"}}));
  EXPECT_FALSE(applies({.beside = {"DROP"}}, false));
  EXPECT_FALSE(applies({.beside = {"DROP VIEW"}}));
  EXPECT_TRUE(applies({.engines = {"Aria"}}));
  EXPECT_FALSE(applies({.engines = {"InnoDB"}}));
  EXPECT_TRUE(applies({.from_version = {10, 6}, .before_version = {10, 12}}));
  EXPECT_FALSE(applies({.from_version = {10, 11, 15}}));
  EXPECT_FALSE(applies({.before_version = {10, 11}}));
  EXPECT_TRUE(applies({.from_version = {10, 11, 14}, .before_version = {10, 11, 15}}));
  EXPECT_FALSE(applies({.before_version = {10, 11, 14}})) << "it has been mended in this one";
  EXPECT_FALSE(applies({.without_options = {"log-bin"}}));
  EXPECT_TRUE(applies({.input = Pattern("^DROP")})) << "of any client";
  EXPECT_TRUE(applies({.input = Pattern("log_bin=b")}));
  EXPECT_FALSE(applies({.input = Pattern("CREATE")}));
  EXPECT_TRUE(applies({.without_options = {"log"}}));
  EXPECT_TRUE(applies({.without_options = {"old"}}));  // taken back
}

}  // namespace
}  // namespace esox
