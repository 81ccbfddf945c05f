// SPDX-License-Identifier: Apache-2.0
// Short ways to write outcomes, runs and records in tests.
#pragma once

#include <random>
#include <string>
#include <utility>
#include <vector>

#include "analysis/execution_record.h"
#include "analysis/masks.h"
#include "analysis/serial_run.h"
#include "inputs/input.h"
#include "summaries/outcome.h"
#include "targets/mariadb/language.h"

namespace esox::test {

inline const Masks kNoMasks;

inline Output ok(uint64_t affected_rows = 0) {
  Output output;
  output.answered = true;
  output.affected_rows = affected_rows;
  return output;
}

inline Output rows_reply(std::vector<Row> rows, bool ordered = false) {
  Output output = ok(rows.size());
  ResultSet result;
  const size_t width = rows.empty() ? 1 : rows.front().size();
  for (size_t i = 0; i < width; ++i) result.columns.push_back({"c" + std::to_string(i), "LONG"});
  result.rows = std::move(rows);
  output.results.push_back(std::move(result));
  output.ordered = ordered;
  return output;
}

inline Output error_reply(uint32_t number, std::string message = "it failed") {
  Output output;
  output.answered = true;
  output.error = number;
  output.sql_state = "HY000";
  output.message = std::move(message);
  return output;
}

inline Component bag(std::string name, const std::vector<std::string>& values) {
  std::vector<Element> elements;
  for (const std::string& value : values) elements.push_back({"", value});
  return make_component(std::move(name), ComponentKind::kMultiset, std::move(elements));
}

inline Component sequence(std::string name, const std::vector<std::string>& values) {
  Component component = bag(std::move(name), values);
  return make_component(component.name, ComponentKind::kSequence, component.elements);
}

inline Component map(std::string name, std::vector<Element> elements) {
  return make_component(std::move(name), ComponentKind::kMap, std::move(elements));
}

// One request of each client; client 0 is A.
inline Outcome outcome(std::vector<Output> replies, std::vector<Component> components) {
  Outcome value;
  for (Output& reply : replies) value.outputs.push_back({std::move(reply)});
  value.state = make_summary(std::move(components));
  return value;
}

inline SerialRun serial(Order order, const Outcome& value) {
  return {.order = std::move(order), .first = value, .second = value, .infeasible = ""};
}

inline SerialRun infeasible(Order order, std::string why) {
  return {.order = std::move(order), .first = {}, .second = {}, .infeasible = std::move(why)};
}

// Finished, all requests concurrent with each other.
inline ExecutionRecord record(Outcome value) {
  ExecutionRecord result;
  result.number = 17;
  result.seed = 42;
  result.strategy = "pct:d=3";
  for (const auto& client : value.outputs) {
    std::vector<Stamp> stamps;
    for (size_t i = 0; i < client.size(); ++i) stamps.push_back({0, 1000});
    result.stamps.push_back(std::move(stamps));
  }
  result.outcome = std::move(value);
  return result;
}

inline ConcreteInput pair_input(std::string a, std::string b) {
  ConcreteInput concrete;
  concrete.engine = "Aria";
  concrete.input.language = &mariadb_language();
  concrete.input.id = "pairs/select-insert";
  concrete.input.title = "A reader beside a writer";
  concrete.input.origin = "pairs.yaml:12";
  concrete.input.setup = {"CREATE TABLE t1 (a INT) ENGINE=Aria", "INSERT INTO t1 VALUES (1),(2)"};
  concrete.input.clients = {{"A", {}, {{std::move(a), false}}}, {"B", {}, {{std::move(b), false}}}};
  return concrete;
}

// --- The positive control: SELECT beside INSERT with the query cache on ------------------------

struct StaleCache {
  static Outcome after(bool select_first, const std::vector<std::string>& cached) {
    std::vector<Row> seen = {{"1"}, {"2"}};
    if (!select_first) {
      for (const char* value : {"10", "11", "12"}) seen.push_back({value});
    }
    Output insert = ok(3);
    insert.info = "Records: 3  Duplicates: 0  Warnings: 0";
    return outcome({rows_reply(seen), insert},
                   {bag("cached:SELECT a FROM t1", cached),
                    bag("rows:test.t1", {"1", "2", "10", "11", "12"}), bag("tables", {"test.t1"})});
  }
  static std::vector<SerialRun> serial_runs() {
    const std::vector<std::string> fresh = {"1", "2", "10", "11", "12"};
    return {serial({0, 1}, after(true, fresh)), serial({1, 0}, after(false, fresh))};
  }
  static ExecutionRecord execution() { return record(after(true, {"1", "2"})); }
  static ConcreteInput input() {
    return pair_input("SELECT a FROM t1", "INSERT INTO t1 (a) VALUES (10),(11),(12)");
  }
};

// --- Random outcomes ---------------------------------------------------------------------------

class RandomOutcomes {
 public:
  explicit RandomOutcomes(uint64_t seed) : random_(seed) {}

  size_t below(size_t bound) {
    return std::uniform_int_distribution<size_t>(0, bound - 1)(random_);
  }

  std::string text() {
    static const char* const kTexts[] = {"",    "a",        "10",     "NULL",
                                         "x y", "\xff\xfe", "-1.5e3", "line\n2"};
    return kTexts[below(std::size(kTexts))];
  }

  Row row(size_t width) {
    Row cells;
    for (size_t i = 0; i < width; ++i) {
      cells.push_back(below(6) == 0 ? Cell{} : Cell{text()});
    }
    return cells;
  }

  Output output() {
    if (below(5) == 0) return error_reply(static_cast<uint32_t>(1000 + below(3)), text());
    if (below(3) == 0) return ok(below(4));
    const size_t width = 1 + below(3);
    std::vector<Row> rows(1 + below(5));
    for (Row& one : rows) one = row(width);
    Output reply = rows_reply(rows, below(2) == 0);
    reply.warning_count = static_cast<uint32_t>(below(3));
    if (reply.warning_count > 0) reply.warnings.resize(reply.warning_count, {"Note", 1051, text()});
    return reply;
  }

  Component component(const std::string& name) {
    const auto kind = static_cast<ComponentKind>(below(4));
    std::vector<Element> elements;
    const size_t size = 1 + below(5);
    for (size_t i = 0; i < size; ++i) {
      const std::string unique = std::to_string(i);
      const bool is_map = kind == ComponentKind::kMap;
      elements.push_back({is_map ? "key" + unique : "", text() + unique});
    }
    return make_component(name, kind, std::move(elements));
  }

  Outcome any() {
    Outcome value;
    value.outputs.resize(1 + below(3));
    for (auto& client : value.outputs) {
      client.resize(1 + below(2));
      for (Output& one : client) one = output();
    }
    std::vector<Component> components;
    const size_t size = 1 + below(3);
    for (size_t i = 0; i < size; ++i) components.push_back(component("c" + std::to_string(i)));
    value.state = make_summary(std::move(components));
    return value;
  }

  std::mt19937_64& engine() { return random_; }

 private:
  std::mt19937_64 random_;
};

}  // namespace esox::test
