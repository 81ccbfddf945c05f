// SPDX-License-Identifier: Apache-2.0
// Reads the log of MariaDB's server_audit plugin: the tables each statement read and wrote, its
// text on one line, and the error number it ended with.
//
//   TIME,HOST,USER,CLIENT,CONNECTION,QUERY,READ|WRITE|CREATE|...,DATABASE,TABLE,
//   TIME,HOST,USER,CLIENT,CONNECTION,QUERY,QUERY,DATABASE,'TEXT',ERROR
//
// The tables of a statement come before its text, as do the statements it runs itself (of routines
// and triggers). In texts line ends have become blanks, tabs \t, and ' and \ have a \ before them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace esox {

struct AuditEvent {
  enum class Kind { kRead, kWrite, kCreate, kAlter, kDrop, kRename, kQuery };
  Kind kind = Kind::kQuery;
  uint64_t connection = 0;
  std::string database;  // of the table; of a query: its current one
  std::string table;     // empty of a query
  std::string new_name;  // kRename: "database.table" it has become
  std::string text;      // of a query, with blanks for line ends and tabs
  uint32_t error = 0;    // of a query; 0: it succeeded
};

struct AuditLog {
  std::vector<AuditEvent> events;
  size_t malformed_lines = 0;  // left out
};

// Safe on any bytes. Connections' beginnings and ends are left out.
AuditLog read_audit_log(std::string_view text);

}  // namespace esox
