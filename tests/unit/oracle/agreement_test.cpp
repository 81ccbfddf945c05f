// SPDX-License-Identifier: Apache-2.0
// The oracle against an independent checker: on random histories, correct and corrupted, both say
// the same, whether serial orders are executed whole or as a graph of serial states. ESOX_HISTORIES
// sets how many (make soak: 100,000).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "analysis/cut_off.h"
#include "analysis/nondeterminism.h"
#include "analysis/serial_graph.h"
#include "analysis/verdict.h"
#include "tests/models/history.h"

namespace esox {
namespace {

using oracle::Call;
using oracle::History;
using oracle::Object;
using oracle::Reply;
using oracle::TimedCall;
using oracle::Truth;

constexpr size_t kShards = 8;

size_t histories() {
  const char* wanted = std::getenv("ESOX_HISTORIES");
  return wanted != nullptr ? std::strtoull(wanted, nullptr, 10) : 30'000;
}

Output output_of(const Call& call, const Reply& reply) {
  Output output;
  if (reply.none) return output;
  output.answered = true;
  output.error = static_cast<uint32_t>(reply.error);
  if (reply.values.empty() && call.verb != oracle::Verb::kMembers) return output;
  ResultSet& result = output.results.emplace_back();
  result.columns = {{"value", "INT"}};
  for (const int value : reply.values) result.rows.push_back({std::to_string(value)});
  return output;
}

StateSummary summarised(const Object& object) {
  std::vector<Element> registers;
  for (const int value : object.registers) {
    registers.push_back({std::to_string(registers.size()), std::to_string(value)});
  }
  std::vector<Element> bag;
  for (const int value : object.bag) bag.push_back({"", std::to_string(value)});
  std::vector<Element> cache;
  for (const auto& [key, value] : object.cache) {
    cache.push_back({std::to_string(key), std::to_string(value)});
  }
  return make_summary({make_component("registers", ComponentKind::kMap, registers),
                       make_component("bag", ComponentKind::kMultiset, bag),
                       make_component("cache", ComponentKind::kCache, cache)});
}

// Digests take most of the time, and objects come again.
const StateSummary& state_of(const Object& object) {
  static std::map<Object, StateSummary> known;
  const auto [found, is_new] = known.try_emplace(object);
  if (is_new) found->second = summarised(object);
  return found->second;
}

ExecutionRecord record_of(const History& history) {
  ExecutionRecord record;
  for (const auto& client : history.clients) {
    auto& outputs = record.outcome.outputs.emplace_back();
    auto& stamps = record.stamps.emplace_back();
    for (const TimedCall& one : client) {
      outputs.push_back(output_of(one.call, one.reply));
      stamps.push_back({one.asked, one.answered});
    }
  }
  record.outcome.state = state_of(history.end);
  return record;
}

// Takes a serial order, or the beginning of one.
Outcome execute(const History& history, const Order& order, int date) {
  Object object;
  Outcome outcome;
  outcome.outputs.resize(history.clients.size());
  for (const uint16_t client : order) {
    auto& outputs = outcome.outputs[client];
    const Call& call = history.clients[client][outputs.size()].call;
    outputs.push_back(output_of(call, object.take(call, date, client)));
  }
  outcome.state = state_of(object);
  return outcome;
}

class Stepper final : public SerialStepper {
 public:
  explicit Stepper(const History& history) : history_(history) {}

  SerialStep step(const Order& prefix, uint16_t client) override {
    Order order = prefix;
    order.push_back(client);
    Outcome first = execute(history_, order, 1);
    Outcome second = execute(history_, order, 2);
    SerialStep step;
    step.first = std::move(first.outputs[client].back());
    step.second = std::move(second.outputs[client].back());
    step.first_state = std::move(first.state);
    step.second_state = std::move(second.state);
    return step;
  }

 private:
  const History& history_;
};

std::vector<size_t> counts_of(const History& history) {
  std::vector<size_t> counts;
  for (const auto& client : history.clients) counts.push_back(client.size());
  return counts;
}

std::vector<SerialRun> runs_of(const History& history) {
  std::vector<SerialRun> runs;
  for (const Order& order : all_orders(counts_of(history)).orders) {
    runs.push_back({order, execute(history, order, 1), execute(history, order, 2), ""});
  }
  return runs;
}

Explanation search_graph(const History& history, const ExecutionRecord& record) {
  Stepper stepper(history);
  SerialGraph graph(counts_of(history), stepper);
  Masks masks;
  return explain(graph, record, masks, 1'000);
}

// Empty: they agree.
std::string disagreement(const History& history, const Truth& truth) {
  ExecutionRecord record = record_of(history);
  const std::vector<SerialRun> runs = runs_of(history);
  record.cut_off = cut_off_requests(record, runs);
  const Verdict verdict = judge(record, runs, find_nondeterminism(runs));
  // What was cut off is in all orders here, and by the definition in some.
  if (!is_cut_off(history) && verdict.matched.size() != truth.linearizations) {
    return "orders that explain it: " + std::to_string(verdict.matched.size()) + ", by force " +
           std::to_string(truth.linearizations);
  }
  const bool accepted = truth.linearizations > 0;
  if ((verdict.verdict == VerdictClass::kNone) != accepted || verdict.violation() == accepted) {
    return std::string("judged ") + class_name(verdict.verdict);
  }
  if (!accepted && (verdict.verdict == VerdictClass::kLatent) != truth.replies_fit) {
    return std::string("classified ") + class_name(verdict.verdict);
  }
  const Explanation explanation = search_graph(history, record);
  if (explanation.order.has_value() != accepted) return "the graph says otherwise";
  if (explanation.exhausted == accepted) return "the graph was not searched to its end";
  if (accepted && !keeps_real_time(*explanation.order, record.stamps)) {
    return "the graph's order does not keep real time";
  }
  return "";
}

class Agreement : public testing::TestWithParam<size_t> {};

TEST_P(Agreement, TheOracleSaysWhatBruteForceSays) {
  std::mt19937_64 random(GetParam());
  const size_t share = histories() / kShards;
  size_t violations = 0;
  size_t explained_though_cut_off = 0;
  for (size_t i = 0; i < share; ++i) {
    const History history = oracle::random_history(random);
    const Truth truth = check(history);
    const std::string why = disagreement(history, truth);
    ASSERT_EQ(why, "") << "history " << i << "\n" << text_of(history);
    violations += truth.linearizations == 0 ? 1 : 0;
    explained_though_cut_off += truth.linearizations > 0 && is_cut_off(history) ? 1 : 0;
  }
  // Both are put to the test.
  EXPECT_GT(violations, share / 10);
  EXPECT_LT(violations, share / 2);
  EXPECT_GT(explained_though_cut_off, share / 50);
}

INSTANTIATE_TEST_SUITE_P(First, Agreement, testing::Values(size_t{1}));
INSTANTIATE_TEST_SUITE_P(More, Agreement, testing::Range(size_t{2}, kShards + 1));

}  // namespace
}  // namespace esox
