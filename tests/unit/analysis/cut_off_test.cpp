// SPDX-License-Identifier: Apache-2.0
// A reply that was cut off is any that a serial order gives; a connection that ends for no reason
// is a fault.
#include "analysis/cut_off.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/nondeterminism.h"
#include "analysis/verdict.h"
#include "summaries/garbled.h"
#include "tests/unit/analysis/builders.h"

namespace esox {
namespace {

using test::bag;
using test::infeasible;
using test::ok;
using test::record;
using test::serial;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

Output lost() {
  Output output;
  output.message = "Lost connection";
  return output;
}

// A inserts 1 and 2, B kills A's connection.
Outcome after(Output a1, Output a2, const std::vector<std::string>& rows) {
  Outcome value;
  value.outputs = {{std::move(a1), std::move(a2)}, {ok()}};
  value.state = make_summary({bag("rows", rows)});
  return value;
}

std::vector<SerialRun> orders() {
  return {serial({0, 0, 1}, after(ok(1), ok(1), {"1", "2"})),
          serial({0, 1, 0}, after(ok(1), lost(), {"1"})),
          serial({1, 0, 0}, after(lost(), lost(), {}))};
}

// What A was not told, it may have done.
ExecutionRecord seen(Output a1, Output a2, const std::vector<std::string>& rows) {
  ExecutionRecord execution = record(after(std::move(a1), std::move(a2), rows));
  auto& stamps = execution.stamps[0];
  stamps = {{0, 10}, {11, 20}};
  execution.stamps[1] = {{0, 30}};
  for (size_t i = 0; i < stamps.size(); ++i) {
    if (execution.outcome.outputs[0][i].answered) continue;
    stamps[i].response = kNever;
    if (i == 1 && !execution.outcome.outputs[0][0].answered) stamps[i].invocation = kNever;
  }
  return execution;
}

Verdict judged(ExecutionRecord execution, const std::vector<SerialRun>& runs) {
  execution.cut_off = cut_off_requests(execution, runs);
  return judge(execution, runs, find_nondeterminism(runs));
}

TEST(CutOff, MayHaveTakenEffectOrNot) {
  EXPECT_EQ(judged(seen(ok(1), lost(), {"1", "2"}), orders()).verdict, VerdictClass::kNone);
  EXPECT_EQ(judged(seen(ok(1), lost(), {"1"}), orders()).verdict, VerdictClass::kNone);
  EXPECT_EQ(judged(seen(lost(), lost(), {"1"}), orders()).verdict, VerdictClass::kNone);
  EXPECT_EQ(judged(seen(lost(), lost(), {}), orders()).verdict, VerdictClass::kNone);
}

TEST(CutOff, HasToLeaveTheStateOfAnOrder) {
  EXPECT_EQ(judged(seen(ok(1), lost(), {"2"}), orders()).verdict, VerdictClass::kLatent);
  EXPECT_EQ(judged(seen(lost(), lost(), {"1", "1"}), orders()).verdict, VerdictClass::kLatent);
}

TEST(CutOff, IsTheFirstOneThatCameNot) {
  EXPECT_THAT(cut_off_requests(seen(lost(), lost(), {}), orders()), ElementsAre(RequestId{0, 0}));
  EXPECT_THAT(cut_off_requests(seen(ok(1), lost(), {}), orders()), ElementsAre(RequestId{0, 1}));
  EXPECT_THAT(cut_off_requests(seen(ok(1), ok(1), {}), orders()), IsEmpty());
}

TEST(CutOff, DoesNotExcuseWhatWasNeverSent) {
  const Verdict verdict = judged(seen(lost(), lost(), {"1", "2"}), orders());
  EXPECT_TRUE(verdict.violation());
  ExecutionRecord unread = seen(ok(1), lost(), {"1", "2"});
  unread.stamps[0][1].invocation = kNever;
  EXPECT_THAT(cut_off_requests(unread, orders()), IsEmpty()) << "the server had not read it";
  EXPECT_TRUE(judged(unread, orders()).violation());
}

TEST(CutOff, IsNoneWhereNoOrderEndsTheConnection) {
  const std::vector<SerialRun> runs = {serial({0, 0, 1}, after(ok(1), ok(1), {"1", "2"})),
                                       serial({1, 0, 0}, after(ok(1), ok(1), {"1", "2"})),
                                       infeasible({0, 1, 0}, "it ended in hang")};
  ExecutionRecord execution = seen(ok(1), lost(), {"1", "2"});
  EXPECT_THAT(cut_off_requests(execution, runs), IsEmpty());
  EXPECT_EQ(judged(execution, runs).verdict, VerdictClass::kSemantic);
}

TEST(CutOff, IsNoReplyThatIsNone) {
  Output garbled = lost();
  garbled.message = std::string(kGarbled) + "?";
  EXPECT_THAT(cut_off_requests(seen(ok(1), garbled, {}), orders()), IsEmpty());
}

TEST(CutOff, IsNothingInAnExecutionThatDidNotEnd) {
  ExecutionRecord execution = seen(ok(1), lost(), {});
  execution.ending.kind = EndingKind::kCrash;
  EXPECT_THAT(cut_off_requests(execution, orders()), IsEmpty());
}

}  // namespace
}  // namespace esox
