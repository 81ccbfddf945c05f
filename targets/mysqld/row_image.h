// SPDX-License-Identifier: Apache-2.0
// How the rows of a table stand in the binary log, one behind the other: where each ends follows
// from the types of the columns (Table_map event).
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace esox {

struct LoggedColumn {
  unsigned char type = 0;
  unsigned metadata = 0;  // its bytes, little-endian
};

struct LoggedTable {
  std::string name;  // "db.t"
  std::vector<LoggedColumn> columns;
};

// Of the event's body, what follows the table's number. Nothing: a type that is not known here, or
// no such event.
std::optional<LoggedTable> logged_table(std::string_view body);

// The bytes of the row that `rest` begins with; nothing if it holds no whole one.
std::optional<size_t> row_bytes(const LoggedTable& table, std::string_view rest);

}  // namespace esox
