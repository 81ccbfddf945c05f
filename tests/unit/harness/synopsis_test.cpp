// SPDX-License-Identifier: Apache-2.0
#include "harness/records/synopsis.h"

#include <gmock/gmock.h>

#include "tests/unit/harness/records.h"

namespace esox {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;
using testing::StartsWith;

std::vector<std::string> explain(const Outcome& outcome) {
  const Judged judged = judged_of(record_of(outcome));
  EXPECT_TRUE(judged.verdict.violation());
  return explanation_lines(two_clients(), judged.report.record, judged.verdict);
}

TEST(StatementLines, NameEachRequest) {
  EXPECT_THAT(statement_lines(two_clients()),
              ElementsAre("A1: SELECT a FROM t1", "B1: INSERT INTO t1 VALUES (2)"));
}

TEST(StatementLines, AreBoundedInNumberAndWidth) {
  Input input = two_clients();
  input.clients[0].requests.assign(10, {std::string(1000, 'x'), false});
  const auto lines = statement_lines(input, 3);
  ASSERT_THAT(lines, SizeIs(3));
  EXPECT_LE(lines[0].size(), 110u);
  EXPECT_EQ(lines[2], "and 9 more requests");
}

TEST(StatementLines, NeverHoldLineEnds) {
  Input input = two_clients();
  input.clients[0].requests[0].text = "SELECT\n1";
  EXPECT_THAT(statement_lines(input)[0], Not(HasSubstr("\n")));
}

TEST(ExplanationLines, SayWhatWasExpectedAndWhatWasSeenInTheState) {
  const auto lines = explain(outcome_of({"1"}, {"1", "7"}));
  ASSERT_THAT(lines, SizeIs(3));
  EXPECT_EQ(lines[0], "wrong:    the rows of test.t1");
  EXPECT_THAT(lines[1], StartsWith("expected: 2  [as after A1 B1"));
  EXPECT_EQ(lines[2], "seen:     7");
}

TEST(ExplanationLines, SayWhatIsMissingAndWhatIsTooMuch) {
  EXPECT_THAT(explain(outcome_of({"1"}, {"1"}))[2], HasSubstr("none of these"));
  EXPECT_THAT(explain(outcome_of({"1"}, {"1", "2", "2"}))[2], HasSubstr("too much: (2)"));
}

TEST(ExplanationLines, ShowAWrongReply) {
  const auto lines = explain(outcome_of({"5", "6"}, {"1", "2"}));
  EXPECT_THAT(lines[0], HasSubstr("the reply to A1 (rows)"));
  EXPECT_THAT(lines[1], HasSubstr("(1)"));
  EXPECT_THAT(lines[2], HasSubstr("(5)"));
}

TEST(ExplanationLines, CountFurtherDifferences) {
  const auto lines = explain(outcome_of({"5"}, {"9"}));
  EXPECT_THAT(lines, SizeIs(4));
  EXPECT_EQ(lines.back(), "and 1 more difference");
}

std::string headline_of(const Outcome& outcome) {
  const Judged judged = judged_of(record_of(outcome));
  return headline(two_clients(), judged.report.record, judged.verdict);
}

TEST(Headline, IsTheWrongAnswerAndNotTheRequests) {
  EXPECT_EQ(headline_of(outcome_of({"5", "6"}, {"1", "9"})),
            "the reply to A1 (rows): (5) (6) instead of (1)");
  EXPECT_EQ(headline_of(outcome_of({"1"}, {"1"})), "the rows of test.t1: (2) missing");
  EXPECT_EQ(headline_of(outcome_of({"1"}, {"1", "2", "2"})), "the rows of test.t1: (2) too much");
}

TEST(Headline, OfWhatDidNotEndSaysSo) {
  ExecutionRecord record = record_of(outcome_of({"1"}, {"1", "2"}));
  record.ending.kind = EndingKind::kCrash;
  record.ending.detail = {"the server: killed by SIGSEGV"};
  EXPECT_EQ(headline(two_clients(), record, judge(record, two_orders(), {})),
            "The server crashed. the server: killed by SIGSEGV");
}

TEST(Headline, OfADeadlockSaysWhoWaitsAndWhere) {
  ExecutionRecord record = record_of(outcome_of({"1"}, {"1", "2"}));
  record.modules = {{0x1000, 0x9000, 0x1000, "/usr/sbin/server"}};
  record.ending.kind = EndingKind::kDeadlock;
  record.ending.detail = {"deadlock; all stacks:",
                          "thread 7 (client A):",
                          "  #0 __poll+0x50",
                          "thread 8 (client B):",
                          "  #0 pthread_cond_wait+0x66 (cond.cpp:113)",
                          "  #1 server+0x81",
                          "  #2 drop_table+0xa1"};
  record.ending.wait_cycle = {{.waiter = 1, .kind = OpKind::kCondWait, .site = 0x1081}};
  const auto told = [&] {
    return headline(two_clients(), record, judge(record, two_orders(), {}));
  };
  EXPECT_EQ(told(),
            "The server's threads wait for each other for ever. B waits in drop_table, for "
            "what nobody is left to end");
  record.ending.detail.clear();
  record.ending.wait_cycle[0].holder = 0;
  EXPECT_EQ(told(), "The server's threads wait for each other for ever. B waits, for what A has");
}

TEST(UnequalReplies, ShowWhatEachOfTwoEqualRunsGave) {
  std::vector<SerialRun> runs = two_orders();
  EXPECT_THAT(unequal_reply_lines(two_clients(), runs), SizeIs(0));
  runs[0].second.outputs[0][0] = rows_output({"7"});
  const auto lines = unequal_reply_lines(two_clients(), runs);
  ASSERT_THAT(lines, SizeIs(1));
  EXPECT_THAT(lines[0], StartsWith("A1 (rows) in A1 B1: ("));
  EXPECT_THAT(lines[0], HasSubstr(" in one run, (7) in another"));
}

TEST(UnequalReplies, OfLongOnesShowWhereTheyDiffer) {
  std::vector<SerialRun> runs = two_orders();
  const std::string alike(300, 'x');
  runs[0].first.outputs[0][0] = rows_output({alike + " one " + alike});
  runs[0].second.outputs[0][0] = rows_output({alike + " other " + alike});
  const auto lines = unequal_reply_lines(two_clients(), runs);
  ASSERT_THAT(lines, SizeIs(1));
  EXPECT_THAT(lines[0], HasSubstr(" one "));
  EXPECT_THAT(lines[0], HasSubstr(" other "));
  EXPECT_LT(lines[0].size(), 230);
}

TEST(ExplanationLines, OfACachedAnswerLeaveDigestsOut) {
  const auto component = [](const std::string& value) {
    return make_component("answer:SELECT a FROM t1", ComponentKind::kMap, {{"A cached", value}});
  };
  const std::string digest(32, 'a');
  std::vector<SerialRun> runs = two_orders();
  for (SerialRun& run : runs) {
    run.first.state = make_summary({component("a INT: 2 rows, " + digest + "\n('1')\n('2')")});
    run.second = run.first;
  }
  ExecutionRecord record = record_of(runs[0].first);
  record.outcome.state = make_summary({component("a INT: 1 row, " + digest + "\n('1')")});
  const auto lines = explanation_lines(two_clients(), record, judge(record, runs, {}));
  EXPECT_EQ(lines[0], "wrong:    the answer when asked again, SELECT a FROM t1, A cached");
  EXPECT_THAT(lines[1], StartsWith("expected: a INT: 2 rows ('1') ('2')"));
  EXPECT_EQ(lines[2], "seen:     a INT: 1 row ('1')");
}

TEST(ExplanationLines, OfAStaleQueryCacheSayWhatItAnswersAndWhatTheTablesSay) {
  const auto component = [](const std::string& value) {
    return make_component("query-cache:SELECT a FROM t1", ComponentKind::kMap, {{"A", value}});
  };
  std::vector<SerialRun> runs = two_orders();
  for (SerialRun& run : runs) {
    run.first.state = make_summary({component("answers as the tables do")});
    run.second = run.first;
  }
  ExecutionRecord record = record_of(runs[0].first);
  record.outcome.state =
      make_summary({component("answers 1 row ('1'); the tables say 2 rows ('1'), ('2')")});
  const auto lines = explanation_lines(two_clients(), record, judge(record, runs, {}));
  EXPECT_EQ(lines[0], "wrong:    the query cache's answer to SELECT a FROM t1, A");
  EXPECT_THAT(lines[1], StartsWith("expected: answers as the tables do"));
  EXPECT_EQ(lines[2], "seen:     answers 1 row ('1'); the tables say 2 rows ('1'), ('2')");
}

TEST(ExplanationLines, OfACrashAreItsDetailWithoutHeadings) {
  ExecutionRecord record = record_of(outcome_of({"1"}, {"1", "2"}));
  record.ending.kind = EndingKind::kCrash;
  record.ending.detail = {"stacks at the crash:", "  #0 boom+0x1", "the server: killed by SIGSEGV"};
  const Verdict verdict = judge(record, two_orders(), {});
  EXPECT_THAT(explanation_lines(two_clients(), record, verdict),
              ElementsAre("  #0 boom+0x1", "the server: killed by SIGSEGV"));
}

TEST(ReplyLine, IsShortAndExact) {
  EXPECT_EQ(reply_line(rows_output({})), "0 rows");
  EXPECT_EQ(reply_line(rows_output({"1"})), "1 row: (1)");
  EXPECT_THAT(reply_line(rows_output(std::vector<std::string>(20, "1"))), HasSubstr("14 more"));
  EXPECT_EQ(reply_line(affected_output(3)), "3 affected");
  EXPECT_EQ(reply_line(Output{}), "no reply");
  Output error;
  error.answered = true;
  error.error = 1146;
  error.sql_state = "42S02";
  error.message = "no table";
  EXPECT_EQ(reply_line(error), "error 1146 (42S02): no table");
}

}  // namespace
}  // namespace esox
