// SPDX-License-Identifier: Apache-2.0
// Findings made by hand: one client reads what another one writes.
#pragma once

#include <string>
#include <vector>

#include "analysis/finding.h"
#include "analysis/linearization.h"
#include "summaries/component.h"
#include "targets/mariadb/language.h"

namespace esox {

inline Output rows_reply(const std::vector<std::string>& values) {
  Output output;
  output.answered = true;
  ResultSet result{{{"a", "INT"}, {"when", "TIME"}}, {}};
  for (const std::string& value : values) result.rows.push_back({value, "x" + value});
  output.results.push_back(std::move(result));
  return output;
}

inline Output done_reply() {
  Output output;
  output.answered = true;
  output.affected_rows = 1;
  return output;
}

inline Outcome read_and_write(const Output& read, const std::vector<std::string>& rows) {
  Outcome outcome;
  outcome.outputs = {{read}, {done_reply()}};
  std::vector<Element> elements;
  for (const std::string& value : rows) elements.push_back({"", value});
  outcome.state =
      make_summary({make_component("rows:test.t1", ComponentKind::kMultiset, elements)});
  return outcome;
}

inline Input reader_and_writer(const std::string& id = "some/input",
                               const std::string& table = "t1") {
  Input input;
  input.language = &mariadb_language();
  input.id = id;
  input.setup = {"CREATE TABLE " + table + " (a INT, `when` INT)"};
  input.clients = {{"A", {}, {{"SELECT a FROM " + table, false}}},
                   {"B", {}, {{"INSERT INTO " + table + " VALUES (2, 2)", false}}}};
  return input;
}

// Both were under way at the same time; `expected` is what either order gives.
inline Finding finding_with(const Outcome& seen, const Outcome& expected,
                            const std::string& cause =
                                "class semantic\nreply A1: result 1 rows "
                                "missing\n") {
  Finding finding;
  finding.id = "0123456789abcdef";
  finding.cause = cause;
  finding.input = {reader_and_writer(), "Aria", ""};
  finding.verdict = VerdictClass::kSemantic;
  finding.server.version = "10.11.14-MariaDB";
  finding.hits = 3;
  finding.executions = 100;
  finding.first_execution = 7;
  finding.seed = 42;
  finding.strategy = "pct:d=3";
  finding.outcome = seen;
  finding.stamps = {{{1, 9}}, {{2, 8}}};
  for (const Order& order : {Order{0, 1}, Order{1, 0}}) {
    FindingOrder one;
    one.order = order;
    one.allowed = true;
    one.outcome = expected;
    finding.orders.push_back(one);
  }
  return finding;
}

}  // namespace esox
