// SPDX-License-Identifier: Apache-2.0
// What a server says: outcome = outputs + state summary. Plain values, no behaviour but equality.
//
// Shapes: Outcome.outputs[client][request] follows the input's clients and their requests; an
// execution that ended early (crash, deadlock) has outputs with `answered == false`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "summaries/component.h"

namespace esox {

using Cell = std::optional<std::string>;  // nullopt is SQL's NULL
using Row = std::vector<Cell>;

struct Column {
  std::string name;
  std::string type;
  bool operator==(const Column&) const = default;
};

struct ResultSet {
  std::vector<Column> columns;
  std::vector<Row> rows;
  bool operator==(const ResultSet&) const = default;
};

struct Warning {
  std::string level;
  uint32_t code = 0;
  std::string message;
  bool operator==(const Warning&) const = default;
};

// The reply to one request.
struct Output {
  bool answered = false;  // false: no reply came (server gone, execution ended)
  std::vector<ResultSet> results;
  uint32_t error = 0;  // 0: success
  std::string sql_state;
  std::string message;
  uint64_t affected_rows = 0;
  uint64_t insert_id = 0;
  std::string info;  // "Records: 3  Duplicates: 0 ..."
  uint32_t warning_count = 0;
  std::vector<Warning> warnings;  // texts; of a session's last request only (see client/mysql.h)
  // Whether the session then is in a transaction; not told beside an error.
  std::optional<bool> in_transaction = {};
  bool ordered = false;                            // rows compare as a sequence; else as a multiset
  bool operator==(const Output&) const = default;  // to the letter, rows in the order they came
};

// A task of the server's own (an event) that it says has failed.
struct FailedTask {
  std::string task;     // its name: "test.e1"
  std::string message;  // the error's
  bool operator==(const FailedTask&) const = default;
};

struct Outcome {
  std::vector<std::vector<Output>> outputs;  // [client][request]
  StateSummary state;
  std::vector<FailedTask> failed_tasks = {};  // of one execution; never compared, nor kept
};

}  // namespace esox
