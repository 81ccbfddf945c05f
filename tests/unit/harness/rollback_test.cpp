// SPDX-License-Identifier: Apache-2.0
// What the victim of a deadlock leaves behind is held against serial orders in which it said
// ROLLBACK: what they explain, and that whatever else is wrong stays a violation. On a small model
// of a server whose numbers are gone when they were given, and whose rows come back.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "filters/reader.h"
#include "harness/engine/known_servers.h"
#include "harness/hunt/judge.h"
#include "targets/mariadb/language.h"
#include "targets/registry.h"

namespace esox {
namespace {

using testing::HasSubstr;
using testing::SizeIs;
using Rows = std::vector<std::string>;

constexpr const char* kInsert = "INSERT INTO t1 (c) VALUES (1)";
constexpr const char* kWait = "UPDATE t2 SET c = 1";

Output affected(uint64_t rows, bool in_transaction) {
  Output output;
  output.answered = true;
  output.affected_rows = rows;
  output.in_transaction = in_transaction;
  return output;
}

Output error_of(uint32_t number) {
  Output output;
  output.answered = true;
  output.error = number;
  output.sql_state = "40001";
  output.message = "Deadlock found when trying to get lock; try restarting transaction";
  return output;
}

// B is the victim, at its third request, and goes on.
ConcreteInput input_of() {
  ConcreteInput made;
  made.engine = "InnoDB";
  made.input.language = &mariadb_language();
  made.input.setup = {"CREATE TABLE t1 (id INT AUTO_INCREMENT PRIMARY KEY, c INT) ENGINE=InnoDB"};
  made.input.clients = {{"A", {}, {{kWait}}},
                        {"B", {}, {{"BEGIN"}, {kInsert}, {kWait}, {kInsert}}}};
  return made;
}

Outcome outcome_of(std::vector<std::vector<Output>> outputs, const Rows& rows) {
  std::vector<Element> elements;
  for (const std::string& row : rows) elements.push_back({"", row});
  return {std::move(outputs), make_summary({make_component("rows:test.t1", ComponentKind::kMultiset,
                                                           std::move(elements))})};
}

class NumberServer final : public Executor {
 public:
  ExecutionReport run(const ExecutionPlan& plan) override {
    ++runs_;
    const std::vector<InputClient>& clients = plan.input->input.clients;
    std::vector<std::vector<Output>> outputs;
    for (const InputClient& client : clients) outputs.emplace_back(client.requests.size());
    std::vector<size_t> next(clients.size());
    kept_.clear();
    open_.clear();
    number_ = 0;
    is_open_ = false;
    for (const uint32_t client : plan.serial_order) {
      while (plan.without.contains({client, next[client]})) ++next[client];
      const size_t request = next[client]++;
      outputs[client][request] = reply_to(clients[client].requests[request].text);
    }
    ExecutionReport report;
    report.record.outcome = outcome_of(std::move(outputs), kept_);
    return report;
  }
  const RunLives& lives() const override { return lives_; }
  uint64_t memory_kib() const override { return 0; }

  void refuse_to_undo() { refuses_ = true; }
  uint64_t runs() const { return runs_; }

 private:
  Output reply_to(const std::string& text) {
    if (text == "ROLLBACK" && refuses_) return error_of(1399);
    if (text == "BEGIN") is_open_ = true;
    if (text == "ROLLBACK") {
      is_open_ = false;
      open_.clear();
    }
    if (text == kInsert) (is_open_ ? open_ : kept_).push_back(std::to_string(++number_));
    return affected(text == kInsert ? 1 : 0, is_open_);
  }

  RunLives lives_;
  Rows kept_;
  Rows open_;
  int number_ = 0;
  bool is_open_ = false;
  bool refuses_ = false;
  uint64_t runs_ = 0;
};

class Rollback : public testing::Test {
 protected:
  Rollback()
      : rules_(std::make_shared<const RuleSet>(
            read_rules({*target_named("mariadb").filters_file()}, known_servers()))) {}

  Judged judge(const Rows& rows, uint64_t affected_rows = 1) {
    if (judge_ == nullptr) {
      orders_.begin(server_, {});
      judge_ = std::make_unique<Judge>(input_, orders_, rules_, ServerFacts{"10.11.19", {}});
    }
    ExecutionReport report;
    report.record.outcome = outcome_of(
        {{affected(0, false)},
         {affected(0, true), affected(1, true), error_of(1213), affected(affected_rows, false)}},
        rows);
    report.record.stamps = {{{0, 9}}, {{0, 1}, {1, 2}, {2, 5}, {5, 9}}};
    return judge_->judge(server_, std::move(report));
  }

  NumberServer server_;

 private:
  std::shared_ptr<const RuleSet> rules_;
  ConcreteInput input_ = input_of();
  SerialOrders orders_{input_, 0};
  std::unique_ptr<Judge> judge_;
};

TEST_F(Rollback, NumbersMayBeGoneThoughTheRowsAre) {
  const Judged judged = judge({"2"});
  EXPECT_EQ(judged.verdict.verdict, VerdictClass::kNone);
  EXPECT_FALSE(judged.cause);
  ASSERT_THAT(judged.verdict.forgiven, SizeIs(1));
  EXPECT_EQ(judged.verdict.forgiven[0].rule, "deadlock-of-rows");
  EXPECT_THAT(place_name(judged.verdict.forgiven[0]),
              testing::AllOf(HasSubstr("the reply to B3: error 1213"),
                             HasSubstr("all else is as if it had said ROLLBACK")));
}

TEST_F(Rollback, ServersThatGiveNumbersBackAreExplainedAsBefore) {
  const Judged judged = judge({"1"});
  EXPECT_EQ(judged.verdict.verdict, VerdictClass::kNone);
  EXPECT_THAT(place_name(judged.verdict.forgiven.at(0)), HasSubstr("as without the request"));
}

TEST_F(Rollback, WhatIsNotUndoneOrIsLostIsAViolation) {
  EXPECT_TRUE(judge({"1", "2"}).verdict.violation());
  EXPECT_TRUE(judge({}).verdict.violation());
  EXPECT_TRUE(judge({"3"}).verdict.violation());
  EXPECT_TRUE(judge({"2"}, 2).verdict.violation());
}

TEST_F(Rollback, WhereTheServerDoesNotUndoOnDemandNobodyCanSay) {
  server_.refuse_to_undo();
  const Judged judged = judge({"2"});
  ASSERT_EQ(judged.verdict.verdict, VerdictClass::kDegraded);
  EXPECT_THAT(judged.verdict.degraded_reasons.back(), HasSubstr("the victim of a deadlock"));
}

TEST_F(Rollback, ItsOrdersAreExecutedOnce) {
  judge({"2"});
  const uint64_t runs = server_.runs();
  judge({"2"});
  EXPECT_EQ(server_.runs(), runs);
}

}  // namespace
}  // namespace esox
