// SPDX-License-Identifier: Apache-2.0
// The row events of the binary log: read, unit by unit, and written anew, to be applied by a server
// in one transaction that is then rolled back (BINLOG '...').
//
// Whose a unit is, MariaDB tells by the server's number in its events: each client of an input
// whose sessions have an isolation level has one of its own (`server_id` is a variable of the
// session there, and of no other consequence to it). MySQL tells it by the connection's number in
// the event of BEGIN.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "summaries/row_log.h"

namespace esox {

// Of the first client.
inline constexpr uint64_t kFirstSessionNumber = 4'000'000'000;

// Statements that make a session tell rows of their events' format, and that write or delete these
// rows, a table each; of a row log's tables.
std::string format_statement(const RowLog& log);
std::vector<std::string> write_statements(const RowLog& log, const std::set<RowImage>& rows);
std::vector<std::string> delete_statements(const RowLog& log, const std::set<RowImage>& rows);

}  // namespace esox
