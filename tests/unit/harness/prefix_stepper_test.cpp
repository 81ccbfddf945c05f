// SPDX-License-Identifier: Apache-2.0
#include "harness/hunt/prefix_stepper.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "targets/mariadb/language.h"
#include "targets/memcached/language.h"

namespace esox {
namespace {

InputClient client(std::vector<std::string> requests, std::vector<std::string> setup = {}) {
  InputClient made;
  made.name = "A";
  made.setup = std::move(setup);
  for (std::string& text : requests) made.requests.push_back({std::move(text), false});
  return made;
}

Input on(const RequestLanguage& language, std::vector<InputClient> clients) {
  Input input;
  input.language = &language;
  input.clients = std::move(clients);
  return input;
}

TEST(PrefixStepper, MemcachedSessionsKeepNothingSoThatEqualStatesAreOne) {
  const Input input =
      on(memcached_language(), {client({"set k 0 0 1\n1", "get k"}), client({"incr k 1"})});
  EXPECT_TRUE(has_steps(input));
  EXPECT_EQ(session_state(input, {0, 1}).text, "");
}

TEST(PrefixStepper, WhoIsGivenUniqueNumbersIsNotExecutedStepByStep) {
  EXPECT_FALSE(has_steps(on(memcached_language(), {client({"get k"}), client({"gets k"})})));
  EXPECT_FALSE(has_steps(on(memcached_language(), {client({"gat 9 k"}), client({"gats 9 k"})})));
  EXPECT_FALSE(has_steps(on(memcached_language(), {client({"cas k 0 0 1 {cas}\n1"}, {"gets k"})})));
  EXPECT_TRUE(has_steps(on(mariadb_language(), {client({"gets k"})})));
}

// A server with one variable that its state does not show: A sets it to 1, B to 2, A reads it.
SerialExecution with_a_hidden_variable(const Order& order) {
  SerialExecution execution;
  execution.outcome.outputs.resize(2);
  uint64_t hidden = 0;
  for (const uint16_t client : order) {
    auto& replies = execution.outcome.outputs[client];
    const bool reads = client == 0 && replies.size() == 1;
    if (!reads) hidden = client + 1u;
    Output reply;
    reply.answered = true;
    reply.affected_rows = reads ? hidden : 0;
    replies.push_back(reply);
  }
  return execution;
}

// After B A the read gives 1, after A B it gives 2.
std::optional<Order> explained(Merging merging, uint64_t read) {
  const Input input =
      on(mariadb_language(), {client({"INSERT INTO t VALUES (1)", "SELECT a FROM t"}),
                              client({"INSERT INTO t VALUES (2)"})});
  PrefixStepper stepper(input, 1, merging);
  stepper.execute_with(
      [](const Order& order, int64_t, bool) { return with_a_hidden_variable(order); });
  SerialGraph graph({2, 1}, stepper);
  ExecutionRecord record;
  record.outcome = with_a_hidden_variable(read == 1 ? Order{1, 0, 0} : Order{0, 1, 0}).outcome;
  record.stamps = {{{0, 10}, {11, 12}}, {{0, 10}}};
  Masks masks;
  return explain(graph, record, masks, 100).order;
}

TEST(PrefixStepper, MergedStatesThatDifferInSecretHideAnOrder) {
  EXPECT_FALSE(explained(Merging::kEqual, 1) && explained(Merging::kEqual, 2));
}

TEST(PrefixStepper, WithoutMergingEachOrderIsFoundWhateverTheStateHides) {
  EXPECT_TRUE(explained(Merging::kNone, 1));
  EXPECT_TRUE(explained(Merging::kNone, 2));
}

// A's session keeps a variable from its first request on: no state but the last one is compared.
TEST(PrefixStepper, AsksForTheStateOnlyWhereItTellsSomething) {
  const Input input = on(mariadb_language(), {client({"SET @a = 1", "SELECT a FROM t"}),
                                              client({"INSERT INTO t VALUES (2)"})});
  const Input plain = on(mariadb_language(), {client({"SELECT a FROM t", "SELECT a FROM t"}),
                                              client({"INSERT INTO t VALUES (2)"})});
  std::vector<bool> asked;
  const auto note = [&](const Order& order, int64_t, bool replies_only) {
    asked.push_back(!replies_only);
    return with_a_hidden_variable(order);
  };
  const auto asked_along = [&](const Input& one) {
    asked.clear();
    PrefixStepper stepper(one, 1);
    stepper.execute_with(note);
    SerialGraph graph({2, 1}, stepper);
    graph.run_of({0, 1, 0});
    return asked;
  };
  EXPECT_THAT(asked_along(input), testing::ElementsAre(false, false, false, false, true, true));
  EXPECT_THAT(asked_along(plain), testing::Each(true));
}

// Two transactions: where a BEGIN stands among the other's requests is told by nothing, and where a
// session marks a place, neither.
TEST(PrefixStepper, WhatOnlyItsOwnSessionCanTellIsInNoOrder) {
  const auto state = [](std::vector<std::string> a, std::vector<std::string> b,
                        const Order& order) {
    return session_state(on(mariadb_language(), {client(std::move(a)), client(std::move(b))}),
                         order);
  };
  const std::vector<std::string> a = {"BEGIN", "SELECT a FROM t", "COMMIT"};
  const std::vector<std::string> b = {"START TRANSACTION", "SAVEPOINT s", "UPDATE t SET a=1"};
  EXPECT_TRUE(state(a, b, {0, 1}).by_requests);
  EXPECT_EQ(state(a, b, {0, 1}).text, state(a, b, {1, 0}).text);
  EXPECT_EQ(state(a, b, {0, 0, 1, 1}).text, state(a, b, {1, 0, 1, 0}).text);
  EXPECT_NE(state(a, b, {0, 0, 1, 1, 1}).text, state(a, b, {0, 1, 1, 1, 0}).text);
  EXPECT_EQ(state(a, b, {0, 0, 1}).text, "A2 ");
}

// One that opens a view, one that is more than one statement, and one that may end what its session
// has open by then.
TEST(PrefixStepper, ABeginThatMayDoMoreThanBeginIsInTheOrder) {
  const auto is_told = [](std::vector<std::string> requests, std::vector<std::string> setup = {}) {
    const size_t before_last = requests.size() - 1;
    const Input input = on(mariadb_language(),
                           {client(std::move(requests), std::move(setup)), client({"SELECT 1"})});
    Order before(before_last, 0);
    Order after = before;
    before.insert(before.end(), {0, 1});
    after.insert(after.end(), {1, 0});
    return session_state(input, before).text != session_state(input, after).text;
  };
  EXPECT_FALSE(is_told({"BEGIN"}));
  EXPECT_FALSE(is_told({"BEGIN", "SAVEPOINT s"}));
  EXPECT_TRUE(is_told({"START TRANSACTION WITH CONSISTENT SNAPSHOT"}));
  EXPECT_TRUE(is_told({"BEGIN; SELECT 1"}));
  EXPECT_TRUE(is_told({"BEGIN", "BEGIN"}));
  EXPECT_TRUE(is_told({"BEGIN", "SET @a=1", "COMMIT AND CHAIN", "BEGIN"}));
  EXPECT_TRUE(is_told({"BEGIN"}, {"SELECT 1"}));
}

}  // namespace
}  // namespace esox
