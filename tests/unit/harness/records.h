// SPDX-License-Identifier: Apache-2.0
// Small executions and verdicts, made by hand.
#pragma once

#include <string>
#include <vector>

#include "analysis/verdict.h"
#include "harness/hunt/exploration.h"
#include "inputs/input.h"
#include "targets/mariadb/language.h"

namespace esox {

inline Input two_clients() {
  Input input;
  input.language = &mariadb_language();
  input.id = "some/input";
  input.clients = {{"A", {}, {{"SELECT a FROM t1", false}}},
                   {"B", {}, {{"INSERT INTO t1 VALUES (2)", false}}}};
  return input;
}

inline Output rows_output(std::vector<std::string> values) {
  Output output;
  output.answered = true;
  ResultSet result{{{"a", "INT"}}, {}};
  for (std::string& value : values) result.rows.push_back({std::move(value)});
  output.results.push_back(std::move(result));
  return output;
}

inline Output affected_output(uint64_t rows) {
  Output output;
  output.answered = true;
  output.affected_rows = rows;
  return output;
}

inline Component rows_component(const std::vector<std::string>& values) {
  std::vector<Element> elements;
  for (const std::string& value : values) elements.push_back({"", value});
  return make_component("rows:test.t1", ComponentKind::kMultiset, elements);
}

// A reads `read`, B inserts, the table holds `rows` at the end.
inline Outcome outcome_of(const std::vector<std::string>& read,
                          const std::vector<std::string>& rows) {
  Outcome outcome;
  outcome.outputs = {{rows_output(read)}, {affected_output(1)}};
  outcome.state = make_summary({rows_component(rows)});
  return outcome;
}

inline SerialRun serial_run(Order order, const Outcome& outcome) {
  return {std::move(order), outcome, outcome, ""};
}

// A1 B1 reads {1}; B1 A1 reads {1, 2}; both leave {1, 2}.
inline std::vector<SerialRun> two_orders() {
  return {serial_run({0, 1}, outcome_of({"1"}, {"1", "2"})),
          serial_run({1, 0}, outcome_of({"1", "2"}, {"1", "2"}))};
}

inline ExecutionRecord record_of(Outcome outcome, uint64_t number = 1) {
  ExecutionRecord record;
  record.number = number;
  record.seed = 1000 + number;
  record.strategy = "pct:d=3";
  record.outcome = std::move(outcome);
  record.stamps = {{{0, 9}}, {{0, 9}}};
  return record;
}

inline Judged judged_of(ExecutionRecord record, const Masks& masks = {}) {
  Judged judged;
  judged.verdict = judge(record, two_orders(), masks);
  if (judged.verdict.violation()) {
    Symbols symbols(record.modules);
    judged.cause = cause_of(record, judged.verdict, symbols, client_names(two_clients()));
  }
  judged.report.record = std::move(record);
  return judged;
}

}  // namespace esox
