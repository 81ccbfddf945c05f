// SPDX-License-Identifier: Apache-2.0
// Statements that a server executes as several, one after the other, while others may come between:
// the statements that they count as. For filters of the kind `split` (filters/rule.h), and for
// requests that no serial order of requests can be held against.
//
// Lexical, with the limits of statement.h. Cautious: what is not plain has no parts.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace esox {

// Kinds (statement_kind) of which parts are known.
inline constexpr std::string_view kMaintenance[] = {"CHECK TABLE", "OPTIMIZE TABLE",
                                                    "ANALYZE TABLE", "REPAIR TABLE"};
inline constexpr std::string_view kInsertions[] = {"INSERT", "REPLACE"};

// One table's part of CHECK TABLE t1, db.t2 QUICK.
struct TablePart {
  std::string statement;  // "CHECK TABLE db.t2 QUICK"
  std::string table;      // as its rows of the reply name it: "t2", "db.t2"
};

// Empty unless there are at least two tables, all different.
std::vector<TablePart> table_parts(std::string_view text);

// INSERT INTO t SELECT ...: what it reads is kept in a temporary table of the session, written from
// there, and forgotten.
struct ReadAndWrite {
  std::string read;
  std::string write;
  std::string forget;
};

// nullopt where that would not be the same: ON DUPLICATE KEY, RETURNING, DELAYED, user variables.
std::optional<ReadAndWrite> read_and_write(std::string_view text);

// Whether `text` calls a procedure, made by one of these statements, that has several statements
// and makes no transaction of them. Each is then a step of its own (autocommit), which the call
// does not hold together.
bool calls_several_statements(std::string_view text, std::span<const std::string> setup);

}  // namespace esox
