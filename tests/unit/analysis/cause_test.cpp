// SPDX-License-Identifier: Apache-2.0
#include "analysis/cause.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/nondeterminism.h"
#include "tests/unit/analysis/builders.h"

namespace esox {
namespace {

using test::bag;
using test::error_reply;
using test::ok;
using test::outcome;
using test::record;
using test::rows_reply;
using test::serial;
using ::testing::HasSubstr;
using ::testing::Not;

const std::vector<std::string> kNames = {"A", "B"};

Cause cause(const ExecutionRecord& execution, const std::vector<SerialRun>& runs) {
  Symbols symbols({});
  return cause_of(execution, judge(execution, runs, find_nondeterminism(runs)), symbols, kNames);
}

TEST(Cause, OfTheStaleCacheNamesTheCacheAlone) {
  const Cause result = cause(test::StaleCache::execution(), test::StaleCache::serial_runs());
  EXPECT_EQ(result.text,
            "class latent, latent\n"
            "component cached:SELECT a FROM t1: missing\n");
  EXPECT_EQ(result.id.size(), 16u);
}

std::vector<SerialRun> two_orders() {
  const auto of = [](const char* a) { return outcome({rows_reply({{a}, {"0"}}), ok()}, {}); };
  return {serial({0, 1}, of("1")), serial({1, 0}, of("2"))};
}

Cause with_reply(const Output& reply) {
  return cause(record(outcome({reply, ok()}, {})), two_orders());
}

TEST(Cause, DoesNotDependOnValues) {
  EXPECT_EQ(with_reply(rows_reply({{"7"}, {"8"}})).id, with_reply(rows_reply({{"5"}, {"6"}})).id);
}

TEST(Cause, DoesNotDependOnSeedsPointsOrCounts) {
  ExecutionRecord a = test::StaleCache::execution();
  ExecutionRecord b = a;
  b.seed = 99;
  b.number = 1234;
  b.choices = {{5, 1, 0}};
  EXPECT_EQ(cause(a, test::StaleCache::serial_runs()).id,
            cause(b, test::StaleCache::serial_runs()).id);
}

TEST(Cause, DependsOnTheKindOfDifference) {
  const Cause more = with_reply(rows_reply({{"1"}, {"0"}, {"9"}}));
  const Cause changed = with_reply(rows_reply({{"9"}, {"8"}}));
  EXPECT_THAT(more.text, HasSubstr("reply A1: result 1 rows extra\n"));
  EXPECT_THAT(changed.text, HasSubstr("reply A1: result 1 rows missing and extra\n"));
  EXPECT_NE(more.id, changed.id);
}

TEST(Cause, NamesErrorNumbersAndNotTheirTexts) {
  const Cause a = with_reply(error_reply(1017, "no file '#sql-1'"));
  const Cause b = with_reply(error_reply(1017, "no file '#sql-2'"));
  EXPECT_THAT(a.text, HasSubstr("class error\nreply A1: error 1017\n"));
  EXPECT_EQ(a.id, b.id);
  EXPECT_NE(a.id, with_reply(error_reply(1034)).id);
}

TEST(Cause, OfADeadlockIsItsCycleWhereverItBegins) {
  ExecutionRecord execution = record(outcome({Output{}, Output{}}, {}));
  execution.ending.kind = EndingKind::kDeadlock;
  execution.ending.wait_cycle = {{0, 1, OpKind::kMutexLock, 0x10, 0x1000},
                                 {1, 0, OpKind::kWriteLock, 0x20, 0x2000}};
  const Cause forward = cause(execution, {});
  std::swap(execution.ending.wait_cycle[0], execution.ending.wait_cycle[1]);
  EXPECT_EQ(forward.id, cause(execution, {}).id);
  EXPECT_EQ(forward.text, "class deadlock\nwaits: lock at 0x1000\nwaits: write-lock at 0x2000\n");
  execution.ending.wait_cycle[0].site = 0x3000;
  EXPECT_NE(forward.id, cause(execution, {}).id);
}

TEST(Cause, OfACrashIsItsSignalAndTopFrames) {
  ExecutionRecord execution = record(outcome({Output{}, ok()}, {}));
  execution.ending.kind = EndingKind::kCrash;
  execution.ending.signal = 11;
  execution.ending.stack = {0x1000, 0x2000, 0x3000, 0x4000, 0x5000};
  const Cause result = cause(execution, {});
  EXPECT_EQ(result.text,
            "class crash\nsignal 11\nframe 0x1000\nframe 0x2000\nframe 0x3000\n"
            "frame 0x4000\n");
  execution.ending.stack.back() = 0x6000;  // far below the top
  EXPECT_EQ(result.id, cause(execution, {}).id);
  execution.ending.signal = 6;
  EXPECT_NE(result.id, cause(execution, {}).id);
}

TEST(Cause, OfAHangIsWhoDidNotFinish) {
  ExecutionRecord execution = record(outcome({Output{}, ok()}, {}));
  execution.ending.kind = EndingKind::kHang;
  execution.stamps[0][0].response = kNever;
  EXPECT_EQ(cause(execution, {}).text, "class hang\nunfinished: A1\n");
}

TEST(FindingId, DependsOnInputEngineAndCause) {
  const Cause one{"x", "0123456789abcdef"};
  const Cause other{"y", "0123456789abcdee"};
  const std::string id = finding_id("input", "Aria", one);
  EXPECT_EQ(id.size(), 16u);
  EXPECT_EQ(id, finding_id("input", "Aria", one));
  EXPECT_NE(id, finding_id("input2", "Aria", one));
  EXPECT_NE(id, finding_id("input", "MyISAM", one));
  EXPECT_NE(id, finding_id("input", "Aria", other));
}

}  // namespace
}  // namespace esox
