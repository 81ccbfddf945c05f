// SPDX-License-Identifier: Apache-2.0
// Judging under rules: each kind forgives what it names, and a seeded difference beside it stays.
#include "analysis/forgiving.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/finding.h"
#include "analysis/tolerance.h"
#include "analysis/verdict.h"
#include "filters/reader.h"
#include "tests/unit/analysis/builders.h"
#include "tests/unit/servers.h"

namespace esox::test {
namespace {

using testing::HasSubstr;

std::shared_ptr<const RuleSet> rules_of(const std::string& keys) {
  return std::make_shared<const RuleSet>(
      parse_rules("server: mariadb\nrules:\n  - {name: it, reason: r, owner: o, " + keys + "}\n",
                  "f.yaml", known_servers()));
}

// A: SHOW TABLES, B: DROP TABLE t1.
ConcreteInput input() {
  return pair_input("SHOW TABLES", "DROP TABLE t1");
}

Verdict judge_under(const std::string& keys, const ExecutionRecord& seen,
                    const std::vector<SerialRun>& runs, const Masks& masks = {}) {
  const RulesInForce rules(rules_of(keys), circumstances_of(input(), {"10.11.19", {}}));
  return judge(seen, runs, masks, Orders::kAsGiven, Forgiveness(rules, seen.stamps));
}

// The reply of A in the execution and in both orders; everything else is equal.
Verdict judge_replies(const std::string& keys, const Output& seen, const Output& serial) {
  const auto all = [](const Output& reply) {
    return outcome({reply, ok()}, {bag("tables", {"t2"})});
  };
  return judge_under(keys, record(all(seen)),
                     {test::serial({0, 1}, all(serial)), test::serial({1, 0}, all(serial))});
}

Verdict judge_states(const std::string& keys, const Component& seen, const Component& serial) {
  const auto all = [](const Component& component) { return outcome({ok(), ok()}, {component}); };
  return judge_under(keys, record(all(seen)),
                     {test::serial({0, 1}, all(serial)), test::serial({1, 0}, all(serial))});
}

constexpr const char* kListing =
    "kind: included, reply: rows, direction: in-serial, statement: SHOW TABLES, beside: DROP TABLE";

TEST(Forgiving, RowsThatAreContainedAreForgivenAndOthersAreNot) {
  const Output serial = rows_reply({{"t1"}, {"t2"}});
  const Verdict verdict = judge_replies(kListing, rows_reply({{"t2"}}), serial);
  EXPECT_EQ(verdict.verdict, VerdictClass::kNone);
  ASSERT_EQ(verdict.forgiven.size(), 1u);
  EXPECT_EQ(verdict.forgiven[0].rule, "it");
  EXPECT_THAT(place_name(verdict.forgiven[0]), HasSubstr("the reply to A1: rows: lacks 't1'"));
  EXPECT_TRUE(judge_replies(kListing, rows_reply({{"t1"}, {"t2"}, {"t3"}}), serial).violation());
  EXPECT_TRUE(judge_replies(kListing, rows_reply({{"t9"}}), serial).violation());
}

TEST(Forgiving, WhatIsEqualAnywayIsForgivenByNothing) {
  const Output reply = rows_reply({{"t1"}});
  EXPECT_TRUE(judge_replies(kListing, reply, reply).forgiven.empty());
}

TEST(Forgiving, AColumnIsIgnoredAndTheOthersAreNot) {
  const std::string keys = "kind: ignore, reply: rows, column: C1";
  const Output serial = rows_reply({{"a", "1"}});
  EXPECT_EQ(judge_replies(keys, rows_reply({{"a", "2"}}), serial).verdict, VerdictClass::kNone);
  EXPECT_TRUE(judge_replies(keys, rows_reply({{"b", "1"}}), serial).violation());
}

TEST(Forgiving, AFieldIsNormalisedAndTheRestOfItIsNot) {
  const std::string keys = "kind: normalise, reply: info, pattern: 'Took [0-9]+', placeholder: T";
  const auto reply = [](const std::string& info) {
    Output output = ok();
    output.info = info;
    return output;
  };
  EXPECT_EQ(judge_replies(keys, reply("Took 1, Rows 2"), reply("Took 7, Rows 2")).verdict,
            VerdictClass::kNone);
  EXPECT_TRUE(judge_replies(keys, reply("Took 1, Rows 3"), reply("Took 7, Rows 2")).violation());
}

TEST(Forgiving, TheOrderOfRowsIsForgivenAndTheirValuesAreNot) {
  const std::string keys = "kind: unordered, reply: rows";
  const Output serial = rows_reply({{"1"}, {"2"}}, true);
  EXPECT_EQ(judge_replies(keys, rows_reply({{"2"}, {"1"}}, true), serial).verdict,
            VerdictClass::kNone);
  EXPECT_TRUE(judge_replies(keys, rows_reply({{"2"}, {"2"}}, true), serial).violation());
}

TEST(Forgiving, AComponentIsIgnoredAsAWholeAndAnotherIsNot) {
  const std::string keys = "kind: ignore, component: files";
  EXPECT_EQ(judge_states(keys, bag("files", {"x"}), bag("files", {})).verdict, VerdictClass::kNone);
  EXPECT_TRUE(judge_states(keys, bag("tables", {"x"}), bag("tables", {})).violation());
}

TEST(Forgiving, AComponentTooLargeForTheRuleIsNeitherForgivenNorAViolation) {
  Component part = bag("files", {"a", "b"});
  part.elements.pop_back();
  const Verdict verdict = judge_states("kind: included, component: files, direction: either", part,
                                       bag("files", {"a", "c"}));
  EXPECT_EQ(verdict.verdict, VerdictClass::kDegraded);
  EXPECT_THAT(verdict.degraded_reasons.at(0), HasSubstr("too large for the filter it"));
}

TEST(Forgiving, NeverTakesTheRepliesOfOneOrderAndTheStateOfAnother) {
  // The reply is contained in that of A1 B1 and in no other, the state is that of B1 A1.
  const auto all = [](const std::vector<Row>& rows, const std::string& table) {
    return outcome({rows_reply(rows), ok()}, {bag("tables", {table})});
  };
  const std::vector<SerialRun> runs = {test::serial({0, 1}, all({{"t1"}, {"t2"}}, "x")),
                                       test::serial({1, 0}, all({{"t3"}}, "y"))};
  EXPECT_TRUE(judge_under(kListing, record(all({{"t2"}}, "y")), runs).violation());
  EXPECT_EQ(judge_under(kListing, record(all({{"t2"}}, "x")), runs).verdict, VerdictClass::kNone);
}

TEST(Forgiving, ContainsRowsWhoseMaskedColumnsDiffer) {
  const auto all = [](const std::vector<Row>& rows) {
    return outcome({rows_reply(rows), ok()}, {});
  };
  const Outcome serial = all({{"t1", "9:00"}, {"t2", "9:00"}});
  const std::vector<SerialRun> runs = {test::serial({0, 1}, serial), test::serial({1, 0}, serial)};
  Masks masks;
  masks.outputs[{0, 0, OutputPart::kColumn, 0, 1}] = 1;
  EXPECT_EQ(judge_under(kListing, record(all({{"t2", "9:01"}})), runs, masks).verdict,
            VerdictClass::kNone);
}

TEST(Forgiving, TellsOnlyTheRulesThatWereNeeded) {
  const RuleSet both = parse_rules(
      "server: mariadb\nrules:\n"
      "  - {name: idle, reason: r, owner: o, kind: ignore, reply: rows, column: c1}\n"
      "  - {name: used, reason: r, owner: o, kind: ignore, reply: rows, column: c0}\n",
      "f.yaml", known_servers());
  const RulesInForce rules(std::make_shared<const RuleSet>(both),
                           circumstances_of(input(), {"10.11.19", {}}));
  const ExecutionRecord seen = record(outcome({ok(), ok()}, {}));
  const RequestComparison comparison =
      compare_output(rows_reply({{"a", "1"}}), rows_reply({{"b", "1"}}), 0, 0, {},
                     Forgiveness(rules, seen.stamps));
  ASSERT_EQ(comparison.forgiven.size(), 1u);
  EXPECT_EQ(comparison.forgiven[0].rule, "used");
}

// --- tolerate

class Tolerate : public testing::Test {
 protected:
  static constexpr const char* kKeys = "kind: tolerate, errors: [1213], statement: SHOW TABLES";

  // A fails with 1213; the orders are A1 B1, B1 A1, and B1 alone. The state: what was done.
  static Verdict judge_with(const Outcome& seen, bool with_partial_order = true,
                            const std::string& keys = kKeys) {
    const Outcome whole = outcome({ok(), ok(1)}, {bag("tables", {"A", "B"})});
    std::vector<SerialRun> runs = {test::serial({0, 1}, whole), test::serial({1, 0}, whole)};
    if (with_partial_order) {
      SerialRun partial = test::serial({1}, outcome({Output{}, ok(1)}, {bag("tables", {"B"})}));
      partial.without = {{0, 0}};
      runs.push_back(partial);
    }
    return judge_under(keys, record(seen), runs);
  }
  static Outcome seen(const std::vector<std::string>& state, uint64_t other_reply = 1) {
    return outcome({error_reply(1213), ok(other_reply)}, {bag("tables", state)});
  }
};

TEST_F(Tolerate, AnErrorIsForgivenIfAllElseIsAsWithoutTheRequest) {
  const Verdict verdict = judge_with(seen({"B"}));
  EXPECT_EQ(verdict.verdict, VerdictClass::kNone);
  ASSERT_EQ(verdict.forgiven.size(), 1u);
  EXPECT_THAT(place_name(verdict.forgiven[0]), HasSubstr("the reply to A1: error 1213"));
}

TEST_F(Tolerate, AStateOrAnotherReplyThatDiffersIsNotForgiven) {
  EXPECT_EQ(judge_with(seen({"A", "B"})).verdict, VerdictClass::kError);
  EXPECT_EQ(judge_with(seen({})).verdict, VerdictClass::kError);
  EXPECT_EQ(judge_with(seen({"B"}, 2)).verdict, VerdictClass::kError);
}

TEST_F(Tolerate, AnErrorThatIsNotNamedIsNotForgiven) {
  EXPECT_EQ(judge_with(seen({"B"}), true, "kind: tolerate, errors: [1205]").verdict,
            VerdictClass::kError);
  EXPECT_EQ(
      judge_with(seen({"B"}), true, "kind: tolerate, errors: [1213], statement: DROP").verdict,
      VerdictClass::kError);
}

// DROP TABLE closes the HANDLERs of its session before it waits for others, and may then be
// refused.
TEST_F(Tolerate, ARequestThatFailedMayHaveLetGoOfWhatItsSessionHeldAndMayNotKeepMore) {
  const auto holding = [](Output reply, const std::vector<std::string>& held) {
    Component tables = bag("open-tables", held);
    tables.meaning = ComponentMeaning::kHeld;
    return outcome({std::move(reply), ok(1)}, {tables});
  };
  SerialRun partial = test::serial({1}, holding(Output{}, {"t in use"}));
  partial.without = {{0, 0}};
  const std::vector<SerialRun> runs = {test::serial({0, 1}, holding(ok(), {})),
                                       test::serial({1, 0}, holding(ok(), {})), partial};
  const auto judged = [&](const std::vector<std::string>& held) {
    return judge_under(kKeys, record(holding(error_reply(1213), held)), runs).verdict;
  };
  EXPECT_EQ(judged({"t in use"}), VerdictClass::kNone);
  EXPECT_EQ(judged({}), VerdictClass::kNone);
  EXPECT_EQ(judged({"t in use", "u in use"}), VerdictClass::kError);
}

// ALTER TABLE ... NOWAIT that would find a column there already.
TEST_F(Tolerate, AnErrorMayComeInPlaceOfAnotherOne) {
  const Outcome whole = outcome({error_reply(1060), ok(1)}, {bag("tables", {"B"})});
  SerialRun partial = test::serial({1}, outcome({Output{}, ok(1)}, {bag("tables", {"B"})}));
  partial.without = {{0, 0}};
  const std::vector<SerialRun> runs = {test::serial({0, 1}, whole), test::serial({1, 0}, whole),
                                       partial};
  EXPECT_EQ(judge_under(kKeys, record(seen({"B"})), runs).verdict, VerdictClass::kNone);
  EXPECT_TRUE(judge_under(kKeys, record(seen({"A"})), runs).violation());
}

// CHECK TABLE and its like.
TEST_F(Tolerate, AFailureMayBeToldInARow) {
  const char* keys = "kind: tolerate, column: c1, pattern: '^interrupted'";
  const auto judge_told = [&](const Output& told, const std::vector<std::string>& state,
                              const Output& serial) {
    const Outcome whole = outcome({serial, ok(1)}, {bag("tables", {"A", "B"})});
    SerialRun partial = test::serial({1}, outcome({Output{}, ok(1)}, {bag("tables", {"B"})}));
    partial.without = {{0, 0}};
    const std::vector<SerialRun> runs = {test::serial({0, 1}, whole), test::serial({1, 0}, whole),
                                         partial};
    return judge_under(keys, record(outcome({told, ok(1)}, {bag("tables", state)})), runs);
  };
  const Output well = rows_reply({{"t1", "OK"}});
  const Output failed = rows_reply({{"t1", "interrupted"}, {"t1", "Corrupt"}});
  const Verdict verdict = judge_told(failed, {"B"}, well);
  EXPECT_EQ(verdict.verdict, VerdictClass::kNone);
  ASSERT_EQ(verdict.forgiven.size(), 1u);
  EXPECT_THAT(place_name(verdict.forgiven[0]), HasSubstr("the reply to A1: a failure"));
  EXPECT_TRUE(judge_told(failed, {"A", "B"}, well).violation());
  EXPECT_TRUE(judge_told(rows_reply({{"t1", "Corrupt"}}), {"B"}, well).violation());
  EXPECT_TRUE(judge_told(rows_reply({{"interrupted", "OK"}}), {"B"}, well).violation());
  EXPECT_TRUE(judge_told(failed, {"B"}, failed).violation()) << "a serial order gives it, too";
}

TEST_F(Tolerate, AnOrderWithoutTheRequestExplainsNothingThatWasAnswered) {
  EXPECT_TRUE(judge_with(outcome({ok(), ok(1)}, {bag("tables", {"B"})})).violation());
}

TEST_F(Tolerate, WhereAllRequestsWereRefusedNothingMayHaveBeenDone) {
  const Outcome whole = outcome({ok(), ok(1)}, {bag("tables", {"A", "B"})});
  SerialRun nothing = test::serial({}, outcome({Output{}, Output{}}, {bag("tables", {})}));
  nothing.without = {{0, 0}, {1, 0}};
  std::vector<SerialRun> runs = {test::serial({0, 1}, whole), test::serial({1, 0}, whole)};
  const char* keys = "kind: tolerate, errors: [1213]";
  const auto refused = [](const std::vector<std::string>& state) {
    return record(outcome({error_reply(1213), error_reply(1213)}, {bag("tables", state)}));
  };
  EXPECT_EQ(judge_under(keys, refused({}), runs).verdict, VerdictClass::kDegraded);
  runs.push_back(nothing);
  EXPECT_EQ(judge_under(keys, refused({}), runs).verdict, VerdictClass::kNone);
  EXPECT_EQ(judge_under(keys, refused({"A"}), runs).verdict, VerdictClass::kError);
}

// Then it is a reply like any other, and its order says which state goes with it.
TEST_F(Tolerate, AnErrorThatASerialOrderGivesTooIsNotTolerated) {
  const Outcome whole = outcome({ok(), ok(1)}, {bag("tables", {"A", "B"})});
  const Outcome refused = outcome({error_reply(1213), ok(1)}, {bag("tables", {"B", "log"})});
  SerialRun partial = test::serial({1}, outcome({Output{}, ok(1)}, {bag("tables", {"B"})}));
  partial.without = {{0, 0}};
  const std::vector<SerialRun> runs = {test::serial({0, 1}, whole), test::serial({1, 0}, refused),
                                       partial};
  EXPECT_EQ(judge_under(kKeys, record(refused), runs).verdict, VerdictClass::kNone);
  EXPECT_TRUE(judge_under(kKeys, record(seen({"B"})), runs).violation());
}

// A deletes and then asks how many rows that were: of a deletion that was refused, -1.
TEST_F(Tolerate, WhatAsksForTheOutcomeOfTheRequestIsLeftOutWithIt) {
  ConcreteInput asking = pair_input("DELETE FROM t1", "DELETE FROM t2");
  const auto judged = [&](const std::string& second) {
    asking.input.clients[0].requests.resize(1);
    asking.input.clients[0].requests.push_back({second, false});
    const auto all = [](const Output& first, const Output& second_reply, const char* state) {
      return Outcome{{{first, second_reply}, {ok()}}, make_summary({bag("tables", {state})})};
    };
    const Outcome whole = all(ok(1), rows_reply({{"1"}}), "both");
    std::vector<SerialRun> runs;
    for (const Order& order : {Order{0, 0, 1}, Order{0, 1, 0}, Order{1, 0, 0}}) {
      runs.push_back(test::serial(order, whole));
    }
    const Outcome rest = all(Output{}, Output{}, "B's");
    SerialRun without = test::serial({1}, rest);
    without.without = {{0, 0}, {0, 1}};
    runs.push_back(without);
    const RulesInForce rules(rules_of("kind: tolerate, errors: [1213], statement: DELETE"),
                             circumstances_of(asking, {"10.11.19", {}}));
    const ExecutionRecord seen = record(all(error_reply(1213), rows_reply({{"-1"}}), "B's"));
    return judge(seen, runs, {}, Orders::kAsGiven, Forgiveness(rules, seen.stamps)).verdict;
  };
  EXPECT_EQ(judged("SELECT ROW_COUNT()"), VerdictClass::kNone);
  EXPECT_NE(judged("SELECT COUNT(*) FROM t1"), VerdictClass::kNone);
}

TEST_F(Tolerate, WhereNoOrderOfAllRequestsCanBeExecutedThoseWithoutItSayWhatShouldBe) {
  SerialRun partial = test::serial({1}, outcome({Output{}, ok(1)}, {bag("tables", {"B"})}));
  partial.without = {{0, 0}};
  std::vector<SerialRun> runs = {test::serial({0, 1}, {}), test::serial({1, 0}, {})};
  for (SerialRun& run : runs) run.infeasible = "it ended in deadlock";
  EXPECT_EQ(judge_under(kKeys, record(seen({"A"})), runs).verdict, VerdictClass::kDegraded);
  runs.push_back(partial);
  EXPECT_EQ(judge_under(kKeys, record(seen({"B"})), runs).verdict, VerdictClass::kNone);
  const Verdict verdict = judge_under(kKeys, record(seen({"A", "B"})), runs);
  EXPECT_EQ(verdict.verdict, VerdictClass::kLatent);
  EXPECT_EQ(verdict.nearest(), 2);
  EXPECT_EQ(judge_under(kKeys, record(seen({"B"}, 2)), runs).verdict, VerdictClass::kSemantic);
  const ExecutionRecord unnamed = record(outcome({error_reply(1), ok(1)}, {bag("tables", {"A"})}));
  EXPECT_EQ(judge_under(kKeys, unnamed, runs).verdict, VerdictClass::kDegraded);
}

TEST_F(Tolerate, OrdersStandInOnlyIfAllOfThemWereExecuted) {
  ConcreteInput three = pair_input("SHOW TABLES", "DELETE FROM t2");
  three.input.clients.push_back(three.input.clients[1]);
  const auto all = [](const Output& first, const char* state) {
    return Outcome{{{first}, {ok()}, {ok()}}, make_summary({bag("tables", {state})})};
  };
  std::vector<SerialRun> runs;
  for (const Order& order : {Order{0, 1, 2}, Order{0, 2, 1}, Order{1, 0, 2}, Order{1, 2, 0},
                             Order{2, 0, 1}, Order{2, 1, 0}}) {
    runs.push_back(test::serial(order, all(ok(), "all")));
    runs.back().infeasible = "it ended in deadlock";
  }
  const RulesInForce rules(rules_of(kKeys), circumstances_of(three, {"10.11.19", {}}));
  const auto judged = [&](const char* state) {
    const ExecutionRecord seen = record(all(error_reply(1213), state));
    return judge(seen, runs, {}, Orders::kAsGiven, Forgiveness(rules, seen.stamps)).verdict;
  };
  const auto add = [&](const Order& order, const char* state) {
    runs.push_back(test::serial(order, all(Output{}, state)));
    runs.back().without = {{0, 0}};
  };
  add({1, 2}, "C last");
  EXPECT_EQ(judged("C last"), VerdictClass::kNone);
  EXPECT_EQ(judged("B last"), VerdictClass::kDegraded);
  add({2, 1}, "B last");
  EXPECT_EQ(judged("B last"), VerdictClass::kNone);
  EXPECT_EQ(judged("none"), VerdictClass::kLatent);
}

TEST_F(Tolerate, WithoutSuchAnOrderNobodyCanSay) {
  EXPECT_EQ(judge_with(seen({"B"}), false).verdict, VerdictClass::kDegraded);
}

TEST(OrderName, SaysWhatIsLeftOut) {
  EXPECT_EQ(order_name(Order{0, 1}, RequestSet{{0, 0}}), "A2 B1, without A1");
  EXPECT_EQ(order_name(Order{0, 1}, RequestSet{}), "A1 B1");
}

TEST(FindingFilters, AreKeptWithStampsAndPartialOrdersAndReadBack) {
  Finding finding;
  finding.id = "0123456789abcdef";
  finding.verdict = VerdictClass::kError;
  finding.input = input();
  finding.outcome = outcome({error_reply(1213), ok()}, {bag("tables", {"B"})});
  finding.stamps = {{{1, 5}}, {{2, kNever}}};
  FindingOrder partial;
  partial.order = {1};
  partial.without = {{0, 0}};
  partial.outcome = outcome({Output{}, ok()}, {bag("tables", {"B"})});
  finding.orders = {partial};
  finding.filters = {{"f.yaml", "server: mariadb\nrules: []\n"}};
  const Finding again =
      finding_from_yaml(finding_to_yaml(finding), "finding.yaml", known_servers());
  EXPECT_EQ(again.filters, finding.filters);
  EXPECT_EQ(again.orders.at(0).without, partial.without);
  EXPECT_EQ(again.stamps.at(1).at(0).response, kNever);
  EXPECT_EQ(serial_runs_of(again).at(0).without, partial.without);
}

TEST(ReplayUnderRules, IgnoresWhatIsIgnoredButNotWhatIsOnlyContained) {
  const auto matches = [](const std::string& keys) {
    const RulesInForce rules(rules_of(keys), circumstances_of(input(), {"10.11.19", {}}));
    Finding finding;
    finding.input = input();
    finding.outcome = outcome({rows_reply({{"t1"}, {"t2"}}), ok()}, {});
    const ExecutionRecord again = record(outcome({rows_reply({{"t2"}, {"t3"}}), ok()}, {}));
    const ExecutionRecord less = record(outcome({rows_reply({{"t2"}}), ok()}, {}));
    return std::make_pair(match_replay(again, finding, rules).same,
                          match_replay(less, finding, rules).same);
  };
  EXPECT_EQ(matches("kind: ignore, reply: rows, column: c0").first, true);
  EXPECT_EQ(matches(kListing).second, false);
}

}  // namespace
}  // namespace esox::test
