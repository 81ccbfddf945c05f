// SPDX-License-Identifier: Apache-2.0
// An execution in which an event failed is held against serial orders in which it ends early: what
// they explain, and that whatever else is lost stays a violation. On a small model of a server.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "filters/reader.h"
#include "harness/engine/known_servers.h"
#include "harness/hunt/cut_tasks.h"
#include "harness/hunt/judge.h"
#include "targets/mariadb/language.h"
#include "targets/registry.h"

namespace esox {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr const char* kEvent = "CREATE EVENT e1 ON SCHEDULE AT NOW() DO BEGIN A; B; END";
constexpr const char* kDeadlock =
    "Deadlock found when trying to get lock; try restarting transaction";
constexpr const char* kTimeOut = "Lock wait timeout exceeded; try restarting transaction";

Output affected(uint64_t rows) {
  Output output;
  output.answered = true;
  output.affected_rows = rows;
  return output;
}

// A client makes the event, another one changes a row; a step of the event's is a row of its own.
ConcreteInput input_of(const std::string& event, const std::string& setup = "CREATE TABLE t1") {
  ConcreteInput made;
  made.engine = "InnoDB";
  made.input.language = &mariadb_language();
  made.input.setup = {setup};
  for (const std::string& text : {event, std::string("UPDATE t1 SET b = 1")}) {
    InputClient client;
    client.requests.push_back({text, false});
    made.input.clients.push_back(client);
  }
  return made;
}

ExecutionRecord record_of(const std::vector<std::string>& rows, const std::string& definition) {
  ExecutionRecord record;
  record.outcome.outputs = {{affected(0)}, {affected(1)}};
  std::vector<Element> elements;
  for (const std::string& row : rows) elements.push_back({"", row});
  record.outcome.state = make_summary(
      {make_component("rows:test.t1", ComponentKind::kMultiset, std::move(elements)),
       make_component("events", ComponentKind::kMap, {{"e1", "ENABLED: " + definition}})});
  record.stamps = {{{0, 9}}, {{0, 9}}};
  return record;
}

std::string body_of(const std::string& event) {
  return event.substr(event.find("DO ") + 3);
}

// Whatever the order, all work is done: the client's, and what the event consists of.
class EventServer final : public Executor {
 public:
  ExecutionReport run(const ExecutionPlan& plan) override {
    ++runs_;
    const std::string body = body_of(plan.input->input.clients[0].requests[0].text);
    if (refuses_ && body.find("ROLLBACK") != body.npos) throw SetupError("no such event");
    std::vector<std::string> rows = {"client"};
    if (body.find("A;") != body.npos) rows.emplace_back("first");
    if (body.find("B;") != body.npos) rows.emplace_back("second");
    ExecutionReport report;
    report.record = record_of(rows, body);
    return report;
  }
  const RunLives& lives() const override { return lives_; }
  uint64_t memory_kib() const override { return 0; }

  void refuse() { refuses_ = true; }
  uint64_t runs() const { return runs_; }

 private:
  RunLives lives_;
  bool refuses_ = false;
  uint64_t runs_ = 0;
};

// The execution of `input` that left these rows, in which the server said that events failed.
class FailedTasks : public testing::Test {
 protected:
  FailedTasks()
      : rules_(std::make_shared<const RuleSet>(
            read_rules({*target_named("mariadb").filters_file()}, known_servers()))) {}

  Judged judge(const std::vector<std::string>& rows, const std::vector<FailedTask>& failed) {
    if (judge_ == nullptr) {
      orders_ = std::make_unique<SerialOrders>(input_, 0);
      orders_->begin(server_, {});
      judge_ = std::make_unique<Judge>(input_, *orders_, rules_, ServerFacts{"10.11.19", {}});
    }
    ExecutionReport report;
    report.record = record_of(rows, body_of(input_.input.clients[0].requests[0].text));
    report.record.outcome.failed_tasks = failed;
    return judge_->judge(server_, std::move(report));
  }

  VerdictClass verdict(const std::vector<std::string>& rows,
                       const std::vector<FailedTask>& failed) {
    return judge(rows, failed).verdict.verdict;
  }

  ConcreteInput input_ = input_of(kEvent);
  EventServer server_;

 private:
  std::shared_ptr<const RuleSet> rules_;
  std::unique_ptr<SerialOrders> orders_;
  std::unique_ptr<Judge> judge_;
};

TEST_F(FailedTasks, AnEventThatWasTheVictimOfADeadlockMayHaveDoneNothingMore) {
  EXPECT_EQ(verdict({"client", "first", "second"}, {}), VerdictClass::kNone);
  const Judged nothing = judge({"client"}, {{"test.e1", kDeadlock}});
  EXPECT_EQ(nothing.verdict.verdict, VerdictClass::kNone);
  EXPECT_FALSE(nothing.cause);
  ASSERT_THAT(nothing.verdict.forgiven, SizeIs(1));
  EXPECT_EQ(nothing.verdict.forgiven[0].rule, "deadlock-of-an-event");
  EXPECT_THAT(place_name(nothing.verdict.forgiven[0]),
              testing::AllOf(HasSubstr("test.e1 failed (Deadlock found"),
                             HasSubstr("all else is as if test.e1 had done nothing")));
  const Judged some = judge({"client", "first"}, {{"test.e1", kDeadlock}});
  EXPECT_EQ(some.verdict.verdict, VerdictClass::kNone);
  EXPECT_THAT(place_name(some.verdict.forgiven[0]), HasSubstr("had done its first 1 step"));
}

TEST_F(FailedTasks, WhatIsLostForAnotherReasonIsAViolation) {
  EXPECT_EQ(verdict({"client"}, {}), VerdictClass::kLatent);
  EXPECT_EQ(verdict({"client"}, {{"test.e1", "Table 'test.t1' doesn't exist"}}),
            VerdictClass::kLatent);
  EXPECT_EQ(verdict({"client"}, {{"test.e2", kDeadlock}}), VerdictClass::kLatent);
}

TEST_F(FailedTasks, WhatIsLostBesideIsAViolation) {
  EXPECT_EQ(verdict({"first"}, {{"test.e1", kDeadlock}}), VerdictClass::kLatent);
  EXPECT_EQ(verdict({}, {{"test.e1", kDeadlock}}), VerdictClass::kLatent);
  EXPECT_EQ(verdict({"client", "second"}, {{"test.e1", kDeadlock}}), VerdictClass::kLatent);
}

TEST_F(FailedTasks, ATimeOutIsForgivenWhereTheInputSetsOne) {
  EXPECT_EQ(verdict({"client"}, {{"test.e1", kTimeOut}}), VerdictClass::kLatent);
}

TEST_F(FailedTasks, ATimeOutThatTheInputAsksForIsForgiven) {
  input_ = input_of(kEvent, "SET GLOBAL innodb_lock_wait_timeout = 1");
  EXPECT_EQ(verdict({"client"}, {{"test.e1", kTimeOut}}), VerdictClass::kNone);
}

TEST_F(FailedTasks, OrdersInWhichTheEventEndsEarlyAreExecutedOnce) {
  EXPECT_EQ(verdict({"client"}, {{"test.e1", kDeadlock}}), VerdictClass::kNone);
  const uint64_t before = server_.runs();
  EXPECT_EQ(verdict({"client"}, {{"test.e1", kDeadlock}}), VerdictClass::kNone);
  EXPECT_EQ(server_.runs(), before);
}

TEST_F(FailedTasks, AServerThatRefusesTheShorterEventExplainsNothing) {
  server_.refuse();
  EXPECT_EQ(verdict({"client"}, {{"test.e1", kDeadlock}}), VerdictClass::kLatent);
}

TEST(CutInputs, EndEachTaskAtEachOfItsSteps) {
  const ConcreteInput input = input_of(kEvent);
  const std::vector<FailedTask> failed = {{"test.e1", ""}, {"test.e1", ""}};
  const std::vector<CutInput> inputs = cut_inputs(input, failed);
  ASSERT_THAT(inputs, SizeIs(2));
  EXPECT_THAT(inputs[0].input.input.clients[0].requests[0].text,
              testing::EndsWith("DO BEGIN ROLLBACK; END"));
  EXPECT_THAT(inputs[1].input.input.clients[0].requests[0].text,
              testing::EndsWith("DO BEGIN A; ROLLBACK; END"));
  EXPECT_THAT(cut_inputs(input, {}), IsEmpty());
  EXPECT_THAT(cut_inputs(input, std::vector<FailedTask>{{"test.e2", ""}}), IsEmpty());
}

TEST(CutInputs, ShowTheShorterTaskWhereverTheWholeOneIsShown) {
  const std::vector<TaskCut> cuts = {{"", "UPDATE t1", "BEGIN ROLLBACK; END"}};
  Outcome outcome;
  outcome.outputs = {{affected(0)}};
  ResultSet rows;
  rows.rows = {{"CREATE EVENT e1 DO UPDATE t1", "UPDATE t1", "EXPLAIN UPDATE t1"}};
  outcome.outputs[0][0].results = {rows};
  outcome.state = make_summary(
      {make_component("events", ComponentKind::kMap, {{"e1", "then DROP, mode '': UPDATE t1"}})});
  const Outcome cut = as_if_cut(outcome, cuts);
  EXPECT_THAT(cut.outputs[0][0].results[0].rows[0],
              ElementsAre("CREATE EVENT e1 DO BEGIN ROLLBACK; END", "BEGIN ROLLBACK; END",
                          "EXPLAIN UPDATE t1"));
  EXPECT_EQ(cut.state.find("events")->elements[0].value, "then DROP, mode '': BEGIN ROLLBACK; END");
}

}  // namespace
}  // namespace esox
