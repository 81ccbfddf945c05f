// SPDX-License-Identifier: Apache-2.0
// The graph of serial states, over a model of a server: a few named numbers.
#include "analysis/serial_graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "tests/unit/analysis/builders.h"

namespace esox {
namespace {

using test::bag;
using test::ok;
using test::rows_reply;

// What the server holds: one table of rows. A request changes it and answers.
struct Model {
  std::vector<std::string> rows;
  std::string date = "first";
};
using ModelRequest = std::function<Output(Model&)>;

ModelRequest insert(const std::string& row) {
  return [row](Model& model) {
    model.rows.push_back(row);
    return ok(1);
  };
}

ModelRequest count() {
  return [](Model& model) { return rows_reply({{std::to_string(model.rows.size())}}); };
}

ModelRequest tell_date() {
  return [](Model& model) { return rows_reply({{model.date}}); };
}

// Executes prefixes from the beginning, as a server that cannot be forked would have to.
class ModelStepper final : public SerialStepper {
 public:
  explicit ModelStepper(std::vector<std::vector<ModelRequest>> sessions)
      : sessions_(std::move(sessions)) {}

  SerialStep step(const Order& prefix, uint16_t client) override {
    SerialStep step;
    if (fail_next > 0 && fail_next-- > 0) {
      step.transient = true;
      return step;
    }
    std::tie(step.first, step.first_state) = execute(prefix, client, "first");
    std::tie(step.second, step.second_state) = execute(prefix, client, "second");
    if (remembers_order) {
      for (uint16_t c : prefix) step.session += std::to_string(c);
      step.session += std::to_string(client);
    }
    if (step.first.error == 9999) {
      step.infeasible = "it waits for a later request";
      step.given_up = impatient;
    }
    return step;
  }

  std::vector<size_t> requests() const {
    std::vector<size_t> counts;
    for (const auto& session : sessions_) counts.push_back(session.size());
    return counts;
  }

  std::pair<Output, StateSummary> execute(Order order, uint16_t last, const char* date) {
    order.push_back(last);
    Model model;
    model.date = date;
    std::vector<size_t> placed(sessions_.size(), 0);
    Output output;
    for (uint16_t client : order) output = sessions_[client][placed[client]++](model);
    Component rows = bag("rows", model.rows);
    if (unavailable) rows = unavailable_component("rows", ComponentKind::kMultiset, "not today");
    return {output, make_summary({rows})};
  }

  int fail_next = 0;
  bool remembers_order = false;
  bool unavailable = false;
  bool impatient = false;

 private:
  std::vector<std::vector<ModelRequest>> sessions_;
};

ModelStepper inserts(size_t each) {
  std::vector<std::vector<ModelRequest>> sessions(2);
  for (size_t i = 0; i < each; ++i) {
    sessions[0].push_back(insert("a" + std::to_string(i)));
    sessions[1].push_back(insert("b" + std::to_string(i)));
  }
  return ModelStepper(sessions);
}

// A record of these replies with everything at the same time.
ExecutionRecord record(std::vector<std::vector<Output>> outputs,
                       const std::vector<std::string>& rows) {
  ExecutionRecord record;
  for (const auto& client : outputs) {
    record.stamps.emplace_back(client.size(), Stamp{0, kNever});
  }
  record.outcome.outputs = std::move(outputs);
  record.outcome.state = make_summary({bag("rows", rows)});
  return record;
}

TEST(SerialGraph, ExecutesOnTheOrderOfNSquaredStepsWhereStatesMeet) {
  for (size_t n : {1u, 4u, 8u}) {
    ModelStepper stepper = inserts(n);
    SerialGraph graph(stepper.requests(), stepper);
    Linearizations all = all_orders(graph.requests(), 13'000);
    ASSERT_FALSE(all.too_many);
    for (const Order& order : all.orders) ASSERT_TRUE(graph.run_of(order).has_value());
    EXPECT_EQ(graph.counts().steps, 2 * n * (n + 1));
    EXPECT_EQ(graph.counts().states, (n + 1) * (n + 1));
    EXPECT_EQ(graph.counts().merged, graph.counts().steps + 1 - graph.counts().states);
  }
}

TEST(SerialGraph, ExecutesEveryPrefixOnceWhereStatesNeverMeet) {
  ModelStepper stepper = inserts(3);
  stepper.remembers_order = true;
  SerialGraph graph(stepper.requests(), stepper);
  for (const Order& order : all_orders(graph.requests()).orders) graph.run_of(order);
  // Prefixes of the 20 orders, the empty one left out: 2 + 4 + 8 + 14 + 20 + 20.
  EXPECT_EQ(graph.counts().steps, 68u);
  EXPECT_EQ(graph.counts().merged, 0u);
}

TEST(SerialGraph, GivesTheRunThatTheOrderItselfGives) {
  ModelStepper stepper({{insert("x"), count()}, {count(), insert("y")}});
  SerialGraph graph(stepper.requests(), stepper);
  for (const Order& order : all_orders(graph.requests()).orders) {
    const auto run = graph.run_of(order);
    ASSERT_TRUE(run.has_value());
    Order prefix = order;
    prefix.pop_back();
    const auto [last, state] = stepper.execute(prefix, order.back(), "first");
    EXPECT_TRUE(same(run->first.state.components[0], state.components[0]));
    EXPECT_EQ(run->first.outputs[order.back()].back().results, last.results);
  }
}

TEST(SerialGraph, DoesNotMergeWhatItCannotCompare) {
  ModelStepper stepper = inserts(1);
  stepper.unavailable = true;
  SerialGraph graph(stepper.requests(), stepper);
  for (const Order& order : all_orders(graph.requests()).orders) graph.run_of(order);
  EXPECT_EQ(graph.counts().merged, 0u);
}

TEST(SerialGraph, AStepThatFailedForWantOfLuckIsTriedAgain) {
  ModelStepper stepper = inserts(1);
  stepper.fail_next = 1;
  SerialGraph graph(stepper.requests(), stepper);
  EXPECT_FALSE(graph.run_of({0, 1}).has_value());
  EXPECT_TRUE(graph.run_of({0, 1}).has_value());
}

TEST(SerialGraph, AnOrderThatCannotBeExecutedSaysWhy) {
  ModelStepper stepper({{[](Model&) { return test::error_reply(9999); }}, {insert("y")}});
  SerialGraph graph(stepper.requests(), stepper);
  const auto run = graph.run_of({0, 1});
  ASSERT_TRUE(run.has_value());
  EXPECT_EQ(run->infeasible, "it waits for a later request");
}

TEST(SerialGraph, WhatWasGivenUpIsTriedAgainWhereItIsForgotten) {
  for (const bool impatient : {true, false}) {
    bool stuck = true;
    const auto waits = [&](Model&) { return stuck ? test::error_reply(9999) : ok(1); };
    ModelStepper stepper({{waits}, {insert("y")}});
    stepper.impatient = impatient;
    SerialGraph graph(stepper.requests(), stepper);
    EXPECT_FALSE(graph.run_of({1, 0})->infeasible.empty());
    EXPECT_EQ(graph.gave_up(), impatient);
    stuck = false;
    EXPECT_FALSE(graph.run_of({1, 0})->infeasible.empty());
    EXPECT_EQ(graph.forget_given_up().size(), impatient ? 1u : 0u);
    EXPECT_FALSE(graph.gave_up());
    EXPECT_EQ(graph.executed().size(), impatient ? 1u : 2u);
    EXPECT_EQ(graph.run_of({1, 0})->infeasible.empty(), impatient);
    EXPECT_EQ(graph.counts().steps, 2u);
  }
}

TEST(Explain, FindsTheOrderByTheReplies) {
  ModelStepper stepper({{insert("x"), insert("y")}, {count(), count()}});
  SerialGraph graph(stepper.requests(), stepper);
  Masks masks;
  const auto seen =
      record({{ok(1), ok(1)}, {rows_reply({{"1"}}), rows_reply({{"2"}})}}, {"x", "y"});
  const Explanation explanation = explain(graph, seen, masks, 1000);
  ASSERT_TRUE(explanation.order.has_value());
  EXPECT_EQ(*explanation.order, (Order{0, 1, 0, 1}));
  EXPECT_LT(graph.counts().steps, 12u) << "replies that do not match are not followed";
}

TEST(Explain, FindsNoneForALostUpdate) {
  ModelStepper stepper({{insert("x"), count()}, {insert("y"), count()}});
  SerialGraph graph(stepper.requests(), stepper);
  Masks masks;
  const auto seen =
      record({{ok(1), rows_reply({{"1"}})}, {ok(1), rows_reply({{"1"}})}}, {"x", "y"});
  const Explanation explanation = explain(graph, seen, masks, 1000);
  EXPECT_FALSE(explanation.order.has_value());
  EXPECT_FALSE(explanation.same_replies.has_value());
  EXPECT_TRUE(explanation.exhausted);
}

TEST(Explain, FindsNoneWhereOnlyTheStateIsWrong) {
  ModelStepper stepper = inserts(2);
  SerialGraph graph(stepper.requests(), stepper);
  Masks masks;
  const auto seen = record({{ok(1), ok(1)}, {ok(1), ok(1)}}, {"a0", "a1", "b0"});
  const Explanation explanation = explain(graph, seen, masks, 1000);
  EXPECT_FALSE(explanation.order.has_value());
  EXPECT_TRUE(explanation.same_replies.has_value());
  EXPECT_TRUE(explanation.exhausted);
}

TEST(Explain, KeepsRealTime) {
  ModelStepper stepper({{insert("x")}, {count()}});
  SerialGraph graph(stepper.requests(), stepper);
  Masks masks;
  auto seen = record({{ok(1)}, {rows_reply({{"0"}})}}, {"x"});
  EXPECT_TRUE(explain(graph, seen, masks, 1000).order.has_value());
  seen.stamps[0][0] = {1, 2};
  seen.stamps[1][0] = {3, 4};
  EXPECT_FALSE(explain(graph, seen, masks, 1000).order.has_value());
}

TEST(Explain, MasksWhatDiffersBetweenTheTwoDates) {
  ModelStepper stepper({{tell_date()}, {insert("y")}});
  SerialGraph graph(stepper.requests(), stepper);
  Masks masks;
  const auto seen = record({{rows_reply({{"a third date"}})}, {ok(1)}}, {"y"});
  EXPECT_TRUE(explain(graph, seen, masks, 1000).order.has_value());
  EXPECT_EQ(masks.outputs.size(), 1u);
}

// The first order is turned away before the second shows that its reply is no matter of order.
TEST(Explain, LooksAgainAtWhatWasTurnedAwayBeforeAMaskWasFound) {
  const ModelRequest tell_and_mark = [](Model& model) {
    const std::string told = model.rows.empty() ? "nothing" : model.date;
    if (model.rows.empty()) model.rows.push_back("was empty");
    return rows_reply({{told}});
  };
  ModelStepper stepper({{tell_and_mark}, {insert("x")}});
  SerialGraph graph(stepper.requests(), stepper);
  Masks masks;
  const auto seen = record({{rows_reply({{"a third date"}})}, {ok(1)}}, {"was empty", "x"});
  EXPECT_EQ(explain(graph, seen, masks, 1000).order, (Order{0, 1}));
}

TEST(Explain, SaysSoWhereARequestCouldNotBeExecutedThatRealTimeAllowsThere) {
  // B waits while A has put in "x" and not taken it out.
  const auto take = [](Model& model) {
    model.rows.clear();
    return ok(1);
  };
  const auto waits = [](Model& model) {
    return model.rows.empty() ? ok(1) : test::error_reply(9999);
  };
  ModelStepper stepper({{insert("x"), take}, {waits}});
  SerialGraph graph(stepper.requests(), stepper);
  Masks masks;
  auto seen = record({{ok(1), ok(1)}, {ok(2)}}, {});  // a reply that no order gives
  const Explanation explanation = explain(graph, seen, masks, 1000);
  EXPECT_TRUE(explanation.exhausted);
  EXPECT_TRUE(explanation.blocked);
  seen.stamps = {{{0, 10}, {11, 20}}, {{21, 30}}};
  EXPECT_FALSE(explain(graph, seen, masks, 1000).blocked);
}

TEST(Explain, SaysSoWhenStepsRunOutOrFail) {
  ModelStepper stepper = inserts(3);
  SerialGraph graph(stepper.requests(), stepper);
  Masks masks;
  const auto seen = record({{ok(1), ok(1), ok(1)}, {ok(1), ok(1), ok(1)}}, {"wrong"});
  Explanation explanation = explain(graph, seen, masks, 3);
  EXPECT_FALSE(explanation.order.has_value());
  EXPECT_FALSE(explanation.exhausted);
  EXPECT_LE(graph.counts().steps, 3u);
  stepper.fail_next = 1;
  explanation = explain(graph, seen, masks, 1000);
  EXPECT_FALSE(explanation.exhausted);
  explanation = explain(graph, seen, masks, 1000);
  EXPECT_TRUE(explanation.exhausted);
}

TEST(SerialGraph, ExecutedAgainIsAsItWas) {
  ModelStepper stepper({{insert("x"), count()}, {count(), insert("y")}});
  SerialGraph graph(stepper.requests(), stepper);
  for (const Order& order : {Order{0, 1, 0, 1}, Order{1, 0, 1, 0}}) graph.run_of(order);
  SerialGraph again(stepper.requests(), stepper);
  again.execute_again(graph.executed());
  EXPECT_EQ(again.executed(), graph.executed());
  EXPECT_EQ(again.counts().steps, graph.counts().steps);
  EXPECT_EQ(again.counts().states, graph.counts().states);
  EXPECT_EQ(again.counts().merged, graph.counts().merged);
}

}  // namespace
}  // namespace esox
