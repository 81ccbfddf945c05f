// SPDX-License-Identifier: Apache-2.0
#include "analysis/verdict.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/nondeterminism.h"
#include "tests/unit/analysis/builders.h"

namespace esox {
namespace {

using test::bag;
using test::error_reply;
using test::infeasible;
using test::kNoMasks;
using test::ok;
using test::outcome;
using test::record;
using test::rows_reply;
using test::serial;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Verdict judged(const ExecutionRecord& execution, const std::vector<SerialRun>& runs) {
  return judge(execution, runs, find_nondeterminism(runs));
}

// --- Table 5.2 of the thesis: the pattern of O and S gives class and latency --------------------

// What an order gives is made from its letter: replies "A" after order A, state "A" after order A.
// The concurrent execution takes its replies from one order or from none, and so its state.
struct TableRow {
  const char* name;
  const char* replies;  // "A", "B": fits that order; "x": fits none; "!": a new error, fits none
  const char* state;    // "A", "B": fits that order; "*": fits both; "x": fits none
  VerdictClass verdict;
  bool latent;
};

class TableFiveTwo : public ::testing::TestWithParam<TableRow> {};

TEST_P(TableFiveTwo, PatternGivesClassAndLatency) {
  const TableRow& row = GetParam();
  const bool same_state = std::string(row.state) == "*";
  const auto of_order = [&](const std::string& letter) {
    return outcome({rows_reply({{letter}}), ok()}, {bag("rows", {same_state ? "*" : letter})});
  };
  const std::vector<SerialRun> runs = {serial({0, 1}, of_order("A")),
                                       serial({1, 0}, of_order("B"))};
  const Output reply = std::string(row.replies) == "!" ? error_reply(1017, "Can't find file")
                                                       : rows_reply({{row.replies}});
  const Verdict verdict = judged(record(outcome({reply, ok()}, {bag("rows", {row.state})})), runs);
  EXPECT_EQ(class_name(verdict.verdict), std::string(class_name(row.verdict)));
  EXPECT_EQ(verdict.latent, row.latent);
  EXPECT_THAT(verdict.matched, IsEmpty());
  ASSERT_EQ(verdict.table.size(), 2u);
  EXPECT_EQ(verdict.table[0].comparison.outputs_match(), std::string(row.replies) == "A");
  EXPECT_EQ(verdict.table[1].comparison.outputs_match(), std::string(row.replies) == "B");
  EXPECT_EQ(verdict.table[0].comparison.state_match(), std::string(row.state) == "A" || same_state);
  EXPECT_EQ(verdict.table[1].comparison.state_match(), std::string(row.state) == "B" || same_state);
}

// The thesis calls the effect of latent rows "semantic"; here they have a class of their own.
INSTANTIATE_TEST_SUITE_P(
    Thesis, TableFiveTwo,
    ::testing::Values(TableRow{"create_like_insert_select", "!", "B", VerdictClass::kError, false},
                      TableRow{"insert_select_distinct", "B", "x", VerdictClass::kLatent, true},
                      TableRow{"create_like_insert_select_other_state", "!", "B",
                               VerdictClass::kError, false},
                      TableRow{"truncate_select", "A", "x", VerdictClass::kLatent, true},
                      TableRow{"insert_select", "B", "x", VerdictClass::kLatent, true},
                      TableRow{"insert_straight_join", "A", "x", VerdictClass::kLatent, true},
                      TableRow{"drop_show_table_status", "x", "*", VerdictClass::kSemantic, false},
                      TableRow{"insert_sec_to_time", "B", "x", VerdictClass::kLatent, true},
                      TableRow{"create_select_drop", "x", "B", VerdictClass::kSemantic, false},
                      TableRow{"insert_repeat_length", "B", "x", VerdictClass::kLatent, true},
                      TableRow{"insert_count_like", "B", "x", VerdictClass::kLatent, true},
                      TableRow{"optimize_drop", "A", "B", VerdictClass::kLatent, true}),
    [](const auto& row) { return row.param.name; });

// --- Accepted ------------------------------------------------------------------------------------

TEST(Verdict, ExecutionThatEqualsOneOrderIsAccepted) {
  const auto runs = test::StaleCache::serial_runs();
  for (size_t i = 0; i < runs.size(); ++i) {
    const Verdict verdict = judged(record(runs[i].first), runs);
    EXPECT_EQ(verdict.verdict, VerdictClass::kNone);
    EXPECT_THAT(verdict.matched, ElementsAre(i));
    EXPECT_FALSE(verdict.violation());
    EXPECT_FALSE(verdict.latent);
  }
}

// The orders were executed on the server that is accused.
TEST(Verdict, AForbiddenAnomalyIsSemanticWhateverOrderExplainsTheRest) {
  const Outcome same = outcome({ok(), ok()}, {bag("rows", {"1"})});
  const std::vector<SerialRun> runs = {serial({0, 1}, same), serial({1, 0}, same)};
  ExecutionRecord seen = record(same);
  seen.anomaly = {"G-single", {"A1 -> B1: rw"}, false};
  EXPECT_EQ(judged(seen, runs).verdict, VerdictClass::kNone) << "the level allows it";
  seen.anomaly.forbidden = true;
  EXPECT_EQ(judged(seen, runs).verdict, VerdictClass::kSemantic);
  EXPECT_TRUE(judged(seen, runs).matched.empty());
}

TEST(Verdict, RowsInAnotherOrderAreHarmless) {
  const auto state = {bag("rows", {"1"})};
  const std::vector<SerialRun> runs = {
      serial({0, 1}, outcome({rows_reply({{"1"}, {"2"}}), ok()}, state)),
      serial({1, 0}, outcome({rows_reply({{"3"}}), ok()}, state))};
  const auto execution = record(outcome({rows_reply({{"2"}, {"1"}}), ok()}, state));
  EXPECT_EQ(judged(execution, runs).verdict, VerdictClass::kNone);
}

TEST(Verdict, WhatDiffersBetweenEqualSerialRunsIsHarmless) {
  const auto at = [](const char* clock, const char* value) {
    return outcome({rows_reply({{value, clock}}), ok()}, {});
  };
  const std::vector<SerialRun> runs = {{{0, 1}, at("10:00", "1"), at("10:01", "1"), ""},
                                       {{1, 0}, at("10:02", "2"), at("10:02", "2"), ""}};
  EXPECT_EQ(judged(record(at("11:11", "2")), runs).verdict, VerdictClass::kNone);
  EXPECT_EQ(judged(record(at("11:11", "3")), runs).verdict, VerdictClass::kSemantic);
}

// --- Classes -------------------------------------------------------------------------------------

TEST(Verdict, StaleQueryCacheIsLatent) {
  const Verdict verdict = judged(test::StaleCache::execution(), test::StaleCache::serial_runs());
  EXPECT_EQ(verdict.verdict, VerdictClass::kLatent);
  EXPECT_TRUE(verdict.latent);
  EXPECT_EQ(verdict.nearest(), 0);
}

TEST(Verdict, WrongReplyWithWrongStateIsSemanticAndLatent) {
  const auto of = [](const char* v) {
    return outcome({rows_reply({{v}}), ok()}, {bag("rows", {v})});
  };
  const std::vector<SerialRun> runs = {serial({0, 1}, of("1")), serial({1, 0}, of("2"))};
  const Verdict verdict = judged(record(of("3")), runs);
  EXPECT_EQ(verdict.verdict, VerdictClass::kSemantic);
  EXPECT_TRUE(verdict.latent);
}

TEST(Verdict, ErrorThatSomeOrderGivesIsSemanticIfTheRestFitsNone) {
  // DROP || SELECT: "no such table" is legitimate, the affected rows of the other are not.
  const std::vector<SerialRun> runs = {serial({0, 1}, outcome({ok(1), error_reply(1146)}, {})),
                                       serial({1, 0}, outcome({ok(1), ok(1)}, {}))};
  EXPECT_EQ(judged(record(outcome({ok(2), error_reply(1146)}, {})), runs).verdict,
            VerdictClass::kSemantic);
  EXPECT_EQ(judged(record(outcome({ok(1), error_reply(1017)}, {})), runs).verdict,
            VerdictClass::kError);
}

TEST(Verdict, ErrorOfAnotherRequestDoesNotExcuse) {
  // 1146 is what B gives; A never does.
  const std::vector<SerialRun> runs = {serial({0, 1}, outcome({ok(), error_reply(1146)}, {})),
                                       serial({1, 0}, outcome({ok(), ok()}, {}))};
  EXPECT_EQ(judged(record(outcome({error_reply(1146), ok()}, {})), runs).verdict,
            VerdictClass::kError);
}

TEST(Verdict, RepliesOfOneOrderWithTheStateOfAnotherAreLatent) {
  const auto of = [](const char* reply, const char* state) {
    return outcome({rows_reply({{reply}}), ok()}, {bag("rows", {state})});
  };
  const std::vector<SerialRun> runs = {serial({0, 1}, of("1", "1")), serial({1, 0}, of("2", "2"))};
  EXPECT_EQ(judged(record(of("1", "2")), runs).verdict, VerdictClass::kLatent);
}

TEST(Verdict, EachComponentMustFitTheSameOrder) {
  const auto of = [](const char* x, const char* y) {
    return outcome({ok(), ok()}, {bag("x", {x}), bag("y", {y})});
  };
  const std::vector<SerialRun> runs = {serial({0, 1}, of("1", "1")), serial({1, 0}, of("2", "2"))};
  EXPECT_EQ(judged(record(of("1", "1")), runs).verdict, VerdictClass::kNone);
  EXPECT_EQ(judged(record(of("1", "2")), runs).verdict, VerdictClass::kLatent);
}

// --- Real time -----------------------------------------------------------------------------------

TEST(Verdict, AnOrderThatRealTimeExcludesExplainsNothing) {
  const auto runs = test::StaleCache::serial_runs();
  ExecutionRecord execution = record(runs[1].first);  // as if B ran first
  EXPECT_EQ(judged(execution, runs).verdict, VerdictClass::kNone);
  execution.stamps = {{{0, 10}}, {{11, 20}}};  // but A was answered before B began
  const Verdict verdict = judged(execution, runs);
  EXPECT_EQ(verdict.verdict, VerdictClass::kSemantic);
  EXPECT_FALSE(verdict.table[1].allowed);
  EXPECT_TRUE(verdict.table[1].comparison.fully_matches());  // still shown to the reader
  EXPECT_EQ(verdict.nearest(), 0);
}

TEST(Verdict, AnErrorOfAnExcludedOrderIsNew) {
  const std::vector<SerialRun> runs = {serial({0, 1}, outcome({ok(), ok()}, {})),
                                       serial({1, 0}, outcome({error_reply(1146), ok()}, {}))};
  ExecutionRecord execution = record(outcome({error_reply(1146), ok()}, {}));
  execution.stamps = {{{0, 10}}, {{11, 20}}};
  EXPECT_EQ(judged(execution, runs).verdict, VerdictClass::kError);
}

// --- Endings -------------------------------------------------------------------------------------

TEST(Verdict, CrashDeadlockAndHangNeedNoOrders) {
  for (const auto& [ending, expected] : {std::pair{EndingKind::kCrash, VerdictClass::kCrash},
                                         std::pair{EndingKind::kDeadlock, VerdictClass::kDeadlock},
                                         std::pair{EndingKind::kHang, VerdictClass::kHang}}) {
    ExecutionRecord execution = record(outcome({ok(), Output{}}, {}));
    execution.ending.kind = ending;
    const Verdict verdict = judge(execution, {}, kNoMasks);
    EXPECT_EQ(verdict.verdict, expected);
    EXPECT_TRUE(verdict.violation());
  }
}

TEST(Verdict, LostControlIsNeverJudgedEvenIfTheOutcomeIsWrong) {
  ExecutionRecord execution = test::StaleCache::execution();
  execution.degraded_reasons = {"the trace was full"};
  const Verdict verdict = judged(execution, test::StaleCache::serial_runs());
  EXPECT_EQ(verdict.verdict, VerdictClass::kDegraded);
  EXPECT_FALSE(verdict.violation());
  EXPECT_THAT(verdict.degraded_reasons, ElementsAre("the trace was full"));
}

TEST(Verdict, AfterLostControlADeadlockIsDegradedButACrashStaysACrash) {
  ExecutionRecord execution = record(outcome({ok(), ok()}, {}));
  execution.degraded_reasons = {"a thread was lost"};
  execution.ending.kind = EndingKind::kDeadlock;
  EXPECT_EQ(judge(execution, {}, kNoMasks).verdict, VerdictClass::kDegraded);
  execution.ending.kind = EndingKind::kHang;
  EXPECT_EQ(judge(execution, {}, kNoMasks).verdict, VerdictClass::kDegraded);
  execution.ending.kind = EndingKind::kCrash;
  EXPECT_EQ(judge(execution, {}, kNoMasks).verdict, VerdictClass::kCrash);
}

// --- Nothing sound to compare with ---------------------------------------------------------------

TEST(Verdict, WithoutAnyFeasibleOrderItIsDegraded) {
  const std::vector<SerialRun> runs = {infeasible({0, 1}, "B1 waits for a lock of A"),
                                       infeasible({1, 0}, "the server died")};
  const Verdict verdict = judged(record(outcome({ok(), ok()}, {})), runs);
  EXPECT_EQ(verdict.verdict, VerdictClass::kDegraded);
  EXPECT_THAT(verdict.degraded_reasons, ElementsAre("no serial order could be executed: B1 waits "
                                                    "for a lock of A"));
  EXPECT_EQ(judge(record(outcome({ok(), ok()}, {})), {}, kNoMasks).verdict,
            VerdictClass::kDegraded);
}

TEST(Verdict, AnInfeasibleOrderIsNoExplanationButTheOthersJudge) {
  const std::vector<SerialRun> runs = {serial({0, 1}, outcome({ok(1), ok()}, {})),
                                       infeasible({1, 0}, "A1 waits for a lock of B")};
  EXPECT_EQ(judged(record(outcome({ok(1), ok()}, {})), runs).verdict, VerdictClass::kNone);
  EXPECT_EQ(judged(record(outcome({ok(2), ok()}, {})), runs).verdict, VerdictClass::kSemantic);
}

// A HANDLER of MySQL is closed when somebody waits for its table; in an order of whole requests
// that one waits for ever.
class WhatSessionsHold : public ::testing::Test {
 protected:
  static Outcome holding(const std::vector<std::string>& held, uint64_t affected = 1) {
    Component tables = bag("open-tables", held);
    tables.meaning = ComponentMeaning::kHeld;
    return outcome({ok(affected), ok()}, {tables, bag("rows:t", {"1"})});
  }

  const std::vector<SerialRun> blocked_ = {serial({0, 1}, holding({"t in use"})),
                                           infeasible({1, 0}, "A1 waits for what B holds")};
  const std::vector<SerialRun> executed_ = {serial({0, 1}, holding({"t in use"})),
                                            serial({1, 0}, holding({"t in use"}))};
};

TEST_F(WhatSessionsHold, IsNotKnownWhereAnOrderCouldNotBeExecuted) {
  const Verdict verdict = judged(record(holding({})), blocked_);
  EXPECT_EQ(verdict.verdict, VerdictClass::kDegraded);
  EXPECT_FALSE(verdict.latent);
  EXPECT_THAT(verdict.degraded_reasons, ElementsAre(HasSubstr("could not be executed")));
}

TEST_F(WhatSessionsHold, IsJudgedWhereAllOrdersWereExecuted) {
  EXPECT_EQ(judged(record(holding({})), executed_).verdict, VerdictClass::kLatent);
}

TEST_F(WhatSessionsHold, IsJudgedWhereRealTimeExcludesTheOrderThatWasNotExecuted) {
  ExecutionRecord execution = record(holding({}));
  execution.stamps = {{{0, 10}}, {{11, 20}}};
  EXPECT_EQ(judged(execution, blocked_).verdict, VerdictClass::kLatent);
}

TEST_F(WhatSessionsHold, IsAllThatMayDiffer) {
  EXPECT_EQ(judged(record(holding({}, 2)), blocked_).verdict, VerdictClass::kSemantic);
  Outcome wrong_rows = holding({});
  wrong_rows.state.components[1] = bag("rows:t", {"2"});
  EXPECT_EQ(judged(record(wrong_rows), blocked_).verdict, VerdictClass::kLatent);
  EXPECT_EQ(judged(record(holding({"t in use", "u in use"})), blocked_).verdict,
            VerdictClass::kLatent);
}

TEST_F(WhatSessionsHold, IsNotKnownAfterASearchThatMetARequestThatWaits) {
  const std::vector<SerialRun> one = {executed_[0]};
  const ExecutionRecord execution = record(holding({}));
  EXPECT_EQ(judge(execution, one, kNoMasks, Orders::kBlocked).verdict, VerdictClass::kDegraded);
  EXPECT_EQ(judge(execution, one, kNoMasks, Orders::kSearched).verdict, VerdictClass::kLatent);
}

TEST(Verdict, AnOrderThatWasNotHandedInMayBeTheExplanation) {
  const std::vector<SerialRun> runs = {serial({0, 1}, outcome({ok(1), ok()}, {}))};
  const Verdict verdict = judged(record(outcome({ok(2), ok()}, {})), runs);
  EXPECT_EQ(verdict.verdict, VerdictClass::kDegraded);
  EXPECT_THAT(verdict.degraded_reasons.front(), HasSubstr("were not executed"));
  EXPECT_EQ(judged(record(outcome({ok(1), ok()}, {})), runs).verdict, VerdictClass::kNone);
}

TEST(Verdict, AMissingOrderThatRealTimeExcludesIsNotMissed) {
  const std::vector<SerialRun> runs = {serial({0, 1}, outcome({ok(1), ok()}, {}))};
  ExecutionRecord execution = record(outcome({ok(2), ok()}, {}));
  execution.stamps = {{{0, 10}}, {{11, 20}}};
  EXPECT_EQ(judged(execution, runs).verdict, VerdictClass::kSemantic);
}

TEST(Verdict, AnUnavailableComponentThatDecidesMakesItDegraded) {
  const auto gone = unavailable_component("rows:t1", ComponentKind::kMultiset, "error 2013");
  const std::vector<SerialRun> runs = {serial({0, 1}, outcome({ok(1)}, {bag("rows:t1", {"1"})}))};
  ExecutionRecord execution = record(outcome({ok(1)}, {gone}));
  execution.stamps = {{{0, 10}}};
  std::vector<SerialRun> one = {serial({0}, runs[0].first)};
  const Verdict verdict = judged(execution, one);
  EXPECT_EQ(verdict.verdict, VerdictClass::kDegraded);
  EXPECT_THAT(verdict.degraded_reasons, ElementsAre("component rows:t1 unavailable: error 2013"));
}

TEST(Verdict, AnUnavailableComponentDoesNotHideAWrongReplyOrAnotherComponent) {
  const auto gone = unavailable_component("check", ComponentKind::kMap, "error 2013");
  const auto of = [&](uint64_t affected, const char* value) {
    return outcome({ok(affected)}, {gone, bag("rows", {value})});
  };
  const std::vector<SerialRun> runs = {serial({0}, of(1, "1"))};
  EXPECT_EQ(judged(record(of(2, "1")), runs).verdict, VerdictClass::kSemantic);
  EXPECT_EQ(judged(record(of(1, "2")), runs).verdict, VerdictClass::kLatent);
  EXPECT_EQ(judged(record(of(1, "1")), runs).verdict, VerdictClass::kDegraded);
}

TEST(Verdict, AnUnavailableComponentOfAnOrderWhoseRepliesDifferDecidesNothing) {
  const auto of = [](uint64_t affected, const char* value, bool available) {
    return outcome({ok(affected), ok()},
                   {bag("rows", {value}),
                    available ? bag("check", {"ok"})
                              : unavailable_component("check", ComponentKind::kMultiset, "lost")});
  };
  const std::vector<SerialRun> runs = {serial({0, 1}, of(1, "1", true)),
                                       serial({1, 0}, of(2, "3", false))};
  EXPECT_EQ(judged(record(of(1, "3", true)), runs).verdict, VerdictClass::kLatent);
}

TEST(Verdict, StateOfAnExcludedOrderDoesNotTakeTheDamageAway) {
  const auto of = [](const char* reply, const char* state) {
    return outcome({rows_reply({{reply}}), ok()}, {bag("rows", {state})});
  };
  const std::vector<SerialRun> runs = {serial({0, 1}, of("1", "1")), serial({1, 0}, of("2", "2"))};
  ExecutionRecord execution = record(of("3", "2"));
  EXPECT_FALSE(judged(execution, runs).latent);
  execution.stamps = {{{0, 10}}, {{11, 20}}};
  EXPECT_TRUE(judged(execution, runs).latent);
}

TEST(VerdictClass, NamesGoBothWays) {
  for (auto c : {VerdictClass::kNone, VerdictClass::kSemantic, VerdictClass::kError,
                 VerdictClass::kLatent, VerdictClass::kCrash, VerdictClass::kDeadlock,
                 VerdictClass::kHang, VerdictClass::kDegraded}) {
    EXPECT_EQ(class_from_name(class_name(c)), c);
  }
  EXPECT_FALSE(class_from_name("bad"));
}

}  // namespace
}  // namespace esox
