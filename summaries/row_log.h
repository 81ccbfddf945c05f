// SPDX-License-Identifier: Apache-2.0
// What a server's log of rows tells of an execution: who wrote which rows, in the order in which
// the writes were committed. From it follow the states in which a plain read may be answered
// (analysis/statement_views.h).
//
// A row is what the log has of it, as opaque bytes: only the target that read the log can make a
// row of a table of them. Plain values.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "summaries/outcome.h"

namespace esox {

// Equal images are equal rows of one table.
struct RowImage {
  std::string table;  // a name in RowLog::tables
  std::string bytes;
  auto operator<=>(const RowImage&) const = default;
};

struct RowChange {
  std::optional<RowImage> before;  // nothing: it was inserted
  std::optional<RowImage> after;   // nothing: it was deleted
};

struct StatementRows {
  std::string text;  // as its session sent it
  std::vector<RowChange> changes;
};

// What was committed as one.
struct LoggedUnit {
  std::optional<size_t> client;  // nothing: of no client of the input
  bool only_rows = true;         // false: a definition, or what else is not told by rows
  std::vector<StatementRows> statements;
};

struct RowLog {
  std::vector<LoggedUnit> units;              // in the order of their commits
  std::map<std::string, std::string> tables;  // name -> what the target needs to write its rows
  std::string head;                           // what it needs besides
  std::string unreadable;                     // why nothing of it can be used; empty: it can
};

// A state, by what differs from that after the setup. Rows of the reader's own transaction come
// last, and hide all others of the same key.
struct RowState {
  std::set<RowImage> gone;     // of the setup, that units have changed or deleted
  std::set<RowImage> there;    // that they have left
  std::set<RowImage> hidden;   // that the reader has written over: by key
  std::set<RowImage> written;  // that it has left
  auto operator<=>(const RowState&) const = default;
};

// A request of a client, to be answered in a state by a server with nothing else to do.
struct StateQuestion {
  size_t client = 0;
  std::string text;
  RowState state;
  auto operator<=>(const StateQuestion&) const = default;
};

struct StateAnswer {
  Output output;
  std::string unjudged;  // why it says nothing of what the reply must be; empty: it does
  bool passing = false;  // that is the machine's doing, and may be otherwise the next time
};

}  // namespace esox
