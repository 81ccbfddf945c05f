// SPDX-License-Identifier: Apache-2.0
// Serial orders of parts, on a small model of a server: what they explain, and that a seeded fault
// beside it stays unexplained.
#include "harness/hunt/part_orders.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "filters/reader.h"
#include "harness/engine/known_servers.h"
#include "targets/mariadb/language.h"
#include "targets/memcached/language.h"
#include "targets/registry.h"

namespace esox {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

ConcreteInput input_of(const std::string& a, const std::string& b) {
  ConcreteInput made;
  made.engine = "Aria";
  made.input.language = &mariadb_language();
  for (const std::string& text : {a, b}) {
    InputClient client;
    client.requests.push_back({text, false});
    made.input.clients.push_back(client);
  }
  return made;
}

RulesInForce rules_for(const ConcreteInput& input, const std::string& keys) {
  auto set = std::make_shared<const RuleSet>(
      parse_rules("server: mariadb\nrules:\n  - {name: it, reason: r, owner: o, " + keys + "}\n",
                  "f.yaml", known_servers()));
  return {std::move(set), circumstances_of(input, {"10.11.19", {}})};
}

Output affected(uint64_t rows) {
  Output output;
  output.answered = true;
  output.affected_rows = rows;
  return output;
}

StateSummary counts(uint64_t t1, uint64_t t2) {
  ComponentBuilder builder("counts", ComponentKind::kMap);
  builder.add(Element{"t1", std::to_string(t1)});
  builder.add(Element{"t2", std::to_string(t2)});
  StateSummary state;
  state.components.push_back(std::move(builder).build());
  return state;
}

ExecutionRecord both_at_once(Output a, Output b, StateSummary state) {
  ExecutionRecord record;
  record.outcome.outputs = {{std::move(a)}, {std::move(b)}};
  record.outcome.state = std::move(state);
  record.stamps = {{{0, 10}}, {{0, 10}}};
  return record;
}

// Two tables of one row; A inserts t1's rows into t2, B t2's into t1.
class ReadThenWrite : public testing::Test {
 protected:
  static constexpr const char* kKeys =
      "kind: split, into: read-then-write, statement: INSERT, beside: INSERT";

  static SerialExecution execute(const ConcreteInput& input, const Order& order) {
    SerialExecution serial;
    serial.outcome.outputs.resize(2);
    std::array<uint64_t, 2> rows = {1, 1};
    std::array<uint64_t, 2> read = {0, 0};
    for (const uint16_t client : order) {
      auto& replies = serial.outcome.outputs[client];
      const std::string& text = input.input.clients[client].requests[replies.size()].text;
      if (text.starts_with("DROP")) {
        replies.push_back(affected(0));
        continue;
      }
      const bool reads = text.starts_with("CREATE");
      if (reads || !text.ends_with("esox_read")) read[client] = rows[client];
      if (!reads) rows[1 - client] += read[client];
      replies.push_back(affected(read[client]));
    }
    serial.outcome.state = counts(rows[0], rows[1]);
    return serial;
  }

  PartOrders::Answer answer(const ExecutionRecord& record, const std::string& keys,
                            uint64_t max_steps = 100) {
    const RulesInForce rules = rules_for(input_, keys);
    PartOrders orders(input_, rules, {"10.11.19", {}}, 1);
    return orders.explain(
        record, {}, max_steps,
        [](const auto& input, const Order& order, int64_t) { return execute(input, order); });
  }
  std::vector<ForgivenPlace> explain(const ExecutionRecord& record, const std::string& keys) {
    return answer(record, keys).forgiven;
  }

  ConcreteInput input_ =
      input_of("INSERT INTO t2 SELECT * FROM t1", "INSERT INTO t1 SELECT * FROM t2");
};

TEST_F(ReadThenWrite, ExplainsTwoThatEachReadBeforeTheOtherOneWrote) {
  const auto forgiven = explain(both_at_once(affected(1), affected(1), counts(2, 2)), kKeys);
  ASSERT_THAT(forgiven, SizeIs(2));
  EXPECT_EQ(forgiven[0].rule, "it");
  EXPECT_THAT(forgiven[0].what, HasSubstr("A1 part 1 B1 part 1 "));
}

TEST_F(ReadThenWrite, SaysWhetherAllOrdersWereTried) {
  const ExecutionRecord wrong = both_at_once(affected(1), affected(1), counts(2, 3));
  EXPECT_TRUE(answer(wrong, kKeys).exhausted);
  EXPECT_FALSE(answer(wrong, kKeys, 2).exhausted);
  EXPECT_TRUE(
      answer(wrong, "kind: split, into: read-then-write, statement: INSERT, beside: TRUNCATE")
          .exhausted)
      << "nothing is taken apart";
}

TEST_F(ReadThenWrite, LeavesAWrongCountAndALostRowUnexplained) {
  EXPECT_THAT(explain(both_at_once(affected(1), affected(1), counts(2, 3)), kKeys), IsEmpty());
  EXPECT_THAT(explain(both_at_once(affected(1), affected(1), counts(1, 2)), kKeys), IsEmpty());
  EXPECT_THAT(explain(both_at_once(affected(7), affected(1), counts(2, 2)), kKeys), IsEmpty());
}

TEST_F(ReadThenWrite, IsForThoseThatWereUnderWayTogetherAndThatTheRuleNames) {
  ExecutionRecord apart = both_at_once(affected(1), affected(1), counts(2, 2));
  apart.stamps = {{{0, 10}}, {{11, 20}}};
  EXPECT_THAT(explain(apart, kKeys), IsEmpty());
  EXPECT_THAT(explain(both_at_once(affected(1), affected(1), counts(2, 2)),
                      "kind: split, into: read-then-write, statement: INSERT, beside: DELETE"),
              IsEmpty());
}

// A checks two tables, B drops both.
class Tables : public testing::Test {
 protected:
  static Output checked(const std::vector<std::pair<std::string, bool>>& tables) {
    Output output;
    output.answered = true;
    output.results.resize(1);
    for (const auto& [table, exists] : tables) {
      output.results[0].rows.push_back({"test." + table, exists ? "OK" : "doesn't exist"});
    }
    output.affected_rows = output.results[0].rows.size();
    return output;
  }

  static SerialExecution execute(const ConcreteInput& input, const Order& order) {
    SerialExecution serial;
    serial.outcome.outputs.resize(2);
    bool exist = true;
    for (const uint16_t client : order) {
      auto& replies = serial.outcome.outputs[client];
      if (client == 1) {
        exist = false;
        replies.push_back(affected(0));
        continue;
      }
      const std::string& text = input.input.clients[0].requests[replies.size()].text;
      replies.push_back(checked({{text.substr(text.rfind(' ') + 1), exist}}));
    }
    serial.outcome.state = counts(0, 0);
    return serial;
  }

  std::vector<ForgivenPlace> explain(const Output& check) {
    const RulesInForce rules =
        rules_for(input_, "kind: split, into: tables, statement: CHECK TABLE, beside: DROP TABLE");
    PartOrders orders(input_, rules, {"10.11.19", {}}, 1);
    const auto execute_order = [](const auto& input, const Order& order, int64_t) {
      return execute(input, order);
    };
    return orders.explain(both_at_once(check, affected(0), counts(0, 0)), {}, 100, execute_order)
        .forgiven;
  }

  ConcreteInput input_ = input_of("CHECK TABLE t1, t2", "DROP TABLE t1, t2");
};

TEST_F(Tables, AreCheckedOneByOneAndDroppedBetween) {
  EXPECT_THAT(explain(checked({{"t1", true}, {"t2", false}})), SizeIs(1));
}

TEST_F(Tables, ThatAreThereAfterTheyWereGoneAreUnexplained) {
  EXPECT_THAT(explain(checked({{"t1", false}, {"t2", true}})), IsEmpty());
}

TEST_F(Tables, WithARowThatIsOfNoneOfThemAreNotTakenApart) {
  EXPECT_THAT(explain(checked({{"t1", true}, {"t9", true}, {"t2", false}})), IsEmpty());
  EXPECT_THAT(explain(checked({{"t1", true}, {"t1", false}, {"t2", false}})), IsEmpty());
}

// memcached: A asks for two keys, B takes both away.
class Keys : public testing::Test {
 protected:
  static Output values(const std::vector<std::string>& keys) {
    Output output;
    output.answered = true;
    output.results.resize(1);
    for (const std::string& key : keys) output.results[0].rows.push_back({key, "0", "1"});
    return output;
  }

  static SerialExecution execute(const ConcreteInput& input, const Order& order) {
    SerialExecution serial;
    serial.outcome.outputs.resize(2);
    bool flushed = false;
    for (const uint16_t client : order) {
      auto& replies = serial.outcome.outputs[client];
      const std::string& text = input.input.clients[client].requests[replies.size()].text;
      if (text == "flush_all") {
        flushed = true;
        replies.push_back(affected(0));
      } else {
        replies.push_back(
            values(flushed ? std::vector<std::string>() : std::vector{text.substr(4)}));
      }
    }
    serial.outcome.state = counts(0, 0);
    return serial;
  }

  static std::vector<ForgivenPlace> explain(const Output& reply) {
    ConcreteInput input = input_of("get k l", "flush_all");
    input.engine = "";
    input.input.language = &memcached_language();
    const auto set = std::make_shared<const RuleSet>(
        read_rules({*target_named("memcached").filters_file()}, known_servers()));
    const RulesInForce rules(set, circumstances_of(input, {"1.6.18", {}}));
    PartOrders orders(input, rules, {"1.6.18", {}}, 1);
    const auto execute_order = [](const auto& parts, const Order& order, int64_t) {
      return execute(parts, order);
    };
    return orders.explain(both_at_once(reply, affected(0), counts(0, 0)), {}, 100, execute_order)
        .forgiven;
  }
};

TEST_F(Keys, AreReadOneByOneWithAFlushBetween) {
  EXPECT_THAT(explain(values({"k"})), SizeIs(1));
}

TEST_F(Keys, ThatComeAfterAnEarlierOneWasGoneAreUnexplained) {
  EXPECT_THAT(explain(values({"l"})), IsEmpty());
}

}  // namespace
}  // namespace esox
