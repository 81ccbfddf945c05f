// SPDX-License-Identifier: Apache-2.0
// Who is in no order where a signal ends the server, and what that leaves to be explained.
#include "analysis/ended_server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/cut_off.h"
#include "analysis/nondeterminism.h"
#include "analysis/verdict.h"
#include "tests/unit/analysis/builders.h"

namespace esox {
namespace {

using test::bag;
using test::ok;
using test::record;
using test::serial;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

Output no_reply_yet() {
  return {};
}

// A sends the signal, B inserts 1 and 2, C inserts 3.
Input ending_input() {
  Input made;
  made.clients = {{"A", {}, {{"SIGTERM"}}}, {"B", {}, {{"B1"}, {"B2"}}}, {"C", {}, {{"C1"}}}};
  return made;
}

Outcome left_behind(std::vector<Output> of_b, Output of_c, const std::vector<std::string>& rows) {
  Outcome made;
  made.outputs = {{ok()}, std::move(of_b), {std::move(of_c)}};
  made.state = make_summary({bag("rows", rows)});
  return made;
}

// B1 was answered, B2 never read, C1 cut off.
ExecutionRecord seen_at_the_end(const std::vector<std::string>& rows) {
  ExecutionRecord execution = record(left_behind({ok(1), no_reply_yet()}, no_reply_yet(), rows));
  execution.stamps = {{{0, kNever}}, {{0, 10}, {kNever, kNever}}, {{0, kNever}}};
  leave_out_unserved(ending_input(), execution, execution.units);
  execution.cut_off = cut_off_requests(execution, {});
  return execution;
}

SerialRun run_without(const Order& order, const RequestSet& without, const Outcome& result) {
  SerialRun made = serial(order, result);
  made.without = without;
  return made;
}

const RequestSet kUnserved = {{0, 0}, {1, 1}};
const RequestSet kWithoutC = {{0, 0}, {1, 1}, {2, 0}};

std::vector<SerialRun> orders_before_the_end() {
  return {run_without({1, 2}, kUnserved, left_behind({ok(1), no_reply_yet()}, ok(1), {"1", "3"})),
          run_without({2, 1}, kUnserved, left_behind({ok(1), no_reply_yet()}, ok(1), {"1", "3"})),
          run_without({1}, kWithoutC, left_behind({ok(1), no_reply_yet()}, no_reply_yet(), {"1"}))};
}

VerdictClass class_without(ExecutionRecord execution, const RequestSet& also_left_out) {
  execution.units.left_out.insert(also_left_out.begin(), also_left_out.end());
  execution.cut_off = cut_off_requests(execution, orders_before_the_end());
  return judge(execution, orders_before_the_end(), {}, Orders::kAsGiven, {}).verdict;
}

TEST(EndedServer, TheSignalAndWhatNobodyReadAreInNoOrder) {
  const ExecutionRecord execution = seen_at_the_end({"1"});
  EXPECT_TRUE(execution.units.server_ends);
  EXPECT_EQ(execution.units.left_out, kUnserved);
  EXPECT_THAT(execution.cut_off, ElementsAre(RequestId{2, 0}));
  Input without = ending_input();
  without.clients[0].requests = {{"SIGHUP"}};
  EXPECT_THAT(ending_signal(without), IsEmpty());
}

TEST(EndedServer, WhatWasCutOffIsTriedBothWays) {
  EXPECT_THAT(choices_of({}), IsEmpty());
  EXPECT_THAT(
      choices_of({{1, 0}, {2, 0}}),
      UnorderedElementsAre(RequestSet{{1, 0}}, RequestSet{{2, 0}}, RequestSet{{1, 0}, {2, 0}}));
  EXPECT_EQ(class_without(seen_at_the_end({"1", "3"}), {}), VerdictClass::kNone);
  EXPECT_EQ(class_without(seen_at_the_end({"1"}), {{2, 0}}), VerdictClass::kNone);
  EXPECT_EQ(class_without(seen_at_the_end({"1"}), {}), VerdictClass::kLatent);
}

// B1 was answered and is gone.
TEST(EndedServer, WhatWasAnsweredIsThereAfterwards) {
  EXPECT_EQ(class_without(seen_at_the_end({"3"}), {}), VerdictClass::kLatent);
  EXPECT_EQ(class_without(seen_at_the_end({}), {{2, 0}}), VerdictClass::kLatent);
}

}  // namespace
}  // namespace esox
