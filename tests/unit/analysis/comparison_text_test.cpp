// SPDX-License-Identifier: Apache-2.0
#include "analysis/report/comparison_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "analysis/nondeterminism.h"
#include "analysis/report/layout.h"
#include "tests/unit/analysis/builders.h"

namespace esox {
namespace {

using test::error_reply;
using test::infeasible;
using test::ok;
using test::outcome;
using test::record;
using test::rows_reply;
using test::serial;
using ::testing::HasSubstr;
using ::testing::Not;

std::string report(const ExecutionRecord& execution, const std::vector<SerialRun>& runs,
                   const ConcreteInput& input = test::StaleCache::input()) {
  Symbols symbols({});
  const Masks masks = find_nondeterminism(runs);
  return comparison_text(input, execution, judge(execution, runs, masks), masks, symbols);
}

TEST(ComparisonText, OfTheStaleCacheTellsTheWholeStory) {
  const std::string text = report(test::StaleCache::execution(), test::StaleCache::serial_runs());
  EXPECT_THAT(text, HasSubstr("LATENT: pairs/select-insert on Aria\n"));
  EXPECT_THAT(text, HasSubstr("  CREATE TABLE t1 (a INT) ENGINE=Aria;\n"));
  EXPECT_THAT(text, HasSubstr("  A1  SELECT a FROM t1;\n"));
  EXPECT_THAT(text, HasSubstr("  A1 B1   | yes  yes      | NO         | yes\n"));
  EXPECT_THAT(text, HasSubstr("  B1 A1   | NO   yes      | NO         | yes\n"));
  EXPECT_THAT(text, HasSubstr("  S1 = state of cached:SELECT a FROM t1\n"));
  EXPECT_THAT(text, HasSubstr("  2 other parts of the state are equal in every order.\n"));
  EXPECT_THAT(text, HasSubstr("Compared with the order A1 B1:\n"
                              "  state of cached:SELECT a FROM t1\n"
                              "      - 10\n      - 11\n      - 12\n"));
  EXPECT_THAT(text, Not(HasSubstr("What was not compared")));
}

TEST(ComparisonText, ErrorsStandAgainstEachOther) {
  const std::vector<SerialRun> runs = {serial({0, 1}, outcome({ok(1), ok()}, {})),
                                       infeasible({1, 0}, "A1 waits for a lock of B")};
  const std::string text = report(record(outcome({error_reply(1017, "no file"), ok()}, {})), runs);
  EXPECT_THAT(text,
              HasSubstr("    error:\n      - success\n      + error 1017 (HY000): no file\n"));
  EXPECT_THAT(text, HasSubstr("B1 A1   | not executed: A1 waits for a lock of B\n"));
}

TEST(ComparisonText, OrdersThatRealTimeExcludesAreMarked) {
  ExecutionRecord execution = record(test::StaleCache::serial_runs()[1].first);
  execution.stamps = {{{0, 10}}, {{11, 20}}};
  EXPECT_THAT(report(execution, test::StaleCache::serial_runs()),
              HasSubstr("| no: a request was answered before one placed earlier began\n"));
}

TEST(ComparisonText, LongListsAreCutAndSayHowMuchIsLeft) {
  std::vector<Row> rows;
  for (int i = 0; i < 1000; ++i) rows.push_back({std::to_string(i)});
  const std::vector<SerialRun> runs = {serial({0, 1}, outcome({rows_reply({{"x"}}), ok()}, {})),
                                       serial({1, 0}, outcome({rows_reply({{"x"}}), ok()}, {}))};
  const std::string text = report(record(outcome({rows_reply(rows), ok()}, {})), runs);
  EXPECT_THAT(text, HasSubstr("      + ... and 980 more\n"));
  EXPECT_THAT(text, HasSubstr("      ... and 980 more\n"));
  EXPECT_LT(std::count(text.begin(), text.end(), '\n'), 150);
}

TEST(ComparisonText, LongTextsAreCutToWhereTheyDiffer) {
  const std::string same(300, 'x');
  const Outcome seen = outcome({rows_reply({{same + "NEW" + same}}), ok()}, {});
  const Outcome serially = outcome({rows_reply({{same + "OLD" + same}}), ok()}, {});
  const std::vector<SerialRun> runs = {serial({0, 1}, serially), serial({1, 0}, serially)};
  const std::string text = report(record(seen), runs);
  EXPECT_THAT(text, HasSubstr("- ...x"));
  EXPECT_THAT(text, HasSubstr("xOLDx"));
  EXPECT_THAT(text, HasSubstr("xNEWx"));
}

TEST(ComparisonText, NamesTheMasks) {
  auto runs = test::StaleCache::serial_runs();
  runs[1].second.outputs[1][0].insert_id = 9;
  EXPECT_THAT(report(test::StaleCache::execution(), runs),
              HasSubstr("What was not compared\n=====================\n"));
  EXPECT_THAT(report(test::StaleCache::execution(), runs),
              HasSubstr("  B1: insert id (in 1 order)\n"));
}

TEST(ComparisonText, ADeadlockShowsWhoWaitsForWhom) {
  ExecutionRecord execution = record(outcome({Output{}, Output{}}, {}));
  execution.ending.kind = EndingKind::kDeadlock;
  execution.ending.wait_cycle = {{0, 1, OpKind::kMutexLock, 0x10, 0x1000},
                                 {1, 0, OpKind::kWriteLock, 0x20, 0x2000}};
  const std::string text = report(execution, {});
  EXPECT_THAT(text, HasSubstr("DEADLOCK: "));
  EXPECT_THAT(text, HasSubstr("  - A waits to lock 0x10, held by B; called by 0x1000\n"));
  EXPECT_THAT(text, HasSubstr("  - B waits to write-lock 0x20, held by A; called by 0x2000\n"));
  EXPECT_THAT(text, HasSubstr("A1  no reply"));
}

TEST(ComparisonText, ACrashShowsSignalAndDetail) {
  ExecutionRecord execution = record(outcome({Output{}, ok()}, {}));
  execution.ending = {EndingKind::kCrash, {"[ERROR] got signal 11 ;"}, 11, {0x1000, 0x2000}, {}};
  const std::string text = report(execution, {});
  EXPECT_THAT(text, HasSubstr("Killed by signal 11.\n  [ERROR] got signal 11 ;\n"));
}

TEST(ComparisonText, ADegradedExecutionSaysWhy) {
  ExecutionRecord execution = test::StaleCache::execution();
  execution.degraded_reasons = {"the trace was full"};
  EXPECT_THAT(report(execution, {}), HasSubstr("  - the trace was full\n"));
}

TEST(ComparisonText, ForeignBytesNeverReachTheReader) {
  const std::vector<SerialRun> runs = {serial({0, 1}, outcome({rows_reply({{"x"}}), ok()}, {})),
                                       serial({1, 0}, outcome({rows_reply({{"x"}}), ok()}, {}))};
  ConcreteInput input = test::StaleCache::input();
  input.input.setup = {"SELECT '\x1b[31m'"};
  const std::string text =
      report(record(outcome({rows_reply({{"\x1b[2J\xff\r"}}), error_reply(1, "\x07 no")}, {})),
             runs, input);
  for (char c : text) EXPECT_TRUE(c == '\n' || static_cast<unsigned char>(c) >= 0x20);
  EXPECT_EQ(text.find('\xff'), std::string::npos);
}

TEST(ComparisonText, KeepsToTheWidth) {
  const std::string text = report(test::StaleCache::execution(), test::StaleCache::serial_runs());
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) EXPECT_LE(text_width(line), 110u) << line;
}

}  // namespace
}  // namespace esox
