// SPDX-License-Identifier: Apache-2.0
// Rules read: what is well formed, and in which words everything else is refused.
#include "filters/reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text/input_error.h"
#include "base/time/utc.h"
#include "filters/circumstances.h"
#include "filters/expiry.h"
#include "tests/unit/servers.h"

namespace esox {
namespace {

using testing::HasSubstr;

constexpr const char* kHead = "server: mariadb\nrules:\n";

// One rule; `keys` are lines of it.
std::string rule(const std::vector<std::string>& keys) {
  std::string text = std::string(kHead) + "  - name: one\n    reason: because\n    owner: me\n";
  for (const std::string& key : keys) text += "    " + key + "\n";
  return text;
}

std::string complaint(const std::string& yaml) {
  try {
    parse_rules(yaml, "f.yaml", known_servers());
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(FilterReader, AsksTheServersOwnLanguageAndComponents) {
  const auto said = [](const std::string& keys) {
    return complaint("server: memcached\nrules:\n  - {name: a, reason: r, owner: o, " + keys +
                     "}\n");
  };
  EXPECT_EQ(said("kind: ignore, component: counters, statement: [INCR]"), "");
  EXPECT_EQ(said("kind: ignore, component: 'annotated:*'"), "");
  EXPECT_THAT(said("kind: ignore, component: counters, statement: [incr]"), HasSubstr("'INCR'"));
  EXPECT_THAT(said("kind: ignore, component: 'rows:*'"), HasSubstr("no component"));
  EXPECT_THAT(said("kind: ignore, component: items, engine: Aria"),
              HasSubstr("no storage engines"));
  EXPECT_THAT(said("kind: split, into: tables, statement: GET, beside: SET"),
              HasSubstr("into keys, not into 'tables'"));
  EXPECT_THAT(complaint("server: memcachd\nrules: []\n"), HasSubstr("did you mean 'memcached'?"));
}

TEST(FilterReader, RulesAreForTheServersOfTheirFileOrForSomeOfThem) {
  const std::string keys = "{reason: r, owner: o, kind: tolerate, errors: 1205, ";
  const std::string file = "server: [mariadb, mysql]\nrules:\n  - " + keys + "name: both}\n  - ";
  const RuleSet set =
      parse_rules(file + keys + "name: one, server: mysql}\n", "f.yaml", known_servers());
  ASSERT_EQ(set.rules.size(), 2u);
  EXPECT_TRUE(is_for(set.rules[0], "mariadb"));
  EXPECT_TRUE(is_for(set.rules[0], "mysql"));
  EXPECT_FALSE(is_for(set.rules[0], "memcached"));
  EXPECT_FALSE(is_for(set.rules[1], "mariadb"));
  EXPECT_TRUE(is_for(set.rules[1], "mysql"));
  EXPECT_THAT(complaint(file + keys + "name: none, server: memcached}\n"), HasSubstr("f.yaml:4: "));
}

TEST(FilterReader, ReadsEachKindWithItsPlaceAndScope) {
  const RuleSet set = parse_rules(
      rule({"kind: included", "component: open-tables", "direction: holds-serial", "unless: broken",
            "statement: [SELECT, SHOW TABLES]", "beside: CREATE", "object: t*", "engine: [aria]",
            "from_version: 10.6", "before_version: 11.4.2", "expires: 2027-06-30",
            "without_option: [--log_bin, old]"}),
      "f.yaml", known_servers());
  ASSERT_EQ(set.rules.size(), 1u);
  const Rule& one = set.rules[0];
  EXPECT_EQ(one.kind, RuleKind::kIncluded);
  EXPECT_EQ(one.direction, Direction::kHoldsSerial);
  EXPECT_TRUE(one.unless);
  EXPECT_EQ(one.component, "open-tables");
  EXPECT_EQ(one.origin, "f.yaml:3");
  EXPECT_EQ(one.expires, "2027-06-30");
  EXPECT_THAT(one.scope.statements, testing::ElementsAre("SELECT", "SHOW TABLES"));
  EXPECT_THAT(one.scope.engines, testing::ElementsAre("Aria"));
  EXPECT_THAT(one.scope.before_version, testing::ElementsAre(11, 4, 2));
  EXPECT_THAT(one.scope.without_options, testing::ElementsAre("log-bin", "old"));
  EXPECT_EQ(complaint(rule({"kind: ignore", "reply: rows", "column: Rows"})), "");
  EXPECT_EQ(complaint(rule({"kind: unordered", "component: binlog"})), "");
  EXPECT_EQ(
      complaint(rule({"kind: normalise", "reply: info", "pattern: '[0-9]+'", "placeholder: <n>"})),
      "");
  EXPECT_EQ(complaint(rule({"kind: tolerate", "errors: [1213, 1205]"})), "");
  EXPECT_EQ(complaint(rule({"kind: tolerate", "column: Msg_text", "pattern: ^killed$"})), "");
  EXPECT_EQ(complaint(rule({"kind: tolerate", "task: ^Deadlock"})), "");
  const RuleSet split =
      parse_rules(rule({"kind: split", "into: read-then-write", "statement: [INSERT, REPLACE]",
                        "beside: INSERT", "text: FROM"}),
                  "f.yaml", known_servers());
  EXPECT_EQ(split.rules[0].into, "read-then-write");
  EXPECT_TRUE(split.rules[0].scope.text);
}

struct Refused {
  const char* what;
  std::vector<std::string> keys;
  const char* words;
};

class RefusedRule : public testing::TestWithParam<Refused> {};

TEST_P(RefusedRule, IsToldWithFileAndLineWhatIsWrong) {
  const std::string said = complaint(rule(GetParam().keys));
  EXPECT_THAT(said, testing::StartsWith("f.yaml:"));
  EXPECT_THAT(said, HasSubstr(GetParam().words));
}

INSTANTIATE_TEST_SUITE_P(
    Of, RefusedRule,
    testing::Values(
        Refused{
            "unknown_key", {"kind: ignore", "reply: rows", "colum: x"}, "did you mean 'column'"},
        Refused{"unknown_kind", {"kind: include", "reply: rows"}, "did you mean 'included'"},
        Refused{"reply_of_a_task",
                {"kind: tolerate", "task: ^Deadlock", "errors: 1213"},
                "a task of the server's own has no reply"},
        Refused{"any_task", {"kind: tolerate", "task: .*"}, "hides everything"},
        Refused{"task_elsewhere", {"kind: ignore", "reply: info", "task: a"}, "says nothing"},
        Refused{"no_place", {"kind: ignore"}, "must name one place"},
        Refused{"two_places", {"kind: ignore", "reply: info", "component: files"}, "one place"},
        Refused{
            "unknown_component", {"kind: ignore", "component: tabels"}, "no component 'tabels'"},
        Refused{"every_component", {"kind: ignore", "component: '*'"}, "hides everything"},
        Refused{"all_rows", {"kind: ignore", "reply: rows"}, "hides everything"},
        Refused{"all_rows_included",
                {"kind: included", "reply: rows", "direction: either"},
                "hides everything"},
        Refused{"any_text",
                {"kind: normalise", "component: files", "pattern: .*", "placeholder: x"},
                "hides everything"},
        Refused{"key_of_no_map",
                {"kind: ignore", "component: 'rows:*'", "key: k"},
                "can match nothing"},
        Refused{"column_of_info",
                {"kind: normalise", "reply: info", "column: a", "pattern: x", "placeholder: y"},
                "can match nothing"},
        Refused{"unordered_set", {"kind: unordered", "component: tables"}, "can match nothing"},
        Refused{"unordered_info", {"kind: unordered", "reply: info"}, "can match nothing"},
        Refused{"empty_range",
                {"kind: ignore", "reply: info", "from_version: 11", "before_version: 10.6"},
                "can match no server"},
        Refused{"option_with_a_value",
                {"kind: ignore", "reply: info", "without_option: log-bin=b"},
                "without a value"},
        Refused{"no_such_statement", {"kind: ignore", "reply: info", "statement: INSRT"}, "INSERT"},
        Refused{"not_a_kind",
                {"kind: ignore", "reply: info", "statement: SHOW FULL TABLES"},
                "write 'SHOW TABLES'"},
        Refused{"no_such_engine", {"kind: ignore", "reply: info", "engine: inodb"}, "InnoDB"},
        Refused{"foreign_key",
                {"kind: ignore", "reply: info", "direction: either"},
                "'direction' says nothing"},
        Refused{"bad_pattern",
                {"kind: normalise", "reply: info", "pattern: '('", "placeholder: x"},
                "no regular expression"},
        Refused{"bad_text", {"kind: ignore", "reply: info", "text: '('"}, "no regular expression"},
        Refused{"no_splitting",
                {"kind: split", "into: table", "statement: CHECK TABLE", "beside: DROP"},
                "did you mean 'tables'"},
        Refused{"split_anything", {"kind: split", "into: tables"}, "say of which 'statement'"},
        Refused{"split_whole",
                {"kind: split", "into: tables", "statement: INSERT", "beside: DROP"},
                "can match nothing"},
        Refused{"bad_date", {"kind: ignore", "reply: info", "expires: 2027-02-30"}, "a date"},
        Refused{"bad_error", {"kind: tolerate", "errors: [0]"}, "no error number"},
        Refused{"no_failure", {"kind: tolerate"}, "has no 'errors'"},
        Refused{"failure_anywhere", {"kind: tolerate", "pattern: ^killed$"}, "has no 'column'"},
        Refused{"any_failure",
                {"kind: tolerate", "column: Msg_text", "pattern: .*"},
                "hides everything"}),
    [](const auto& test) { return std::string(test.param.what); });

TEST(FilterReader, WantsAReasonAndAnOwner) {
  const std::string text = std::string(kHead) + "  - {name: one, kind: ignore, reply: info}\n";
  EXPECT_THAT(complaint(text), HasSubstr("has no 'reason'"));
}

TEST(FilterReader, RefusesTwoRulesOfOneName) {
  const std::string text = rule({"kind: ignore", "reply: info"});
  EXPECT_THROW(parse_rules({{"a.yaml", text}, {"b.yaml", text}}, known_servers()), InputError);
}

TEST(Expiry, ARuleHoldsOnItsLastDayAndNotAfter) {
  const RuleSet set = parse_rules(rule({"kind: ignore", "reply: info", "expires: 2027-06-30"}),
                                  "f.yaml", known_servers());
  EXPECT_TRUE(expired(set, "2027-06-30").empty());
  EXPECT_EQ(expired(set, "2027-07-01").size(), 1u);
  EXPECT_THROW(refuse_expired(set, "2027-07-01"), InputError);
  EXPECT_EQ(date_of(utc_date()), utc_date());
}

}  // namespace
}  // namespace esox
